"""The tables on memory and web search, and their sections on the page."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from agentic_run import write_agentic_run
from synthetic_run import MadeUpModel, made_up_tables, marks

from bfcl_pipeline.records import Rules
from bfcl_pipeline.report.agentic_columns import AGENTIC_TABLES
from bfcl_pipeline.report.aggregate_run import aggregate_run
from bfcl_pipeline.report.page import render_page
from bfcl_pipeline.report.run_tables import read_run_tables


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_agentic_run(tmp_path_factory.mktemp("agentic"))


def rows(run: Path, table: str) -> list[dict[str, Any]]:
    return pq.read_table(run / "tables" / f"{table}.parquet").to_pylist()


def test_every_table_has_the_documented_columns(run: Path) -> None:
    """Parquet and CSV agree on columns and number of rows."""
    for name, schema in AGENTIC_TABLES.items():
        table = pq.read_table(run / "tables" / f"{name}.parquet")
        assert table.schema.equals(schema)
        with (run / "tables" / f"{name}.csv").open(newline="", encoding="utf-8") as lines:
            header, *body = csv.reader(lines)
        assert header == schema.names
        assert len(body) == table.num_rows > 0


def test_a_scenario_has_its_own_accuracy(run: Path) -> None:
    """Of three questions, one right, one wrong, one lost: a half, with an interval."""
    (row,) = rows(run, "memory_domains")
    assert (row["category"], row["scenario"]) == ("memory_kv", "student")
    assert (row["entries"], row["answered"], row["correct"], row["accuracy"]) == (3, 2, 1, 0.5)
    assert row["ci_low"] < 0.5 < row["ci_high"]


def test_calls_of_a_memory_are_counted_by_what_they_do(run: Path) -> None:
    """Sessions and questions are counted apart; a call that fails when made again is an error."""
    (row,) = rows(run, "memory_use")
    assert (row["sessions"], row["sessions_held"], row["questions"]) == (2, 2, 3)
    assert (row["adds"], row["clears"], row["replaces"], row["removes"]) == (3, 1, 0, 0)
    assert (row["core_calls"], row["archival_calls"], row["errors"]) == (3, 1, 1)
    assert (row["core_entries"], row["archival_entries"], row["characters"]) == (0, 1, len("pet: a cat"))
    assert (row["question_searches"], row["question_retrievals"], row["question_errors"]) == (1, 1, 1)


def test_a_fact_that_was_deleted_before_it_was_asked_for_is_lost(run: Path) -> None:
    """Two of three facts were stored once, one is left."""
    (row,) = rows(run, "memory_use")
    assert (row["stored"], row["kept"], row["lost"]) == (2, 1, 1)


def test_web_questions_are_told_apart_by_hops(run: Path) -> None:
    """Accuracy and means for each number of hops, and which web it was."""
    found = rows(run, "web_hops")
    assert [(row["hops"], row["entries"], row["accuracy"], row["web"]) for row in found] == [
        (2, 2, 0.0, "simulated"),
        (3, 2, 0.5, "simulated"),
    ]
    assert [(row["mean_steps"], row["mean_searches"], row["mean_fetches"]) for row in found] == [
        (1.5, 0.5, 0.0),
        (2.5, 1.0, 0.5),
    ]


def test_failures_are_counted_of_the_wrong_answers(run: Path) -> None:
    """The right answer, which did not fetch either, is not counted; one may fail in several ways."""
    found = {row["failure"]: (row["count"], row["example_entry_id"]) for row in rows(run, "web_failures")}
    assert found == {
        "no_search": (1, "web_search_base_0"),
        "pasted_question": (1, "web_search_base_1"),
        "never_fetched": (1, "web_search_base_1"),
        "none_of_these": (1, "web_search_base_2"),
    }
    assert {row["wrong"] for row in rows(run, "web_failures")} == {3}


def test_the_page_shows_memory_and_web_search(run: Path) -> None:
    """Both sections are there, and every number from the simulated web is marked in them."""
    page = render_page(read_run_tables(run, Rules.OFFICIAL))
    assert 'id="memory"' in page
    section = page[page.index('id="web"') :]
    assert "50.0†" in section
    assert "web_search_base†<small>web: simulated</small>" in section


def test_a_run_without_them_has_neither_tables_nor_sections(tmp_path: Path) -> None:
    """What an earlier configuration left is removed."""
    run = made_up_tables(tmp_path, [MadeUpModel("m", {"multiple": marks(1)})])
    assert not [name for name in AGENTIC_TABLES if (run / "tables" / f"{name}.parquet").exists()]
    page = render_page(read_run_tables(run, Rules.OFFICIAL))
    assert 'id="memory"' not in page
    assert 'id="web"' not in page


def test_tables_that_an_earlier_configuration_left_are_removed(tmp_path: Path, run: Path) -> None:
    """Once no session is there any more, nothing is told of the use of memory."""
    copied = tmp_path / "run"
    shutil.copytree(run, copied)
    shutil.rmtree(copied / "memory")
    aggregate_run(copied, run.parent / "data", run.parent / "models.yaml", Rules.OFFICIAL)
    assert not (copied / "tables" / "memory_use.csv").exists()
    assert (copied / "tables" / "memory_domains.csv").exists()
    assert "At the questions" not in render_page(read_run_tables(copied, Rules.OFFICIAL))


def test_verdicts_without_answers_say_nothing_of_the_calls(tmp_path: Path, run: Path) -> None:
    """Accuracy is told by hops; who sees no answer does not say that nobody searched."""
    copied = tmp_path / "run"
    shutil.copytree(run, copied)
    shutil.rmtree(copied / "responses")
    aggregate_run(copied, run.parent / "data", run.parent / "models.yaml", Rules.OFFICIAL)
    found = [(row["accuracy"], row["mean_steps"]) for row in rows(copied, "web_hops")]
    assert found == [(0.0, None), (0.5, None)]
    assert not (copied / "tables" / "web_failures.parquet").exists()
    assert "steps N/A" in render_page(read_run_tables(copied, Rules.OFFICIAL))


def test_scores_need_no_staged_entries(tmp_path: Path, run: Path) -> None:
    """Verdicts from elsewhere are added up where nothing is staged; there is just no analysis."""
    copied = tmp_path / "run"
    shutil.copytree(run, copied)
    aggregate_run(copied, tmp_path, run.parent / "models.yaml", Rules.OFFICIAL)
    assert (copied / "tables" / "leaderboard.csv").exists()
    assert not (copied / "tables" / "web_hops.csv").exists()
