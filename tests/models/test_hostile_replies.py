"""A hostile reply costs its own entry: runs of ten in each wire format, against a server on loopback."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
import yaml

from bfcl_pipeline.config import ModelRow, RequestLimits, load_models
from bfcl_pipeline.errors import ConfigError, Malformed
from bfcl_pipeline.generation import Origin, WorldConfigOf, run_entries
from bfcl_pipeline.generation.counts import ProgressCounts
from bfcl_pipeline.generation.generate import responses
from bfcl_pipeline.generation.journal import Journal
from bfcl_pipeline.generation.remote import ApiBackend, RunTerms
from bfcl_pipeline.judging import score_table
from bfcl_pipeline.models import build_adapter
from bfcl_pipeline.models.adapters.response_validator import ResponseValidator
from bfcl_pipeline.records import Entry, Response, Status
from bfcl_pipeline.tables import read_responses, write_responses
from bfcl_pipeline.tables.responses import responses_table
from bfcl_pipeline.tables.texts import read_texts
from tests.support.time_stamp_authority import serving

TEXT, CALLS, COUNT = "@text", "@calls", "@count"

REPLIES: Mapping[str, str] = {
    "openai_chat": '{"choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", '
    '"content": @text, "tool_calls": [@calls]}}], "usage": {"prompt_tokens": @count}}',
    "openai_responses": '{"status": "completed", "output": [{"type": "message", "content": [{"type": '
    '"output_text", "text": @text}]}@calls], "usage": {"input_tokens": @count}}',
    "anthropic": '{"content": [{"type": "text", "text": @text}@calls], "stop_reason": "end_turn", "usage": '
    '{"input_tokens": @count}}',
    "gemini": '{"candidates": [{"content": {"role": "model", "parts": [{"text": @text}@calls]}, '
    '"finishReason": "STOP"}], "usageMetadata": {"promptTokenCount": @count}}',
    "vllm": '{"choices": [{"index": 0, "text": @text, "finish_reason": "stop"}], "usage": '
    '{"prompt_tokens": @count}}',
}
"""A reply of each kind, with places for a text, calls and a count of tokens."""
REPLIES = {**REPLIES, "litellm": REPLIES["openai_chat"]}

CALL: Mapping[str, str] = {
    "openai_chat": '{"id": "c", "type": "function", "function": {"name": "@name", "arguments": "@args"}}',
    "openai_responses": ', {"type": "function_call", "call_id": "c", "name": "@name", '
    '"arguments": "@args"}',
    "anthropic": ', {"type": "tool_use", "id": "c", "name": "@name", "input": {"a": "@args"}}',
    "gemini": ', {"functionCall": {"id": "c", "name": "@name", "args": {"a": "@args"}}}',
    "vllm": "",
}
CALL = {**CALL, "litellm": CALL["openai_chat"]}

DEEP = '{"a": [' * 150 + "1" + "]}" * 150
OPTIONS: Mapping[str, dict[str, object]] = {
    "vllm": {
        "backend": "endpoint",
        "family": "qwen3-fc",
        "prompting": "leaderboard",
        "options": {"max_tokens": 9},
    },
    "litellm": {"model": "openai/m"},
}
LIMITS = RequestLimits(in_flight=16, attempts=1, seconds=60)

Reply = tuple[str, bytes]  # type and content


def replies(kind: str) -> dict[str, Reply]:
    """Two usual replies, and ten hostile ones between them."""

    def reply(text: str = '"Hi."', calls: str = "", count: str = "7", name: str = "f") -> Reply:
        made = REPLIES[kind].replace(TEXT, text).replace(COUNT, count).replace(CALLS, calls)
        return "application/json", made.replace("@name", name).encode()

    call = CALL[kind]
    two = f"{call}, {call}" if call.startswith("{") else call * 2
    return {
        "usual": reply(),
        "a number for a text": reply("7"),
        "deep": reply(DEEP),
        "calls with one id": reply(calls=two),
        "surrogates": reply(r'"\ud800 \udfff"', call, name=r"\udfff"),
        "control characters": reply(r'"\u001b[2J\u0000\u202e"', call, name=r"\u001b]0;\u0000"),
        "long number": reply(count="9" * 5000),
        "missing parts": ("application/json", b"{}"),
        "empty": ("application/json", b""),
        "parts of no kind": ("application/json", reply()[1][:-1] + b', "more": [null, {"": [0.1e-9]}]}'),
        "a page": ("text/html", b"<html>\x1b[2J" + b"x" * 5000),
        "also usual": reply(),
    }


ANSWERED = {
    "usual",
    "also usual",
    "calls with one id",
    "surrogates",
    "control characters",
    "parts of no kind",
}


@contextmanager
def scripted(by_text: Mapping[str, Reply]) -> Iterator[str]:
    """A server that answers each request by the text of the question that it contains."""

    def answer(handler: BaseHTTPRequestHandler, body: bytes) -> None:
        sent = json.dumps(json.loads(body))
        kind, content = next(reply for text, reply in by_text.items() if text in sent)
        handler.send_response(200)
        handler.send_header("Content-Type", kind)
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)

    with serving(answer) as service:
        yield service.url.rstrip("/")


def _in_json(entry: Entry) -> str:
    """The question of an entry as a request contains it."""
    return json.dumps(entry.turns[0][-1]["content"])[1:-1]


@pytest.fixture
def asked(
    entries: Callable[[str], list[Entry]], staged: Path, setting_of: WorldConfigOf, tmp_path: Path
) -> Callable[[ModelRow], list[Response]]:
    """Runs the first twelve entries with a model; each test has one journal."""

    def ask(row: ModelRow) -> list[Response]:
        async def main() -> list[Response]:
            journal, adapter = Journal.open(tmp_path / "exchanges.jsonl"), build_adapter(row)
            remote = ApiBackend(adapter, journal, LIMITS, RunTerms("r"), ProgressCounts())
            try:
                adapter.open()
                chosen = entries("simple_python")[:12]
                done = await run_entries(chosen, remote, read_texts(staged), setting_of, Origin("m", "r"))
            finally:
                await adapter.close()
                await journal.close()
            return responses(done)

        return asyncio.run(main())

    return ask


@pytest.mark.parametrize(
    ("kind", "mode"),
    [
        *((kind, "fc") for kind in REPLIES),
        *((kind, "prompt") for kind in REPLIES if kind not in OPTIONS),
    ],
)
def test_a_hostile_reply_costs_its_own_entry(
    asked: Callable[[ModelRow], list[Response]],
    entries: Callable[[str], list[Entry]],
    staged: Path,
    tmp_path: Path,
    kind: str,
    mode: str,
) -> None:
    """It ends as an answer or as a failure with a short, printable reason; all others are answered.

    Tables hold what it said, it can be scored, and a second run finds the answers in the journal.
    """
    sent = replies(kind)
    texts = map(_in_json, entries("simple_python")[:12])
    with scripted(dict(zip(texts, sent.values(), strict=True))) as url:
        suffix = "-FC" if mode == "fc" else ""
        values = {"name": f"m{suffix}", "kind": kind, "mode": mode, "model": "m", "endpoint": f"{url}/v1"}
        models = tmp_path / "models.yaml"
        models.write_text(yaml.safe_dump({"models": [{**values, **OPTIONS.get(kind, {})}]}))
        row = load_models(models)[f"m{suffix}"]
        found = asked(row)
        again = asked(row)
    statuses = {name: one.status for name, one in zip(sent, found, strict=True)}
    assert {name for name, status in statuses.items() if status is Status.ANSWERED} == ANSWERED
    assert set(statuses.values()) == {Status.ANSWERED, Status.INFRASTRUCTURE_ERROR}
    details = [one.status_detail for one in found if one.status_detail is not None]
    assert all(len(detail) < 1000 and detail.isprintable() for detail in details), details
    write_responses(tmp_path / "r.parquet", found)
    assert read_responses(tmp_path / "r.parquet") == found == again
    assert score_table(responses_table(found), staged).num_rows == len(found)


@pytest.mark.parametrize("levels", [201, 990, 993, 1_000_000])
def test_a_deep_reply_is_malformed_at_any_depth_of_the_stack(levels: int) -> None:
    """It is refused before it is read; brackets in its texts are not levels."""
    expect = ResponseValidator("m")
    for deep in (b"[" * levels + b"]" * levels, b'{"a":' * levels + b"1" + b"}" * levels):
        with pytest.raises(Malformed, match="nested more than 200 levels"):
            expect.body(deep)
    said = json.dumps({"a": '"[{\\' * levels}).encode()
    assert expect.body(said) == json.loads(said)


def test_a_long_value_is_not_written_into_a_message() -> None:
    """Only its first characters are."""
    with pytest.raises(Malformed) as error:
        ResponseValidator("m").text([[0] * 1000] * 1000, "`content`")
    assert len(str(error.value)) < 300


def test_a_key_that_is_too_short_to_be_redacted_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The message names the variable, what to do, and not the key."""
    models = tmp_path / "models.yaml"
    models.write_text("models: [{name: m, kind: openai_chat, key: MY_KEY, endpoint: 'http://h/v1'}]")
    monkeypatch.setenv("MY_KEY", "Zq8xVw3")
    with pytest.raises(ConfigError, match=r"MY_KEY has fewer than 8 characters.*`key: null`") as error:
        build_adapter(load_models(models)["m"])
    assert "Zq8xVw3" not in str(error.value)
