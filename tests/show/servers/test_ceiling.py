"""The score that a perfect model reaches through a server, without vLLM: a template and our own reader."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Sequence
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from bfcl_pipeline.ask.jobs.captured import Written
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.cli import main
from bfcl_pipeline.show.servers.ceiling import CEILING_CATEGORIES, Ceiling, Measured
from bfcl_pipeline.show.servers.ceiling_text import ceiling_lines
from bfcl_pipeline.show.servers.formats import Format, load_formats
from bfcl_pipeline.show.servers.losses import Loss, ReadAnswer
from bfcl_pipeline.show.servers.reader import read_written
from bfcl_pipeline.show.servers.reading import ServerReading, SGLangRoute
from tests.support.few_entries import stage_few
from tests.support.template_server import TemplateServer

IDS = (
    "simple_python_0",
    "simple_java_3",
    "parallel_0",
    "irrelevance_0",
    "multi_turn_base_0",
    "memory_kv_0-customer-0",
)
CATEGORIES = ("simple_python", "simple_java", "parallel", "irrelevance", "multi_turn_base", "memory_kv")


@pytest.fixture(scope="module")
def measured(staged: Path, tmp_path_factory: pytest.TempPathFactory) -> Measured:
    """Six entries, one of each kind of conversation."""
    few = stage_few(tmp_path_factory.mktemp("few") / "data", staged, IDS)
    return Measured(few, CATEGORIES, Rules.OFFICIAL)


def measure(measured: Measured, server: TemplateServer, pieces: Sequence[int] = (0,)) -> Ceiling:
    return measured.measure(server, pieces, bool)


def reached(ceiling: Ceiling, piece: int = 0) -> dict[str, int]:
    return {reach.category: reach.reached for reach in ceiling.reaches if reach.piece == piece}


@pytest.mark.parametrize("parser", load_formats())
def test_our_own_reader_reads_all_that_a_template_writes(parser: str, measured: Measured) -> None:
    """In each of the forms, of calls of every kind of conversation."""
    ceiling = measure(measured, TemplateServer(parser))
    assert reached(ceiling) == dict.fromkeys(CATEGORIES, 1)
    assert not ceiling.examples


def test_a_lost_call_costs_its_entries_and_no_others(measured: Measured) -> None:
    """The second of two calls: also in a conversation."""
    server = TemplateServer("hermes", lambda reading, _: replace(reading, calls=reading.calls[:1]))
    ceiling = measure(measured, server)
    assert reached(ceiling) == {**dict.fromkeys(CATEGORIES, 1), "parallel": 0, "multi_turn_base": 0}
    lost = [reach.lost for reach in ceiling.reaches if not reach.reached]
    assert lost == [{Loss.CALL_LOST: 1}, {Loss.CALL_LOST: 1}]


def test_a_memory_whose_session_lost_its_facts_is_lost(measured: Measured) -> None:
    """The loss is that of the session before the question."""

    def fault(reading: ServerReading, text: str) -> ServerReading:
        return ServerReading((), text) if "archival_memory_add" in text else reading

    ceiling = measure(measured, TemplateServer("hermes", fault))
    assert reached(ceiling)["memory_kv"] == 0
    assert ceiling.reaches[-1].lost == {Loss.NO_CALL: 1}


def test_only_conversations_that_are_read_otherwise_are_held_again(measured: Measured) -> None:
    """In pieces, an answer that is read as at once is written once."""
    once = TemplateServer("hermes")
    measure(measured, once)
    both = TemplateServer("hermes")
    measure(measured, both, (0, 3))
    assert both.written == once.written
    assert once.read_count < both.read_count <= 2 * once.read_count


def test_a_loss_in_pieces_alone_is_counted_there(measured: Measured) -> None:
    """The conversations that it breaks are held again with it."""

    class Streaming(TemplateServer):
        def read(self, written: Written, tools: Sequence[object], piece: int) -> ServerReading:
            reading = super().read(written, tools, piece)
            return replace(reading, calls=reading.calls[:1]) if piece else reading

    ceiling = measure(measured, Streaming("hermes"), (0, 8))
    assert set(reached(ceiling).values()) == {1}
    assert reached(ceiling, 8) == {**dict.fromkeys(CATEGORIES, 1), "parallel": 0, "multi_turn_base": 0}
    assert {example.piece for example in ceiling.examples.values()} == {8}


def test_the_example_is_as_small_as_the_fault_allows(measured: Measured) -> None:
    """A server that drops values with an `a`: one call, one argument, one letter remain."""

    def fault(reading: ServerReading, _text: str) -> ServerReading:
        calls = []
        for name, text in reading.calls:
            kept = {key: value for key, value in json.loads(text).items() if "a" not in str(value)}
            calls.append((name, json.dumps(kept)))
        return replace(reading, calls=tuple(calls))

    server = TemplateServer("hermes", fault)
    example = measure(measured, server).shrunk(server).examples[Loss.ARGUMENT_LOST]
    ((_, arguments),) = example.meant.calls
    assert list(json.loads(arguments).values()) == ["a"]


def test_the_printed_table_names_causes_and_shows_an_example(measured: Measured) -> None:
    """And the points of the overall score."""
    server = TemplateServer("qwen3_coder", lambda reading, text: ServerReading((), text))
    ceiling = measure(measured, server).shrunk(server)
    printed = "\n".join(ceiling_lines("qwen3_coder", ceiling))
    assert "no call found (at once): the model writes" in printed
    assert "a perfect model reaches 5.00 (at once)" in printed


def test_every_category_that_offers_tools_without_a_web_is_measured() -> None:
    """All of the leaderboard but the two of web search, and the prompts of format sensitivity."""
    assert len(CEILING_CATEGORIES) == 20
    assert not {"web_search_base", "web_search_no_snippet", "format_sensitivity"} & {*CEILING_CATEGORIES}


class SGLang(BaseHTTPRequestHandler):
    """The route `parse_function_call` in its documented form; it loses the second of two calls."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        known = {form.sglang: form for form in load_formats().values()}
        status, answer = (200, {}) if self.path == "/parse_function_call" else (404, {})
        calls = read_written(known[body["tool_call_parser"]], body["text"], body["tools"])
        answer["calls"] = [
            {"tool_index": place, "name": name, "parameters": json.dumps(arguments)}
            for place, (name, arguments) in enumerate(calls[:1])
        ]
        answer["normal_text"] = "" if calls else body["text"]
        content = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Nothing is logged."""


def test_an_sglang_server_reads_what_our_template_writes(
    staged: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By its own name of the parser, at once; a lost call is found, and pieces are refused."""
    with ThreadingHTTPServer(("127.0.0.1", 0), SGLang) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        words = [
            "ceiling",
            "--server",
            f"http://127.0.0.1:{server.server_address[1]}/v1",
            "--data",
            str(staged),
        ]
        words += ["--parser", "llama3_json", "--sample", "2", "--category", "simple_python", "parallel"]
        assert main(words) == 0
        assert main([*words, "--pieces", "3"]) == 1
        server.shutdown()
        thread.join()
    printed = capsys.readouterr()
    assert ", SGLang's parser llama3, official rules" in printed.out
    assert re.search(r"simple_python +2 +100\nparallel +2 +0.0\n", printed.out)
    assert "call lost (at once): the model writes" in printed.out
    assert "SGLang's route reads at once" in printed.err
    with pytest.raises(ConfigError, match="SGLang has no parser of the form granite"):
        SGLangRoute("http://127.0.0.1:1", load_formats()["granite"])


