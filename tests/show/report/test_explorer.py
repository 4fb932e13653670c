"""The data of the list of entries: verdicts by character, conversations as blocks, files of the page.

The run also has entries whose calls are executed to score them, and a hostile answer to one of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bfcl_pipeline.benchmark.config.choices import ShownEntries
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.benchmark.tables import read_responses, write_responses
from bfcl_pipeline.cli import main
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.report.explorer import explorer as explorer_module
from bfcl_pipeline.show.report.explorer.conversations import Block, conversations, records_block
from bfcl_pipeline.show.report.explorer.explorer import make_explorer
from bfcl_pipeline.show.report.explorer.index import FIRST_CODE, read_index
from bfcl_pipeline.show.report.page.render import write_page
from bfcl_pipeline.show.report.page.run_tables import read_run_tables
from tests.support.explored_run import ENTRIES as PLAYED
from tests.support.explored_run import MODELS, make_explored_run, unpacked, with_items
from tests.support.few_entries import stage_few
from tests.support.run_form import recorded
from tests.support.synthetic_run import MadeUpModel, Marks, made_up_tables

EXECUTED = ("exec_simple_3", "exec_parallel_multiple_3", "rest_69", "sql_3", "chatable_3")
ENTRIES = (*PLAYED, *EXECUTED)

HOSTILE = "<img src=x onerror=run()></script>\u202e\x1b[31m" + "W" * 100_000

STYLE = ":is(.value, .request) > .text"
"""Part of the style of executed calls."""

NONE = "under each rule set. This report was made without conversations."
"""What the page says above the list if it has none."""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory, staged: Path) -> Path:
    """A staged release with the entries of the run only."""
    return stage_few(tmp_path_factory.mktemp("few") / "data", staged, ENTRIES)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, data: Path) -> Path:
    """A small run of embedded models, one answer of which is hostile; read-only but for its page."""
    folder = tmp_path_factory.mktemp("explored") / "small"
    make_explored_run(folder, data, ENTRIES)
    path = folder / "responses" / "lexical" / "exec_simple.parquet"
    (answer,) = read_responses(path)
    calls = f"[calculate_cosine_similarity(vectorA={HOSTILE!r}, vectorB=[1])]"
    write_responses(path, [replace(answer, result_json=json.dumps(calls))])
    return folder


@pytest.fixture(scope="module")
def every(run: Path, data: Path) -> dict[str, Any]:
    """All conversations of the run, by block."""
    return blocks(run, data, ShownEntries.ALL)


def test_a_block_holds_any_text_in_letters_of_base64() -> None:
    """Markup, quotes, lone surrogates and all planes come back; no letter of a block ends a script."""
    value = {"a": ["</script>\"'\\\n", "\U0001f600\u202e"], "b": [None, True, 1.5]}
    block = Block.of(value)
    assert re.fullmatch(r"[A-Za-z0-9+/=]+", block.text)
    assert unpacked(block.text) == value
    assert unpacked(Block.of(["\ud83d"]).text) == ["\ufffd"]
    assert Block.of(value) == block
    assert block.script("e1") == f'bfcl_data("e1","{block.digest}","{block.text}");\n'


def test_items_that_occur_twice_are_stored_once() -> None:
    """What stands in their place leads back to equal records; other numbers stay as they are."""
    twice = {"kind": "memory", "text": "a", "label": "k"}
    records = {
        "x": {
            "turns": [{"steps": [twice, {"kind": "text", "text": "b"}], "missing": [0, 1]}],
            "verdicts": [{"valid": False, "turn": 0}],
        },
        "y": {"memories": [{"title": "t", "texts": [twice]}], "verdicts": [{"valid": None}]},
    }
    document = unpacked(records_block(records).text)
    assert document["items"] == [twice]
    assert document["records"]["y"]["memories"][0]["texts"] == [{"item": 0}]
    assert document["records"]["x"]["verdicts"] == [{"valid": False, "turn": 0}]
    assert with_items(document["records"], document["items"]) == records


def test_each_verdict_is_one_character(tmp_path: Path) -> None:
    """Status, validity and error type of each entry, model and rule set; a space for what was not asked."""
    models = [
        MadeUpModel("a", {"multiple": Marks([True, False, None], corrected=[True, True, None])}),
        MadeUpModel("b", {"parallel": Marks([False])}),
    ]
    folder = made_up_tables(tmp_path, models)
    index = read_index(Run(folder, data=folder), ["a", "b", "never"])
    assert [(one.name, one.entry_ids) for one in index.categories] == [
        ("multiple", ["multiple_0", "multiple_1", "multiple_2"]),
        ("parallel", ["parallel_0"]),
    ]
    told = [
        [index.codes[ord(mark) - FIRST_CODE][1] for mark in text]
        for text in index.verdicts["a"]["multiple"]
    ]
    assert told == [[True, False, None], [True, True, None], [True, True, None]]
    assert list(index.verdicts["b"]) == ["parallel"]
    assert index.codes[ord(index.verdicts["b"]["parallel"][0]) - FIRST_CODE][2] == "value_error:string"
    assert index.wanted("a", index.categories[0]) == ["multiple_1", "multiple_2"]
    assert index.asked("a", index.categories[0]) == ["multiple_0", "multiple_1", "multiple_2"]
    assert index.asked("b", index.categories[0]) == []


def test_the_index_has_the_first_words_and_the_sessions(run: Path, data: Path) -> None:
    """Entries in the order of the release, with their questions, and the sessions of memories apart."""
    index = read_index(Run(run, data=data), MODELS)
    listed = [entry_id for one in index.categories for entry_id in one.entry_ids]
    assert sorted(listed) == sorted(ENTRIES)
    assert all(0 < len(words) <= 120 for one in index.categories for words in one.words)
    (memory,) = [one for one in index.categories if one.sessions]
    assert memory.name == "memory_kv"
    assert all("prereq" in entry_id for entry_id in memory.sessions)


def blocks(run: Path, data: Path, shown: ShownEntries, *pairs: tuple[str, str]) -> dict[str, Any]:
    """The records of the conversations of a run, by block."""
    index = read_index(Run(run, data=data), MODELS)
    found = conversations(Run(run, run / "cache", data), index, shown, pairs)
    documents = {name: unpacked(block.text) for name, block in found}
    return {name: with_items(one["records"], one["items"]) for name, one in documents.items()}


def answered(found: dict[str, Any], model: int) -> set[str]:
    """The entries of which a model's conversation is there, without sessions."""
    own = [records for name, records in found.items() if name.startswith(f"a{model}c")]
    return {entry_id for records in own for entry_id in records if "prereq" not in entry_id}


