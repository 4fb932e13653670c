"""The list of entries with entries whose calls are executed: their conversations and their style."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bfcl_pipeline.benchmark.config.choices import ShownEntries
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.benchmark.tables import read_responses, write_responses
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.report.explorer.conversations import conversations
from bfcl_pipeline.show.report.explorer.index import read_index
from bfcl_pipeline.show.report.page.render import write_page
from tests.support.explored_run import MODELS, make_explored_run, unpacked, with_items
from tests.support.few_entries import stage_few

ENTRIES = (
    "simple_python_0",
    "exec_simple_3",
    "exec_parallel_multiple_3",
    "rest_69",
    "sql_3",
    "chatable_3",
)

HOSTILE = "<img src=x onerror=run()></script>\u202e\x1b[31m" + "W" * 100_000

STYLE = ":is(.value, .request) > .text"
"""Part of the style of executed calls."""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory, staged: Path) -> Path:
    """A staged release with the entries of the run only."""
    return stage_few(tmp_path_factory.mktemp("few") / "data", staged, ENTRIES)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, data: Path) -> Path:
    """A small run of embedded models, one answer of which is hostile; read-only but for its page."""
    folder = tmp_path_factory.mktemp("executed") / "small"
    make_explored_run(folder, data, ENTRIES)
    path = folder / "responses" / "lexical" / "exec_simple.parquet"
    (answer,) = read_responses(path)
    calls = f"[calculate_cosine_similarity(vectorA={HOSTILE!r}, vectorB=[1])]"
    write_responses(path, [replace(answer, result_json=json.dumps(calls))])
    return folder


def blocks(run: Path, data: Path, processes: int = 1) -> dict[str, str]:
    """The blocks of all conversations of a run, by name."""
    index = read_index(Run(run, data=data), MODELS)
    found = conversations(
        Run(run, run / "cache", data), index, ShownEntries.ALL, processes=processes, per_process=1
    )
    return {name: block.text for name, block in found}


@pytest.fixture(scope="module")
def made(run: Path, data: Path) -> dict[str, str]:
    """The blocks that one process makes."""
    return blocks(run, data)


@pytest.fixture(scope="module")
def records(run: Path, data: Path, made: dict[str, str]) -> Callable[[str, str], Any]:
    """A function for the records of a block of a category: of its entries, or of the answers of a model."""
    places = [one.name for one in read_index(Run(run, data=data), MODELS).categories]

    def of(kind: str, category: str) -> Any:
        prefix = "e" if kind == "entries" else f"a{MODELS.index(kind)}c"
        block = unpacked(made[f"{prefix}{places.index(category)}"])
        return with_items(block["records"], block["items"])

    return of


def test_an_entry_and_its_answer_have_the_values_of_their_calls(records: Callable[[str, str], Any]) -> None:
    """The records are those of the terminal, with more room for each text."""
    entry = records("entries", "exec_parallel_multiple")["exec_parallel_multiple_3"]
    answer = records("oracle", "exec_parallel_multiple")["exec_parallel_multiple_3"]
    assert [item["kind"] for item in entry["accepted"]] == [
        *("call", "request", "note", "value", "note"),
        *("call", "value", "note"),
    ]
    assert [item.get("label") for item in answer["answer"]] == [
        *("answer 1", "request", "from", "value", "fits"),
        *("answer 2", "value", "fits"),
    ]
    assert "more characters)" not in entry["accepted"][3]["text"]
    assert "turns" not in answer


def test_every_entry_of_the_run_has_a_record(
    run: Path, data: Path, records: Callable[[str, str], Any]
) -> None:
    """SQL questions and chats are single turns as those of V4."""
    index = read_index(Run(run, data=data), MODELS)
    assert [entry_id for one in index.categories for entry_id in one.entry_ids] == list(ENTRIES)
    for one in index.categories:
        for kind in ("entries", *MODELS):
            assert set(records(kind, one.name)) == set(one.entry_ids)


def test_a_hostile_argument_is_a_bounded_text(records: Callable[[str, str], Any]) -> None:
    """Invisible characters are spelled out, and no text is longer than a page shows."""
    answer = records("lexical", "exec_simple")["exec_simple_3"]
    texts = [item["text"] for item in answer["answer"]]
    assert all(text.isprintable() and len(text) < 20_100 for text in texts)
    assert any("\\x1b[31m" in text and "\\u202e" in text for text in texts)


def test_several_processes_execute_the_same_calls(run: Path, data: Path, made: dict[str, str]) -> None:
    """The blocks do not depend on the number of processes."""
    assert blocks(run, data, processes=2) == made


@pytest.mark.usefixtures("without_figures")
def test_only_a_page_with_executed_calls_has_their_style(run: Path, data: Path, tmp_path: Path) -> None:
    """A page of V4 alone has not a byte more; a page with such entries makes no request either."""
    page = write_page(Run(run, run / "cache", data), Rules.OFFICIAL, shown=ShownEntries.ALL).read_text()
    assert STYLE in page
    assert 'content="default-src &#39;none&#39;' in page
    assert "strict-dynamic" not in page
    plain = tmp_path / "plain"
    make_explored_run(plain, data, ENTRIES[:1])
    assert STYLE not in write_page(Run(plain, run / "cache", data), Rules.OFFICIAL).read_text()
