"""The section on web search of the page."""

from __future__ import annotations

from typing import Any

import pytest

from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.judge.scoring import web_use
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.report.page.run_tables import RunTables, read_run_tables
from bfcl_pipeline.show.report.page.table import Table
from bfcl_pipeline.show.report.page.web import FAILURES, calls, examples, failures, places, snippets, steps
from tests.support.agentic_run import write_agentic_run
from tests.support.changed_tables import with_rows

BASE, WITHOUT = "web_search_base", "web_search_no_snippet"


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> RunTables:
    run = write_agentic_run(tmp_path_factory.mktemp("web"))
    return read_run_tables(Run(run), Rules.OFFICIAL)


def cells(table: Table | None) -> list[list[tuple[str, str]]]:
    """The texts and notes of the rows of a table."""
    assert table is not None
    return [[(cell.text, cell.note) for cell in row] for row in table.rows]


def linked(entry_id: str) -> str:
    """An entry with the address of its conversation with the model of the run."""
    return f'<code><span data-entry="m">{entry_id}</span></code>'


def test_every_kind_of_failure_has_a_heading() -> None:
    """The page lists the kinds in the order of the registry."""
    assert list(FAILURES) == [*web_use.FAILURES, web_use.NONE_OF_THESE]


def test_the_run_has_each_table_but_that_on_snippets(tables: RunTables) -> None:
    """One category alone is not compared with itself; every table has a row for the model."""
    assert snippets(tables) is None
    for make in (steps, failures, examples, calls, places):
        table = make(tables)
        assert table is not None
        assert {sum(cell.width for cell in heads) for heads in table.head} == {len(table.rows[0])}
    assert [row[3:7] for row in cells(failures(tables))] == [
        [("1", "33 %"), ("1", "33 %"), ("1", "33 %"), ("\N{EN DASH}", "")]
    ]
    shown = [row[1:] for row in cells(examples(tables))]
    assert [("Answer stood on a page", ""), (linked("web_search_base_2"), "")] in shown


def test_a_right_answer_that_stood_nowhere_is_named(tables: RunTables) -> None:
    """The right answer of the run was not in what the model saw."""
    (row,) = cells(places(tables))
    assert row[2] == ("1", "")
    assert row[7] == ("1", linked("web_search_base_3"))


def test_counts_of_calls_are_of_recorded_answers(tables: RunTables) -> None:
    """An answer of which a result is not recorded is in no sum."""
    questions: list[dict[str, Any]] = [dict(row) for row in tables["web_questions"]]
    questions[2] |= dict.fromkeys(("failed_searches", "failed_fetches", "answer_in_page"))
    questions[2]["known"] = False
    (row,) = cells(calls(with_rows(tables, web_questions=questions)))
    assert row[2] == ("3", "of 4")
    assert [text for text, _ in row[3:8]] == ["2", "1", *["\N{EN DASH}"] * 3]


def test_questions_right_only_with_or_without_snippets(tables: RunTables) -> None:
    """The same question is compared in both categories, and the entry that was right is named."""
    rows = [
        {
            **tables["web_questions"][0],
            "category": category,
            "entry_id": f"{category}_{number}",
            "valid": valid,
        }
        for category, right in ((BASE, (True, True, False, False)), (WITHOUT, (True, False, True, False)))
        for number, valid in enumerate(right)
    ]
    (row,) = cells(snippets(with_rows(tables, web_questions=rows)))
    assert row[1:] == [
        ("4", ""),
        ("1", ""),
        ("1", linked(f"{BASE}_1")),
        ("1", linked(f"{WITHOUT}_2")),
        ("1", ""),
    ]


def test_a_run_without_web_questions_has_no_tables(tables: RunTables) -> None:
    """A run without web search has none of the tables."""
    without = with_rows(tables, web_hops=[], web_failures=[], web_questions=[])
    assert [make(without) for make in (steps, failures, examples, calls, places, snippets)] == [None] * 6
