"""`bfcl-pipeline diff` of two runs: where their conversations part."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
import yaml

from bfcl_pipeline.benchmark.tables import (
    entries_path,
    read_entries,
    read_responses,
    read_table,
    write_entries,
)
from bfcl_pipeline.benchmark.tables.files import write_table
from bfcl_pipeline.cli import main
from bfcl_pipeline.runs.provenance import FOLDER, provenance_path, read_provenance
from bfcl_pipeline.world.tools.web_search.web import Hit, Hits
from bfcl_pipeline.world.web.cache import WebCache
from bfcl_pipeline.world.web.coverage import web_keys
from tests.show.compare.diff.made_run import CONVERSATION, MODEL, MadeRun, first_run
from tests.support.local_chat import LocalChat
from tests.support.run_form import recorded
from tests.support.web_record import record_outcome

WEB_ENTRY = "web_search_base_0"
TIME = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)

Message = dict[str, Any]


class Diff:
    """The command on two runs; what it printed, its status, and its first differences."""

    def __init__(
        self,
        one: MadeRun,
        two: MadeRun,
        capsys: pytest.CaptureFixture[str],
        *options: str,
        data: Path | None = None,
    ) -> None:
        out = two.folder / "diff.json"
        places = ["--data", str(data or one.staged), "--cache", str(one.cache), "--out", str(out)]
        places += ["--other-cache", str(two.cache), "--other-data", str(data or two.staged)]
        capsys.readouterr()
        self.status = main(["diff", str(one.results), str(two.results), *places, *options])
        self.printed = capsys.readouterr()
        self.document = json.loads(out.read_text()) if out.is_file() else {}

    @property
    def rows(self) -> dict[str, dict[str, Any]]:
        """The rows of all pairs of models, by entry."""
        return {row["entry_id"]: row for model in self.document["models"] for row in model["entries"]}

    def parts(self, entry_id: str) -> tuple[str, int | None, str]:
        """What the first difference of an entry is in, its request, and the place."""
        row = self.rows[entry_id]
        return row["difference"], row["request"], row["place"]


def changed_calls(arguments: str) -> Callable[[Message], None]:
    """Gives the first call other arguments."""

    def change(message: Message) -> None:
        message["tool_calls"][0]["function"]["arguments"] = arguments

    return change


def test_a_run_does_not_differ_from_its_repetition(
    first: MadeRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Asked again by another server process or not: equal answers, verdicts and requests, status 0."""
    again = MadeRun(tmp_path / "again", first.staged, first.endpoint).make()
    found = Diff(first, again, capsys)
    assert found.status == 0
    assert "chat-FC: the same answers and verdicts (3 entries, 12 requests)" in found.printed.out
    assert "settings    the same" in found.printed.out
    assert {row["difference"] for row in found.rows.values()} == {"same"}
    assert found.document["same"] is True