ONE = ServerReading((("f", '{"a": 1, "b": "x"}'),))
TWO = ServerReading((("f", "{}"), ("g", "{}")))


@pytest.mark.parametrize(
    ("asked", "reading", "loss"),
    [
        (ONE, ServerReading((("f", '{"b": "x", "a": 1}'),)), None),
        (ONE, ServerReading(error="status 500"), Loss.ERROR),
        (ONE, ServerReading((), "f"), Loss.NO_CALL),
        (TWO, ServerReading((("f", "{}"),)), Loss.CALL_LOST),
        (TWO, ServerReading((("g", "{}"), ("f", "{}"))), Loss.ORDER),
        (ONE, ServerReading((("f", '{"a": 1'),)), Loss.BROKEN),
        (ONE, ServerReading((("g", '{"a": 1, "b": "x"}'),)), Loss.NAME),
        (ONE, ServerReading((("f", '{"a": 1}'),)), Loss.ARGUMENT_LOST),
        (ONE, ServerReading((("f", '{"a": 1, "b": "x", "c": 0}'),)), Loss.ARGUMENT_ADDED),
        (ONE, ServerReading((("f", '{"a": "1", "b": "x"}'),)), Loss.TYPE),
        (ONE, ServerReading((("f", '{"a": 2, "b": "x"}'),)), Loss.VALUE),
        (ONE, ServerReading((("f", '{"a": 1, "b": "x"}'),), "</tool_call>"), Loss.TEXT),
        (ServerReading((), "No."), ServerReading((), "No."), None),
        (ServerReading((), "No."), ServerReading((("f", "{}"),)), Loss.INVENTED),
    ],
)
def test_each_change_has_its_class(asked: ServerReading, reading: ServerReading, loss: Loss | None) -> None:
    """The first of the list where there are several."""
    assert ReadAnswer(asked, (), Written((), ""), reading, 0).loss is loss


CALL = '<|message|>{"a": 1}<|call|>'
THOUGHT = "<|channel|>analysis<|message|>Perhaps to=functions.g?<|end|><|start|>assistant"


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        (THOUGHT + "<|channel|>commentary to=functions.f <|constrain|>json" + CALL, 1),
        ("<|start|>assistant to=functions.f<|channel|>commentary json" + CALL, 1),
        (THOUGHT + "<|channel|>final" + CALL, 0),
    ],
)
def test_harmony_is_read_by_its_headers(text: str, calls: int) -> None:
    """The recipient stands before or after the channel; what is thought or said is not a call."""
    assert read_written(load_formats()["openai"], text, []) == [("f", {"a": 1})] * calls


@pytest.mark.parametrize("form", load_formats().values(), ids=lambda form: form.parser)
def test_broken_texts_are_read_as_no_call(form: Format) -> None:
    """Marks without an end, deep nesting and other values than calls; the work is bounded."""
    begin, end = form.call[0] or "", form.call[1] or ""
    inner = ("", "[" * 5_000, '{"name": 1, "arguments": {}}', '["a"]', "null", form.name[1] * 2_000)
    for text in (begin * 2_000, *(begin + each + end for each in inner)):
        assert read_written(form, text, []) == []
