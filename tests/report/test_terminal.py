"""The V4 table in the terminal."""

from __future__ import annotations

from pathlib import Path

import pytest
from synthetic_run import MadeUpModel, made_up_tables, marks

from bfcl_pipeline.benchmark import CATEGORIES
from bfcl_pipeline.errors import TableError
from bfcl_pipeline.records import Rules
from bfcl_pipeline.report.terminal import WIDTH, plain_text, print_rich, read_terminal_table


@pytest.fixture(scope="module")
def wide_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Models with long and hostile names, complete and perfect, so that every column is at its widest."""
    perfect = {name: marks(2) for name in CATEGORIES}
    names = ["Some-Vendor-Model-Of-Great-Size-2026-02-30 (FC)", "x\x1b[31m\u202ered", "short"]
    return made_up_tables(tmp_path_factory.mktemp("wide"), [MadeUpModel(name, perfect) for name in names])


def test_the_table_fits_in_100_columns(wide_run: Path) -> None:
    """However long the names and full the columns, no line is longer, and the end of a name is kept."""
    text = plain_text(read_terminal_table(wide_run, Rules.OFFICIAL))
    assert max(map(len, text.splitlines())) <= WIDTH
    assert "(FC)" in text


def test_a_rich_table_has_the_same_columns(wide_run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The table for a terminal fits as well and shows the same numbers."""
    print_rich(read_terminal_table(wide_run, Rules.OFFICIAL))
    text = capsys.readouterr().out
    assert max(len(line.rstrip()) for line in text.splitlines()) <= WIDTH
    assert text.count("100.00") == plain_text(read_terminal_table(wide_run, Rules.OFFICIAL)).count("100.00")


def test_models_are_told_apart_before_they_are_made_to_fit(tmp_path: Path) -> None:
    """Names that would look the same in 100 columns keep more of what tells them apart; none is lost."""
    perfect = {name: marks(2) for name in CATEGORIES}
    names = [f"Some-Vendor-Model-Of-Size-{size}-And-Great-Length-2026 (FC)" for size in range(12)]
    run = made_up_tables(tmp_path, [MadeUpModel(name, perfect) for name in names])
    text = plain_text(read_terminal_table(run, Rules.OFFICIAL))
    shown = {line[4:].partition("  ")[0] for line in text.splitlines()[2:14]}
    assert len(shown) == len(names)
    assert max(map(len, text.splitlines())) < WIDTH + 40


def test_a_name_cannot_steer_the_terminal(wide_run: Path) -> None:
    """Escape sequences and direction marks of a model's name are shown as question marks."""
    text = plain_text(read_terminal_table(wide_run, Rules.OFFICIAL))
    assert "x?[31m?red" in text
    assert "\x1b" not in text


def test_partial_scores_are_marked_and_explained(made_up_run: Path) -> None:
    """What counts unevaluated categories as 0 has a star; what has nothing evaluated says N/A."""
    text = plain_text(read_terminal_table(made_up_run, Rules.OFFICIAL))
    oracle = next(line for line in text.splitlines() if "Oracle" in line)
    assert oracle.split()[3:] == ["5.83*", "2.5–5.8", "8.33*", "N/A", "N/A", "N/A", "N/A", "N/A", "50.00*"]
    assert "count 0, as on the leaderboard" in text
    assert "In no score: 2 entries without a verdict." in text


def test_other_rules_show_other_numbers(made_up_run: Path) -> None:
    """The corrected table is ranked and filled by the corrected verdicts."""
    text = plain_text(read_terminal_table(made_up_run, Rules.CORRECTED))
    assert "corrected rules" in text
    assert text != plain_text(read_terminal_table(made_up_run, Rules.OFFICIAL))


def test_a_missing_table_says_how_to_make_it(tmp_path: Path) -> None:
    """The error names the file and the step that writes it."""
    with pytest.raises(TableError, match=r"leaderboard.csv.*bfcl-pipeline aggregate"):
        read_terminal_table(tmp_path, Rules.OFFICIAL)


def test_a_foreign_csv_is_refused(tmp_path: Path) -> None:
    """A file without the columns is an error of the table, not a traceback."""
    path = tmp_path / "tables" / "leaderboard.csv"
    path.parent.mkdir()
    path.write_text("rules,overall\nofficial,1\n")
    with pytest.raises(TableError, match="not a leaderboard table"):
        read_terminal_table(tmp_path, Rules.OFFICIAL)
