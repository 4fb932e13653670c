"""litellm: its arguments, the requests that vendors receive and the answers, against a server on
loopback."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from bfcl_pipeline.ask.generation import WorldConfigOf
from bfcl_pipeline.ask.models.adapters.litellm import LiteLLM, _imported
from bfcl_pipeline.base.errors import (
    AccessDenied,
    ContextOverflow,
    Malformed,
    ModelError,
    RateLimited,
    RequestRefused,
    Transient,
)
from bfcl_pipeline.benchmark.config import ModelRow
from bfcl_pipeline.benchmark.records import Entry, Exchange, Json, Mode, Request
from tests.support.api_formats import FORMATS
from tests.support.api_server import CLOSED, Answer, Scripted, answer, serve
from tests.support.hostile_replies import assert_each_costs_its_own_entry

SYSTEM = {"role": "system", "content": "Be brief."}
USER = {"role": "user", "content": "Hi."}
PARAMETERS = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
FUNCTION = {"name": "ls", "description": "Lists.", "parameters": PARAMETERS, "response": {"type": "array"}}
IN_WORDS = 'Lists. The response field has the following schema: {"type": "array"}'
FC = Request(Mode.FC, (SYSTEM, USER), ({"type": "function", "function": FUNCTION},))
PROMPT = Request(Mode.PROMPT, (SYSTEM, USER))
CALL = FORMATS["openai_chat"].call("ls", {"a": 1}, "c1")
MESSAGE = {"reasoning_content": "Hm."}
CHAT = FORMATS["openai_chat"].whole(MESSAGE, CALL)
COHERE = {
    "id": "x",
    "message": {"role": "assistant", "tool_plan": "I will.", "tool_calls": [CALL]},
    "finish_reason": "TOOL_CALL",
    "usage": {"tokens": {"input_tokens": 10, "output_tokens": 5}},
}
THOUGHT = {"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "s"}}}
TOOL_USE = {"toolUse": {"toolUseId": "c1", "name": "ls", "input": {"a": 1}}}
NOVA = {
    "output": {"message": {"role": "assistant", "content": [THOUGHT, TOOL_USE]}},
    "stopReason": "tool_use",
    "usage": {"inputTokens": 10, "outputTokens": 5, "totalTokens": 15},
    "metrics": {"latencyMs": 1},
}
SIGNED = {"aws_region_name": "us-east-1", "aws_access_key_id": "AK", "aws_secret_access_key": "SK"}


REFUSED = """
import socket
asked = []
def refused(*given, **_):
    asked.append(given)
    raise OSError("no network")
socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = refused
from bfcl_pipeline.ask.models.adapters.litellm import _imported
_imported()
assert not asked, asked
"""
"""Imports litellm where no host can be reached, and fails if one is asked for."""


@pytest.fixture(scope="module", autouse=True)
def printed_by_the_import() -> str:
    """What REFUSED prints: in this process, or in another one if litellm, which takes seconds, is here."""
    if "litellm" in sys.modules:
        done = subprocess.run([sys.executable, "-c", REFUSED], capture_output=True, text=True, check=True)
        return done.stdout + done.stderr
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(StringIO()) as out, redirect_stderr(out):
        for place, name in (
            (socket.socket, "connect"),
            (socket.socket, "connect_ex"),
            (socket, "getaddrinfo"),
        ):
            patch.setattr(place, name, getattr(place, name))  # is as before when the block is left
        exec(REFUSED, {})
    return out.getvalue()


def row(**values: Any) -> ModelRow:
    given = {"kind": "litellm", "mode": Mode.FC, "model": "openai/m", **values}
    return ModelRow(name="m-FC", display_name="m", **given)


def exchanged(answers: tuple[Answer, ...], **values: Any) -> tuple[Exchange, Scripted]:
    """The exchange of a request, after which a second one is sent, and the server of both."""

    async def run() -> tuple[Exchange, Scripted]:
        with serve(*answers) as server:
            model = LiteLLM(row(endpoint=server.endpoint, **values))
            try:
                exchange = model.read(FC, await model.send(model.body(FC)))
                reply = exchange.reply or {}
                results = [
                    {"role": "tool", "tool_call_id": call["id"], "name": call["name"], "content": "[]"}
                    for call in reply["tool_calls"]
                ]
                again = Request(Mode.FC, (*FC.messages, reply, *results), FC.tools)
                await model.send(model.body(again))
                return exchange, server
            finally:
                await model.close()

    return asyncio.run(run())


def test_a_body_is_that_of_chat_completions() -> None:
    """Model, messages, temperature, tools and options; descriptions include the returned values."""
    body = LiteLLM(row(options={"seed": 7})).body(FC)
    tool = {
        "type": "function",
        "function": {"name": "ls", "description": IN_WORDS, "parameters": PARAMETERS},
    }
    assert body == {
        "model": "openai/m",
        "messages": [SYSTEM, USER],
        "temperature": 0.001,
        "tools": [tool],
        "seed": 7,
    }
    assert "tools" not in LiteLLM(row()).body(PROMPT)


def test_cohere_receives_no_description_of_returned_values() -> None:
    """As in the release, with a client that accepts only name, description and parameters."""
    (tool,) = LiteLLM(row(model="cohere_chat/m")).body(FC)["tools"]
    assert tool["function"] == {"name": "ls", "description": "Lists.", "parameters": PARAMETERS}


def test_a_model_needs_no_endpoint() -> None:
    """litellm knows the vendor's endpoint; the journal's key has the entry `endpoint` nevertheless."""
    assert LiteLLM(row()).identity == {"kind": "litellm", "endpoint": None}
    assert LiteLLM(row(endpoint="http://a/v1")).identity == {"kind": "litellm", "endpoint": "http://a/v1"}


def test_a_compatible_server_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """The request has the row's key; reasoning in the answer is left out of the history."""
    monkeypatch.setenv("MY_KEY", "sk-mine-01")
    exchange, server = exchanged((answer(CHAT),), key="MY_KEY")
    assert exchange.result == [{"ls": '{"a": 1}'}]
    assert (exchange.input_tokens, exchange.output_tokens) == (10, 5)
    assert exchange.finish_reason == "tool_calls"
    first, second = server.requests
    assert first.target == "/v1/chat/completions"
    assert first.headers["authorization"] == "Bearer sk-mine-01"
    assert first.json == {**LiteLLM(row()).body(FC), "model": "m"}
    assert second.json["messages"][2:] == [
        {"role": "assistant", "tool_calls": [CALL]},
        {"role": "tool", "content": "[]", "tool_call_id": "c1"},
    ]


def test_a_vendors_key_is_not_sent_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """litellm's look-up of a key is only for the vendor's endpoint."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-vendor")
    _, server = exchanged((answer(CHAT),))
    assert "sk-vendor" not in str(server.requests)


def test_cohere_answers() -> None:
    """The request has the form of Cohere's API and the row's options; calls keep their ids."""
    options = {"citation_options": {"mode": "OFF"}}
    exchange, server = exchanged((answer(COHERE),), model="cohere_chat/command-a", options=options)
    assert exchange.result == [{"ls": '{"a": 1}'}]
    assert (exchange.input_tokens, exchange.output_tokens) == (10, 5)
    first, second = (request.json for request in server.requests)
    assert first["model"] == "command-a"
    assert first["citation_options"] == {"mode": "OFF"}
    assert first["temperature"] == 0.001
    assert second["messages"][-1] == {"role": "tool", "content": "[]", "tool_call_id": "c1"}


def test_nova_answers() -> None:
    """The request has Bedrock's form and is signed; reasoning is sent back with its signature."""
    options = {**SIGNED, "reasoning_effort": "medium"}
    nova = "bedrock/converse/us.amazon.nova-2-lite-v1:0"
    exchange, server = exchanged((answer(NOVA),), model=nova, options=options)
    assert exchange.result == [{"ls": '{"a": 1}'}]
    first, second = (request.json for request in server.requests)
    assert server.requests[0].headers["authorization"].startswith("AWS4-HMAC-SHA256 Credential=AK/")
    assert first["system"] == [{"text": "Be brief."}]
    assert first["additionalModelRequestFields"] == {
        "reasoningConfig": {"type": "enabled", "maxReasoningEffort": "medium"}
    }
    (tool,) = first["toolConfig"]["tools"]
    assert tool["toolSpec"] == {"name": "ls", "description": IN_WORDS, "inputSchema": {"json": PARAMETERS}}
    assert second["messages"][1:] == [
        {"role": "assistant", "content": [THOUGHT, TOOL_USE]},
        {"role": "user", "content": [{"toolResult": {"toolUseId": "c1", "content": [{"text": "[]"}]}}]},
    ]