def test_conversations_are_chosen_by_verdict(run: Path, data: Path, every: dict[str, Any]) -> None:
    """All; none; those that a model has wrong; of compared models also those that the other has wrong."""
    assert answered(every, 0) == answered(every, 1) == set(ENTRIES)
    assert blocks(run, data, ShownEntries.NONE) == {}
    wrong = blocks(run, data, ShownEntries.WRONG)
    assert answered(wrong, 0) < answered(wrong, 1) < set(ENTRIES)
    pair = blocks(run, data, ShownEntries.WRONG, MODELS)
    assert answered(pair, 0) == answered(pair, 1) == answered(wrong, 1) | answered(wrong, 0)


def test_several_processes_make_the_same_blocks(run: Path, data: Path) -> None:
    """In the same order; the number of conversations that are done grows up to that of all."""
    index = read_index(Run(run, data=data), MODELS)
    told: list[tuple[int, int]] = []
    found = [
        [
            (name, block.text)
            for name, block in conversations(
                Run(run, run / "cache", data),
                index,
                ShownEntries.ALL,
                processes=processes,
                per_process=1,
                told=lambda done, count: told.append((done, count)),
            )
        ]
        for processes in (1, 2)
    ]
    assert found[0] == found[1]
    assert told[: len(told) // 2] == told[len(told) // 2 :]
    assert [done for done, _ in told] == sorted(done for done, _ in told[: len(told) // 2]) * 2
    assert told[-1][0] == told[-1][1] > len(ENTRIES)


@pytest.fixture(scope="module")
def record_of(run: Path, data: Path, every: dict[str, Any]) -> Callable[[str, str], Any]:
    """A function for the records of a block of a category: of its entries (`e`), or answers (`a0c`)."""
    places = [one.name for one in read_index(Run(run, data=data), MODELS).categories]
    return lambda kind, category: every[f"{kind}{places.index(category)}"]


def test_sessions_before_a_shown_question_are_shown(record_of: Callable[[str, str], Any]) -> None:
    """With the memory after each, and every entry of an answer has a record."""
    answers, entries = record_of("a1c", "memory_kv"), record_of("e", "memory_kv")
    (question,) = (name for name in answers if "prereq" not in name)
    assert set(answers[question]["sessions"]) == set(answers) - {question}
    assert set(answers) == set(entries)


@pytest.mark.usefixtures("without_figures")
def test_large_conversations_lie_beside_the_page(
    run: Path, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In report/, one script file per block; the page then has the list alone and may load scripts."""
    tables = read_run_tables(Run(run), Rules.OFFICIAL)
    within = make_explorer(Run(run, tmp_path, data), tables, ShownEntries.ALL)
    assert list((run / "report").iterdir()) == []
    assert not within.beside
    monkeypatch.setattr(explorer_module, "MOST_WITHIN", 0)
    beside = make_explorer(Run(run, tmp_path, data), tables, ShownEntries.ALL)
    names = {path.name for path in (run / "report").iterdir()}
    assert names == {f"{name}.js" for name in within.blocks} - {"index.js"}
    assert list(beside.blocks) == ["index"]
    assert beside.beside
    first = (run / "report" / "e0.js").read_text()
    assert within.blocks["e0"] in first
    page = write_page(Run(run, tmp_path, data), Rules.OFFICIAL, shown=ShownEntries.ALL)
    assert "strict-dynamic" in page.read_text()
    monkeypatch.undo()
    page = write_page(Run(run, tmp_path, data), Rules.OFFICIAL, shown=ShownEntries.ALL)
    assert "strict-dynamic" not in page.read_text()
    assert list((run / "report").iterdir()) == []


@pytest.mark.usefixtures("without_figures")
def test_the_data_are_the_same_bytes_twice(
    run: Path, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page, and every file beside it."""
    monkeypatch.setattr(explorer_module, "MOST_WITHIN", 0)
    written = []
    for _ in range(2):
        page = write_page(Run(run, tmp_path, data), Rules.OFFICIAL, shown=ShownEntries.ALL)
        files = sorted((run / "report").iterdir())
        written.append([page.read_bytes(), *((path.name, path.read_bytes()) for path in files)])
    assert written[0] == written[1]
    assert len(written[0]) > 10


@pytest.mark.usefixtures("without_figures")
def test_without_the_release_the_list_is_there(tmp_path: Path) -> None:
    """A page made where nothing is staged lists ids and verdicts, and says that it has no conversations."""
    folder = made_up_tables(tmp_path, [MadeUpModel("a", {"multiple": Marks([True, False])})])
    page = write_page(Run(folder, tmp_path / "cache", tmp_path / "nowhere"), Rules.OFFICIAL).read_text()
    assert NONE in page
    (text,) = re.findall(r'id="bfcl-index">([^<]*)<', page)
    document = unpacked(text)
    assert document["categories"][0]["ids"] == ["multiple_0", "multiple_1"]
    assert document["blocks"] == {}


@pytest.mark.usefixtures("without_figures")
def test_the_choice_is_that_of_the_config_unless_given(
    run: Path, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`report` reads report.entries of the recorded config; --entries overrides it."""
    command = ["report", str(run), "--data", str(data), "--cache", str(tmp_path)]
    config = run / "config.yaml"
    try:
        config.write_text(recorded("report: {entries: none}\n"))
        assert main(command) == 0
        assert NONE in (run / "report.html").read_text()
        assert main([*command, "--entries", "all"]) == 0
        assert NONE not in (run / "report.html").read_text()
        config.write_text(recorded("report: {entries: some}\n"))
        assert main(command) == 1
        assert "report.entries: expected wrong or all or none, got" in capsys.readouterr().err
    finally:
        config.unlink()


def test_an_entry_and_its_answer_have_the_values_of_their_calls(
    record_of: Callable[[str, str], Any],
) -> None:
    """The records are those of the terminal, with more room for each text."""
    (entry,) = record_of("e", "exec_parallel_multiple").values()
    (answer,) = record_of("a0c", "exec_parallel_multiple").values()
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


def test_a_hostile_argument_is_a_bounded_text(record_of: Callable[[str, str], Any]) -> None:
    """Invisible characters are spelled out, and no text is longer than a page shows."""
    (answer,) = record_of("a1c", "exec_simple").values()
    texts = [item["text"] for item in answer["answer"]]
    assert all(text.isprintable() and len(text) < 20_100 for text in texts)
    assert any("\\x1b[31m" in text and "\\u202e" in text for text in texts)


@pytest.mark.usefixtures("without_figures")
def test_only_a_page_with_executed_calls_has_their_style(run: Path, data: Path, tmp_path: Path) -> None:
    """A page of V4 alone has not a byte more; a page with such entries makes no request either."""
    page = write_page(Run(run, run / "cache", data), Rules.OFFICIAL, shown=ShownEntries.ALL).read_text()
    assert STYLE in page
    assert 'content="default-src &#39;none&#39;' in page
    assert "strict-dynamic" not in page
    plain = tmp_path / "plain"
    make_explored_run(plain, data, PLAYED[:1])
    assert STYLE not in write_page(Run(plain, run / "cache", data), Rules.OFFICIAL).read_text()