def test_another_call_in_a_conversation_is_found_where_it_was_made(
    first: MadeRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The second answer is changed: that is the first difference, not what follows from it."""
    other = first.copy(tmp_path / "other")
    other.answer_otherwise(CONVERSATION, 2, changed_calls('{"tweet_id": 99}'))
    found = Diff(first, other.make(), capsys)
    assert found.status == 1
    assert found.parts(CONVERSATION) == ("calls", 2, "")
    row = found.rows[CONVERSATION]
    assert (row["first_value"], row["second_value"]) == (
        "get_tweet_comments(tweet_id=8)",
        "get_tweet_comments(tweet_id=99)",
    )
    assert "request 2 (turn 1): get_tweet_comments(tweet_id=8) | get_tweet" in found.printed.out
    assert "answers     1 of 3 differ (multi_turn_base 1)" in found.printed.out
    assert "requests    the same until answers differ" in found.printed.out
    assert "A: " in found.printed.out.split("parts at")[1], "the paired comparison follows"


@pytest.mark.parametrize("other_spelling", ['{ "tweet_id" :8 }', '{"tweet_id": 8.0}'])
def test_equal_calls_in_another_spelling_are_another_text(
    other_spelling: str, first: MadeRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """White space is not another call; another type of a value is."""
    other = first.copy(tmp_path / "other")
    other.answer_otherwise(CONVERSATION, 2, changed_calls(other_spelling))
    found = Diff(first, other.make(), capsys)
    kind = "calls" if "8.0" in other_spelling else "text"
    assert found.parts(CONVERSATION) == (kind, 2, "")
    assert found.status == 1


def test_another_text_is_shown_from_where_it_differs(
    first: MadeRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Control characters of an answer are escaped."""
    other = first.copy(tmp_path / "other")
    texts = [
        read.result_json
        for read in read_responses(first.results / "responses/chat-FC/multi_turn_base.parquet")
    ]
    number = next(
        place
        for place, step in enumerate((s for turn in json.loads(texts[0] or "") for s in turn), 1)
        if isinstance(step, str)
    )

    def change(message: Message) -> None:
        message["content"] += "\x1b[31m and more"

    other.answer_otherwise(CONVERSATION, number, change)
    found = Diff(first, other.make(), capsys)
    assert found.parts(CONVERSATION) == ("text", number, "")
    assert "\x1b" not in found.printed.out
    assert "\\x1b[31m and more" in found.printed.out


def test_options_are_named_once_and_do_not_hide_answers(
    first: MadeRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another temperature is in each request; the ids of its calls differ, too. The answers are equal."""
    warm = MadeRun(tmp_path / "warm", first.staged, first.endpoint, row={"options": {"temperature": 0.9}})
    found = Diff(first, warm.make(), capsys)
    assert found.status == 0
    assert found.document["models"][0]["options"] == [{"name": "temperature", "a": 0.001, "b": 0.9}]
    assert found.document["models"][0]["row"] == [{"name": "options.temperature", "a": None, "b": 0.9}]
    assert "temperature: 0.001 | 0.9" in found.printed.out
    assert found.parts(CONVERSATION) == ("same", None, "")


@pytest.mark.parametrize(
    ("model", "row", "explained", "attributed"),
    [
        ("chat-FC", {}, "by nothing but noise", "1 asked the same, answered otherwise\n"),
        (
            "chat-FC",
            {"options": {"temperature": 0.9}},
            "by options.temperature; or noise",
            "1 asked the same, answered otherwise\n",
        ),
        ("chat", {}, "by nothing but the prompt or noise", "3 asked otherwise: 1 with another verdict\n"),
    ],
)
def test_a_difference_is_attributed(
    model: str,
    row: dict[str, Any],
    explained: str,
    attributed: str,
    first: MadeRun,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Entries are counted by what differs first; settings that are the same explain nothing."""
    other = MadeRun(tmp_path / "other", first.staged, first.endpoint, model=model, row=row).make()
    if model == first.model:
        other.answer_otherwise("simple_python_0", 1, changed_calls('{"base": 1, "height": 1}'))
        other.make()
    printed = Diff(first, other, capsys, "--model", f"chat-FC={model}").printed.out
    assert f"  explained   {explained}\n" in printed
    assert f"  attributed  {attributed}" in printed
    assert ("all of it: these are the same settings, run twice" in printed) == (
        explained == "by nothing but noise"
    )
    assert ("noise       not known (no trials)" in printed) == bool(row or model == "chat")
    assert main(["compare", f"{first.results}:chat-FC", f"{other.results}:{model}"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2] == f"  settings    {'1 difference' if row or model == 'chat' else 'the same'}"
    if not row:  # the journals are elsewhere
        cause = "the prompt or the server" if model == "chat" else "the server"
        assert f"  explained   by nothing but {cause} (not recorded) or noise" in lines


def test_another_function_is_a_difference_of_the_first_request(
    first: MadeRun, server: LocalChat, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The search tool is presented under another name."""
    runs = [
        first_run(tmp_path / name, first.staged, server, config={"search_tool": tool}).make([WEB_ENTRY])
        for name, tool in (("one", "search_engine_query"), ("two", "duckduckgo_search"))
    ]
    found = Diff(runs[0], runs[1], capsys)
    assert found.parts(WEB_ENTRY) == ("request", 1, "functions[0].name")
    row = found.rows[WEB_ENTRY]
    assert (row["first_value"], row["second_value"]) == ("search_engine_query", "duckduckgo_search")
    assert "search_tool: search_engine_query | duckduckgo_search" in found.printed.out
    assert "1 times the request" in found.printed.out


def search_in_words(message: Message) -> None:
    """Makes an answer in prompt mode search."""
    message["content"] = '[search_engine_query(keywords="a b")]'


@pytest.mark.parametrize("model", ["chat-FC", "chat"])
def test_another_result_of_a_search_is_named(
    model: str, first: MadeRun, server: LocalChat, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same call, another recorded outcome: the next request differs by what the call returned."""
    dry = first_run(tmp_path / "dry", first.staged, server, model=model).make([WEB_ENTRY])
    if model == "chat":
        dry.answer_otherwise(WEB_ENTRY, 1, search_in_words)
        dry.make([WEB_ENTRY])
    [asked] = read_responses(dry.results / f"responses/{model}/web_search_base.parquet")
    [key, *_] = web_keys(replace(asked, web="replay"))
    runs = []
    for name in ("one", "two"):
        made = dry.copy(tmp_path / name, config={"web": "replay"})
        hits = Hits((Hit(f"Title {name}", f"https://{name}.example/", "Text"),))
        record_outcome(WebCache(made.cache / "web"), key, hits, TIME)
        runs.append(made.make([WEB_ENTRY]))
    found = Diff(runs[0], runs[1], capsys)
    kind, number, place = found.parts(WEB_ENTRY)
    assert (kind, number) == ("executed result", 2)
    named = "content, result of search_engine_query" if model == "chat-FC" else "content"
    assert place.endswith(named)
    assert "one" in found.rows[WEB_ENTRY]["first_value"]
    assert "two" in found.rows[WEB_ENTRY]["second_value"]
    assert "1 times what a call returned" in found.printed.out


def test_entries_of_one_side_are_listed(
    first: MadeRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are a difference, and the others are compared."""
    other = first.copy(tmp_path / "other").make(["simple_python_1", "simple_python_2"])
    found = Diff(first, other, capsys)
    assert found.status == 1
    assert (
        "only in A: 2 (simple_python 1, multi_turn_base 1): simple_python_0, multi_turn_base_0"
        in found.printed.out
    )
    assert "only in B: 1 (simple_python 1): simple_python_2" in found.printed.out
    assert list(found.rows) == ["simple_python_1"]


def test_models_with_other_names_are_paired_on_request(
    first: MadeRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two runs of one model each are compared anyway; --model names a pair, or refuses it."""
    other = MadeRun(tmp_path / "other", first.staged, first.endpoint, model="new=chat-FC").make()
    assert "chat-FC | new=chat-FC: the same answers" in Diff(first, other, capsys).printed.out
    assert Diff(first, other, capsys, "--model", "chat-FC=new=chat-FC").status == 0
    refused = Diff(first, other, capsys, "--model", "chat-FC=another")
    assert refused.status == 2
    assert "unknown model 'another'" in refused.printed.err


def test_an_entry_without_an_answer_differs_in_its_status(
    first: MadeRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The journal of B lacks the third answer of the conversation."""
    other = first.copy(tmp_path / "other")
    other.answer_otherwise(CONVERSATION, 2, lambda _message: None)
    found = Diff(
        first, other.make(("simple_python_0", "simple_python_1", CONVERSATION), "--replay"), capsys
    )
    assert found.parts(CONVERSATION) == ("status", 3, "")
    row = found.rows[CONVERSATION]
    assert (row["first_value"], row["second_value"]) == ("an answer", "not_recorded")
    assert (row["first_status"], row["second_status"]) == ("answered", "not_recorded")


def test_a_verdict_alone_differs(
    first: MadeRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same conversation, scored otherwise: by other software, or by hand."""
    other = first.copy(tmp_path / "other").make()
    path = other.results / "verdicts/chat-FC.parquet"
    table = read_table(path)
    place = table.column_names.index("valid")
    flipped = pc.invert(table.column("valid"))
    write_table(path, table.set_column(place, table.schema.field("valid"), flipped))
    found = Diff(first, other, capsys)
    assert found.status == 1
    assert found.parts("simple_python_1") == ("verdict", None, "")
    assert (
        "verdicts    official, corrected, verified: only A right 1 (simple_python 1), only B right 2"
        in found.printed.out
    )
    assert "answers     the same" in found.printed.out
    assert (
        "explained   by nothing but other verdicts: both sides are the same exchanges" in found.printed.out
    )
    assert "attributed  3 answered the same, judged otherwise: 3 with another verdict" in found.printed.out
    (other.results / "tables").mkdir()
    key = {"rules": "official", "model": "chat-FC"}
    write_table(other.results / "tables/trials.parquet", pa.Table.from_pylist([key]))
    flaky = {**key, "category": "simple_python", "entry_id": "simple_python_1"}
    write_table(other.results / "tables/flaky.parquet", pa.Table.from_pylist([flaky]))
    assert (
        "1 of 3 other verdicts: entries that trials judge both ways"
        in Diff(first, other, capsys).printed.out
    )


def test_the_data_of_entries_are_compared_if_both_releases_are_staged(
    first: MadeRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another question is a difference of the entry; with one release staged, that is not known."""
    data = tmp_path / "data"
    shutil.copytree(first.staged / "release", data / "release")
    shutil.copytree(first.staged / "entries", data / "entries")
    path = entries_path(data, "simple_python")
    entries = [
        replace(one, turns=(({"role": "user", "content": "Another question"},),))
        if one.entry_id == "simple_python_1"
        else one
        for one in read_entries(path)
    ]
    write_entries(path, entries)
    other = MadeRun(tmp_path / "other", data, first.endpoint).make()
    config = other.results / "config.yaml"
    document = yaml.safe_load(config.read_text())
    document["release"]["version"] = "2027.1.1"
    config.write_text(yaml.safe_dump(document))
    found = Diff(first, other, capsys)
    assert found.parts("simple_python_1") == ("entry", None, "turns[0][0].content")
    assert found.rows["simple_python_1"]["second_value"] == "Another question"
    assert "version: 2026.3.23 | 2027.1.1" in found.printed.out
    assert "not compared: name the staged release" not in found.printed.out
    one_staged = Diff(first, other, capsys, data=first.staged)
    assert "data of entries not compared: name the staged release of B" in one_staged.printed.out
    assert "not derived from the journals of B: 1 conversation; simple_python_1" in one_staged.printed.out


def test_without_the_release_answers_are_compared_alone(
    first: MadeRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No request can be made again: that is said, and a changed answer is found in the table."""
    other = first.copy(tmp_path / "other")
    other.answer_otherwise(CONVERSATION, 2, changed_calls('{"tweet_id": 99}'))
    (tmp_path / "empty").mkdir()
    found = Diff(first, other.make(), capsys, data=tmp_path / "empty")
    assert found.parts(CONVERSATION) == ("calls", 2, "")
    assert "requests    not compared: " in found.printed.out
    assert "simple_python.parquet" in found.printed.out


def test_a_changed_table_does_not_pass_for_the_journal(
    first: MadeRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An answer in the table that the journals contradict is compared, and reported as not derived."""
    other = first.copy(tmp_path / "other").make()
    path = other.results / "responses/chat-FC/simple_python.parquet"
    table = read_table(path)
    place = table.column_names.index("result_json")
    invented = pa.array(["[]"] * len(table), pa.string())
    write_table(path, table.set_column(place, table.schema.field("result_json"), invented))
    found = Diff(first, other, capsys)
    assert "not derived from the journals of B: 2 conversations" in found.printed.out
    assert found.parts("simple_python_1")[0] == "calls"
    assert found.status == 1


def test_an_imported_run_has_answers_alone(
    first: MadeRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It has no journals and no rows; its models are those of its tables."""
    imported = first.copy(tmp_path / "imported").make()
    (imported.results / "models.yaml").unlink()
    (imported.results / "config.yaml").write_text(recorded("run: r\nimported: of a tool\n"))
    found = Diff(first, imported, capsys)
    assert found.status == 0
    assert "chat-FC: the same answers and verdicts (3 entries)" in found.printed.out


def test_what_made_the_answers_is_compared(
    first: MadeRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The jobs of both sides recorded it; the second was of another version."""
    other = first.copy(tmp_path / "other").make()
    [path] = other.journal.parent.glob(f"{FOLDER}/*.json")
    record = read_provenance(path)
    older = replace(record, pipeline=replace(record.pipeline, version="0.0.1"))
    provenance_path(other.journal.parent, older.sha256).write_bytes(older.content())
    other.journal.write_text(other.journal.read_text().replace(record.sha256, older.sha256))
    found = Diff(first, other, capsys)
    [changed] = found.document["models"][0]["made_by"]
    assert (changed["name"], changed["b"]) == ("pipeline.version", "0.0.1")
    assert f"pipeline.version: {changed['a']} | 0.0.1" in found.printed.out
    assert found.status == 0


def test_the_forms_have_the_same_rows(
    first: MadeRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """JSON, Parquet and JSON Lines; another suffix is refused."""
    other = first.copy(tmp_path / "other")
    other.answer_otherwise(CONVERSATION, 2, changed_calls('{"tweet_id": 99}'))
    table, lines = tmp_path / "d.parquet", tmp_path / "d.jsonl"
    found = Diff(first, other.make(), capsys, "--out", str(table), "--out", str(lines))
    rows = list(found.rows.values())
    assert read_table(table).to_pylist() == rows
    assert [json.loads(line) for line in lines.read_text().splitlines()] == rows
    assert Diff(first, other, capsys, "--out", str(tmp_path / "d.txt")).status == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--show", "-1"], "--show: expected 0 or more"),
        (["--model", MODEL + "x"], "unknown model"),
    ],
)
def test_what_cannot_be_done_has_status_2(
    options: list[str], message: str, first: MadeRun, capsys: pytest.CaptureFixture[str]
) -> None:
    """As of `diff`: 1 would say that the runs differ."""
    assert (
        main(["diff", str(first.results), str(first.results), "--data", str(first.staged), *options]) == 2
    )
    assert message in capsys.readouterr().err


def test_a_run_that_does_not_exist_has_status_2(
    first: MadeRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Directories and archives alike."""
    for missing in ("nothing", "nothing.crate.zip"):
        assert main(["diff", str(first.results), str(tmp_path / missing)]) == 2
        assert "nothing" in capsys.readouterr().err
