"""The section of the page on memory questions."""

from __future__ import annotations

from pathlib import Path

import pytest

from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.judge.scoring.memory_outcomes import Pattern, Reason
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.report.page.memory import (
    PATTERNS,
    REASONS,
    memory_examples,
    memory_failures,
    memory_parts,
    memory_spread,
)
from bfcl_pipeline.show.report.page.run_tables import RunTables, read_run_tables
from bfcl_pipeline.show.report.page.table import entry_link, linked_entry
from tests.support.agentic_run import write_agentic_run
from tests.support.changed_tables import with_rows


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_agentic_run(tmp_path)


@pytest.fixture
def tables(run: Path) -> RunTables:
    return read_run_tables(Run(run), Rules.OFFICIAL)


def test_every_reason_and_pattern_has_a_heading() -> None:
    """A new reason or pattern without a heading would break the page."""
    assert set(REASONS) == set(Reason)
    assert set(PATTERNS) == set(Pattern)


def test_a_count_leads_to_the_first_wrong_answer(tables: RunTables) -> None:
    """The deleted fact of the run is counted, with its share, its entry and a link."""
    failures = memory_failures(tables)
    assert failures is not None
    titles = [cell.text for cell in failures.head[0]]
    cell = failures.rows[0][titles.index("Deleted")]
    assert cell.link == "#m/memory_kv_0-student-0"
    assert (cell.text, cell.value, cell.note) == ("1", 1, "100 %")
    assert memory_examples(tables, many=True) is None
    examples = memory_examples(tables, many=False)
    assert examples is not None
    assert [row[1].text for row in examples.rows] == ["Deleted"]


def test_a_link_has_no_markup_of_a_model() -> None:
    """Names are encoded in the address and escaped in the text."""
    assert entry_link("x/<i>", 'a/b"><script>', "c+d e") == "#a%2Fb%22%3E%3Cscript%3E+c%2Bd%20e/x%2F%3Ci%3E"
    linked = linked_entry("<i>", 'a"><script>')
    assert linked == '<code><span data-entry="a%22%3E%3Cscript%3E">&lt;i&gt;</span></code>'


def test_accuracy_by_part_stands_beside_the_pattern(tables: RunTables) -> None:
    """The kept fact was answered right, the lost one was not."""
    parts = memory_parts(tables)
    assert parts is not None
    (row,) = parts.rows
    assert [cell.text for cell in row][2:] == [
        "core and archival",
        "2",
        "1",
        "1.00",
        "100",
        "0.0",
        "\N{EN DASH}",
        "\N{EN DASH}",
    ]


def test_best_and_worst_are_shown_with_their_models(tables: RunTables) -> None:
    """The difference is in percentage points."""
    spread = {
        "category": "memory",
        "models": 2,
        "best": 0.5,
        "best_model": "m",
        "worst": 0.25,
        "worst_model": "m",
        "difference": 0.25,
        "mean": 0.375,
    }
    table = memory_spread(with_rows(tables, memory_backends=[spread]))
    assert table is not None
    assert [cell.text for cell in table.rows[0]] == ["all three", "2", "50.0", "25.0", "25.0", "37.5"]
