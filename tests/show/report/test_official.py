"""The official CSV files, as far as they can be tested without the official tool."""

from __future__ import annotations

import csv
from pathlib import Path

from bfcl_pipeline.benchmark.definition.leaderboard_files import OFFICIAL_FILES
from tests.support.synthetic_run import MadeUpModel, made_up_tables, marks


def read(run: Path, name: str) -> list[dict[str, str]]:
    with (run / "tables" / "official" / name).open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def test_there_are_six_files_that_end_without_a_line_end(made_up_run: Path) -> None:
    """Each file has one line per model and a header."""
    for file in OFFICIAL_FILES:
        text = (made_up_run / "tables" / "official" / file.name).read_text(encoding="utf-8")
        assert not text.endswith("\n")
        assert text.count("\n") == 4
    assert len(OFFICIAL_FILES) == 6


def test_a_category_that_was_not_evaluated_shows_no_number(made_up_run: Path) -> None:
    """Its own column is N/A, and it counts 0 in the totals that contain it."""
    row = read(made_up_run, "data_overall.csv")[0]
    assert (row["Model"], row["Overall Acc"]) == ("Oracle (Prompt)", "5.83%")
    assert (row["Non-Live AST Acc"], row["Multi Turn Base"], row["Multi Turn Acc"]) == (
        "N/A",
        "N/A",
        "0.00%",
    )
    assert read(made_up_run, "data_non_live.csv")[0]["Python Simple AST"] == "100.00%"


def test_a_name_with_a_comma_stays_in_its_column(made_up_run: Path) -> None:
    """A hostile name does not shift the columns after it."""
    (row,) = [row for row in read(made_up_run, "data_live.csv") if row["Model"].startswith("<script>")]
    assert row["Python Simple AST"] == "0.00%"
    assert None not in row


def test_models_without_the_number_come_last(made_up_run: Path) -> None:
    """Format sensitivity ranks by spread; models without a spread follow, by name."""
    found = read(made_up_run, "data_format_sensitivity.csv")
    assert [row["Format Sensitivity Max Delta"] for row in found] == ["50.0", "N/A", "N/A", "N/A"]


def test_each_file_ranks_by_its_own_score(tmp_path: Path) -> None:
    """The best model in live is first in the live file, even if another is first overall."""
    run = made_up_tables(
        tmp_path,
        [
            MadeUpModel("lively", {"live_multiple": marks(3)}),
            MadeUpModel("agent", {"memory_kv": marks(3), "live_multiple": marks(1, 2)}),
        ],
    )
    assert [row["Model"] for row in read(run, "data_overall.csv")] == ["agent", "lively"]
    assert [row["Model"] for row in read(run, "data_live.csv")] == ["lively", "agent"]