def failed(response: Answer, **values: Any) -> tuple[ModelError, int]:
    """The error that an answer is, and how many requests it took."""

    async def run() -> tuple[ModelError, int]:
        with serve(response) as server:
            model = LiteLLM(row(endpoint=server.endpoint, **values))
            try:
                with pytest.raises(ModelError) as raised:
                    model.read(FC, await model.send(model.body(FC)))
                return raised.value, len(server.requests)
            finally:
                await model.close()

    return asyncio.run(run())


def stated(status: str, message: str) -> Answer:
    return answer({"error": {"message": message}}, status, ["retry-after: 7"])


@pytest.mark.parametrize(
    ("response", "kind"),
    [
        (stated("400 Bad Request", "maximum context length is 5 tokens"), ContextOverflow),
        (stated("400 Bad Request", "Odd tools."), RequestRefused),
        (stated("401 Unauthorized", "Who?"), AccessDenied),
        (stated("403 Forbidden", "No."), AccessDenied),
        (stated("404 Not Found", "No such model."), AccessDenied),
        (stated("422 Unprocessable Entity", "Odd tools."), RequestRefused),
        (stated("429 Too Many Requests", "Wait."), RateLimited),
        (stated("500 Internal Server Error", "Oh."), Transient),
        (stated("503 Service Unavailable", "Wait."), RateLimited),
        (CLOSED, Transient),
        (answer(CHAT, length=9_000), Transient),
        (answer(b"<html>"), Transient),
        (answer(b'{"a": "\xff"}'), Transient),
        (answer({**CHAT, "choices": []}), Malformed),
        (answer({**CHAT, "choices": [{"index": 0, "message": {"content": 7}}]}), Transient),
    ],
)
def test_failures_are_distinguished(response: Answer, kind: type[ModelError]) -> None:
    """Each error of litellm becomes a ModelError of the type that fits, after a single request."""
    error, requests = failed(response)
    assert type(error) is kind or (kind is Transient and isinstance(error, Transient))
    assert requests == 1
    assert "model 'openai/m' at http://127.0.0.1:" in str(error)
    assert not isinstance(error, RateLimited) or error.wait_seconds == 7


def test_a_model_is_reached_directly_also_after_another_one_was_closed(
    closed_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HTTP_PROXY, a port without a server, is not for loopback; shared connections are opened again."""
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{closed_port}")
    monkeypatch.setenv("no_proxy", "example.org")
    monkeypatch.setenv("NO_PROXY", "example.org")

    async def run(endpoint: str) -> None:
        for _ in range(2):
            model = LiteLLM(row(endpoint=endpoint))
            await model.send(model.body(FC))
            await model.close()

    with serve(answer(CHAT)) as server:
        asyncio.run(run(server.endpoint))
        assert len(server.requests) == 2


def test_a_message_never_contains_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that a server repeats is redacted."""
    monkeypatch.setenv("MY_KEY", "sk-mine-alone")
    error, _ = failed(stated("401 Unauthorized", "Incorrect API key: sk-mine-alone."), key="MY_KEY")
    assert "Incorrect API key: [key]." in str(error)


def test_a_model_without_provider_is_an_error() -> None:
    """The message explains the form of `model`."""
    error, requests = failed(answer(CHAT), model="m")
    assert isinstance(error, AccessDenied)
    assert "`model` in its row has to begin with a provider" in str(error)
    assert requests == 0


def test_an_unsupported_parameter_is_an_error_unless_the_row_drops_it() -> None:
    """A parameter is never left out silently."""
    options: dict[str, Json] = {"logit_bias": {"1": 1}}
    error, requests = failed(answer(COHERE), model="cohere_chat/m", options=options)
    assert isinstance(error, AccessDenied)
    assert "`drop_params: true`" in str(error)
    assert requests == 0
    dropping = {**options, "drop_params": True}
    _, server = exchanged((answer(COHERE),), model="cohere_chat/m", options=dropping)
    assert "logit_bias" not in server.requests[0].json


def test_a_hostile_reply_costs_its_own_entry(
    entries: Callable[[str], list[Entry]], staged: Path, setting_of: WorldConfigOf, tmp_path: Path
) -> None:
    """It ends as an answer or as a failure with a short, printable reason; all others are answered."""
    chosen = entries("simple_python")[:12]
    assert_each_costs_its_own_entry("litellm", "fc", chosen, staged, setting_of, tmp_path)


def test_litellm_sends_no_request_when_it_is_imported(printed_by_the_import: str) -> None:
    """It uses its own list of prices and prints nothing; a file `.env` in the working directory is not
    read."""
    assert printed_by_the_import == ""
    litellm = _imported()
    assert litellm.suppress_debug_info
    assert litellm.litellm_mode == "PRODUCTION"
