"""Runs of a model whose server gives hostile replies among usual ones, in each wire format."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import yaml

from bfcl_pipeline.ask.generation import Origin, WorldConfigOf, run_entries
from bfcl_pipeline.ask.generation.counts import ProgressCounts
from bfcl_pipeline.ask.generation.generate import responses
from bfcl_pipeline.ask.generation.remote import ApiBackend, RunTerms
from bfcl_pipeline.ask.models import build_adapter
from bfcl_pipeline.benchmark.config import ModelRow, RequestLimits, load_models
from bfcl_pipeline.benchmark.records import Entry, Response, Status
from bfcl_pipeline.benchmark.tables import read_responses, write_responses
from bfcl_pipeline.benchmark.tables.responses import responses_table
from bfcl_pipeline.dialogue.release_texts import read_texts
from bfcl_pipeline.judge.judging import score_table
from bfcl_pipeline.runs.journal import Journal
from tests.support.journal_exchanges import PROVENANCE
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


def asked(
    row: ModelRow, chosen: Sequence[Entry], staged: Path, setting_of: WorldConfigOf, journal_file: Path
) -> list[Response]:
    """The responses of a model to entries."""

    async def main() -> list[Response]:
        journal, adapter = Journal.open(journal_file), build_adapter(row)
        remote = ApiBackend(adapter, journal, LIMITS, RunTerms("r", PROVENANCE), ProgressCounts())
        try:
            adapter.open()
            done = await run_entries(chosen, remote, read_texts(staged), setting_of, Origin("m", "r"))
        finally:
            await adapter.close()
            await journal.close()
        return responses(done)

    return asyncio.run(main())


def assert_each_costs_its_own_entry(
    kind: str, mode: str, chosen: Sequence[Entry], staged: Path, setting_of: WorldConfigOf, folder: Path
) -> None:
    """A hostile reply ends as an answer or as a failure with a short, printable reason; all others are
    answered.

    Tables hold what it said, it can be scored, and a second run finds the answers in the journal.
    """
    sent = replies(kind)
    with scripted(dict(zip(map(_in_json, chosen), sent.values(), strict=True))) as url:
        suffix = "-FC" if mode == "fc" else ""
        values = {"name": f"m{suffix}", "kind": kind, "mode": mode, "model": "m", "endpoint": f"{url}/v1"}
        models = folder / "models.yaml"
        models.write_text(yaml.safe_dump({"models": [{**values, **OPTIONS.get(kind, {})}]}))
        row = load_models(models)[f"m{suffix}"]
        found, again = (
            asked(row, chosen, staged, setting_of, folder / "exchanges.jsonl") for _ in range(2)
        )
    statuses = {name: one.status for name, one in zip(sent, found, strict=True)}
    assert {name for name, status in statuses.items() if status is Status.ANSWERED} == ANSWERED
    assert set(statuses.values()) == {Status.ANSWERED, Status.INFRASTRUCTURE_ERROR}
    details = [one.status_detail for one in found if one.status_detail is not None]
    assert all(len(detail) < 1000 and detail.isprintable() for detail in details), details
    write_responses(folder / "r.parquet", found)
    assert read_responses(folder / "r.parquet") == found == again
    assert score_table(responses_table(found), staged).num_rows == len(found)
