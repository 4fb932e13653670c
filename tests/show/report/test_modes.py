"""The mode of each model: its label, and the models that were asked in both modes."""

from __future__ import annotations

from pathlib import Path

import pytest

from bfcl_pipeline.benchmark.records import Mode, Rules
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.report.notes import mode_label, name_with_mode
from bfcl_pipeline.show.report.page.render import render_page
from bfcl_pipeline.show.report.page.run_tables import read_run_tables
from bfcl_pipeline.show.report.page.scores import modes
from bfcl_pipeline.show.report.terminal import terminal_table
from tests.support.synthetic_run import MadeUpModel, made_up_tables, marks
from tests.support.written_run import page_of


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Models in both modes, one of them in two trials, and one in one mode."""
    models = [
        MadeUpModel("both-FC", {"simple_python": marks(3, 1), "irrelevance": marks(1)}),
        MadeUpModel("both", {"simple_python": marks(1, 3)}, Mode.PROMPT),
        MadeUpModel("both-FC~2", {"simple_python": marks(4)}),
        MadeUpModel("one", {"simple_python": marks(4)}, Mode.FC),
    ]
    return made_up_tables(tmp_path_factory.mktemp("modes"), models)


@pytest.mark.parametrize(
    ("name", "mode", "shown"),
    [
        ("m", "fc", "m (FC)"),
        ("m", "prompt", "m (Prompt)"),
        ("m (FC)", "fc", "m (FC)"),
        ("m (Prompt + Thinking)", "prompt", "m (Prompt + Thinking)"),
        ("m-FC (trial 2)", "fc", "m-FC (trial 2)"),
        ("m", "", "m"),
        ("m", None, "m"),
    ],
)
def test_a_mode_is_added_to_names_that_lack_it(name: str, mode: str | None, shown: str) -> None:
    """Names of the leaderboard state the mode; others get it once."""
    assert name_with_mode(name, mode) == shown
    assert mode_label(shown, mode) == ""


def test_terminal_and_page_label_the_mode(run: Path) -> None:
    """A name without a mode has it beside it in the terminal, and as a badge on the page."""
    lines = terminal_table(Run(run), Rules.OFFICIAL).splitlines()
    assert [any(f"  {name}  " in line for line in lines) for name in ("one (FC)", "both-FC")] == [
        True,
        True,
    ]
    page = page_of(run)
    assert '<bdi>one</bdi> <span class="badge">FC</span>' in page
    assert "<bdi>both-FC</bdi></th>" in page


def test_a_model_in_both_modes_has_a_row_of_differences(run: Path) -> None:
    """X-FC minus X in points, of each score that both have; trials are paired with equal trials."""
    table = modes(read_run_tables(Run(run), Rules.OFFICIAL))
    assert table is not None
    assert [row[0].value for row in table.rows] == ["both"]
    cells = dict(zip([str(cell.text) for cell in table.head[0]], table.rows[0], strict=True))
    assert str(cells["Non-live"].text).startswith("+")
    assert "Irrelevance" in table.left_out
    assert "with function calling" in cells["Non-live"].title


def test_without_a_pair_there_is_no_table(made_up_run: Path) -> None:
    """A run of single modes has no such table."""
    tables = read_run_tables(Run(made_up_run), Rules.OFFICIAL)
    assert modes(tables) is None
    assert "in both modes" not in render_page(tables)
