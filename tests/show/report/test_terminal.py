"""The V4 table in the terminal."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.report.terminal import WIDTH, print_styled, terminal_table
from tests.support.synthetic_run import MadeUpModel, made_up_tables, marks


@pytest.fixture(scope="module")
def wide_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Perfect models with long and hostile names, so that every column has its largest width."""
    perfect = {name: marks(2) for name in CATEGORIES}
    names = ["Some-Vendor-Model-Of-Great-Size-2026-02-30 (FC)", "x\x1b[31m\u202ered", "short"]
    return made_up_tables(tmp_path_factory.mktemp("wide"), [MadeUpModel(name, perfect) for name in names])


def test_the_table_fits_in_its_width(wide_run: Path) -> None:
    """Long names are cut in the middle, so that no line is longer and the end of a name is shown."""
    text = terminal_table(Run(wide_run), Rules.OFFICIAL)
    assert max(map(len, text.splitlines())) <= WIDTH
    assert "(FC)" in text


def test_a_narrow_terminal_leaves_out_the_last_scores(made_up_run: Path, wide_run: Path) -> None:
    """No line of the table is wider than the terminal; names, overall score and interval stay."""
    text = terminal_table(Run(wide_run), Rules.OFFICIAL, 80)
    head, rule, *rows = text.splitlines()
    assert len(rule) <= 80
    assert head.split()[-3:] == ["Live", "Multi", "Web"]
    assert all(len(row) <= 80 for row in rows[:3])
    assert "Not shown in 80 columns: Mem, Relev, Irrel." in rows
    assert all(len(row) <= 80 for row in rows)
    narrowest = terminal_table(Run(made_up_run), Rules.OFFICIAL, 20).splitlines()[0]
    assert narrowest.split() == ["#", "Model", "Overall", "95", "%", "int."]


def test_a_styled_table_has_the_same_text(wide_run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal the lines are the same, with styles: headings in bold, notes dim."""
    for name in ("NO_COLOR", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    plain = terminal_table(Run(wide_run), Rules.OFFICIAL)
    with contextlib.redirect_stdout(io.StringIO()) as file:
        print_styled(plain)
    styled = file.getvalue()
    assert re.sub(r"\x1b\[[0-9;]*m", "", styled) == f"{plain}\n"
    assert styled.startswith("\x1b[1m#")
    assert (
        "\x1b[2mPer cent, official rules; intervals count entries of one scenario together.\x1b[0m"
        in styled
    )


def test_cut_names_remain_different(tmp_path: Path) -> None:
    """Names that would be equal in that width are cut less, so that every model can be recognized."""
    perfect = {"multiple": marks(2)}
    names = [f"Some-Vendor-Model-Of-Size-{size}-And-Great-Length-2026 (FC)" for size in range(12)]
    run = made_up_tables(tmp_path, [MadeUpModel(name, perfect) for name in names])
    text = terminal_table(Run(run), Rules.OFFICIAL)
    shown = {line.partition(")  ")[2].partition("  ")[0] for line in text.splitlines()[2:14]}
    assert len(shown) == len(names)
    assert max(map(len, text.splitlines())) < WIDTH + 45


def test_a_name_cannot_control_the_terminal(wide_run: Path) -> None:
    """Escape sequences and direction marks of a model's name are shown as question marks."""
    text = terminal_table(Run(wide_run), Rules.OFFICIAL)
    assert "x?[31m?red" in text
    assert "\x1b" not in text


def test_partial_scores_are_marked_and_explained(made_up_run: Path) -> None:
    """A score with unevaluated categories has a star; columns without evaluated ones are left out."""
    text = terminal_table(Run(made_up_run), Rules.OFFICIAL)
    oracle = next(line for line in text.splitlines() if "Oracle" in line)
    assert oracle.split()[4:] == ["5.83*", "2.5–5.8", "8.33*", "N/A", "50.00*"]
    assert "count 0, as on the leaderboard" in text
    assert (
        "In no score: 2 entries without a verdict, 2 not asked, not recorded or of unknown cause." in text
    )


def test_other_rules_show_other_numbers(made_up_run: Path) -> None:
    """The table under corrected rules has the ranks and numbers of the corrected verdicts."""
    text = terminal_table(Run(made_up_run), Rules.CORRECTED)
    assert "corrected rules" in text
    assert text != terminal_table(Run(made_up_run), Rules.OFFICIAL)


def test_the_error_for_a_missing_table_names_the_command(tmp_path: Path) -> None:
    """The error names the file and the command that writes it."""
    with pytest.raises(TableError, match=r"leaderboard.csv.*bfcl-pipeline aggregate"):
        terminal_table(Run(tmp_path), Rules.OFFICIAL)


def test_a_foreign_csv_is_refused(tmp_path: Path) -> None:
    """A file without the columns raises TableError."""
    path = tmp_path / "tables" / "leaderboard.csv"
    path.parent.mkdir()
    for name in ("leaderboard", "categories"):
        path.with_name(f"{name}.csv").write_text("rules,overall\nofficial,1\n")
    with pytest.raises(TableError, match="not a table `leaderboard`"):
        terminal_table(Run(tmp_path), Rules.OFFICIAL)
