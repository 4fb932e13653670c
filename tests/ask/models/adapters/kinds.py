"""What the tests of adapters send, and how, to an API of each kind."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from bfcl_pipeline.ask.models import build_adapter
from bfcl_pipeline.base.errors import ModelError
from bfcl_pipeline.benchmark.config import ModelRow
from bfcl_pipeline.benchmark.records import Exchange, Json, Message, Mode, Request
from bfcl_pipeline.runs.provenance import ServerRecord
from tests.support.api_formats import FORMATS
from tests.support.api_server import Plan, Scripted, serve

KINDS = tuple(FORMATS)
WITHOUT_V1 = ("anthropic", "gemini")
"""The path of their version is not part of the endpoint."""

SYSTEM = {"role": "system", "content": "Be brief."}
USER = {"role": "user", "content": "Hi."}
PROMPT_TEXT = "<s>Hi.\n\tÜ\u2028 \\n {{x}} 𝄞"
CHAT_TOOL = {"type": "function", "function": {"name": "ls", "description": "", "parameters": {}}}
TOOLS: dict[str, tuple[Json, ...]] = {
    "openai_chat": (CHAT_TOOL,),
    "openai_responses": ({"type": "function", "name": "ls", "description": "", "parameters": {}},),
    "anthropic": ({"name": "cd", "input_schema": {}}, {"name": "ls", "input_schema": {}}),
    "gemini": (
        {
            "name": "ls",
            "description": "Lists.",
            "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
        },
    ),
    "vllm": (CHAT_TOOL,),
    "litellm": (CHAT_TOOL,),
}
CALL = {kind: each.call("ls", {"a": 1}, "c1") for kind, each in FORMATS.items()}
TEXT = {kind: each.text("Done.") for kind, each in FORMATS.items()}
PROMPT = Request(Mode.PROMPT, (SYSTEM, USER), prompt=PROMPT_TEXT)


def fc(kind: str, *messages: Message, tools: Sequence[Json] | None = None) -> Request:
    """A request with functions. messages: None: one of the user."""
    given = TOOLS[kind] if tools is None else tuple(tools)
    return Request(Mode.FC, messages or (USER,), given, prompt=PROMPT_TEXT)


def row(kind: str, **values: Any) -> ModelRow:
    """A row of the kind, whose endpoint answers nothing."""
    given = {"mode": Mode.FC, "model": "m", "endpoint": "http://127.0.0.1:1/v1"}
    if kind in WITHOUT_V1:
        given["endpoint"] = "http://127.0.0.1:1"
    if kind == "vllm":
        given |= {"backend": "endpoint", "family": "qwen3-fc"}
    return ModelRow(name="m-FC", kind=kind, display_name="m", **{**given, **values})


def made(kind: str, **values: Any) -> Any:
    """The adapter of such a row."""
    return build_adapter(row(kind, **values))


def read(kind: str, *items: Json, mode: Mode = Mode.FC, **more: Json) -> Exchange:
    """What the answer of these items completes."""
    request = fc(kind) if mode is Mode.FC else PROMPT
    exchange: Exchange = made(kind).read(request, FORMATS[kind].whole(*items, **more))
    return exchange


def history(kind: str, *messages: Message, mode: Mode = Mode.FC) -> list[Json]:
    """The messages in the body of a request."""
    body = made(kind).body(fc(kind, *messages) if mode is Mode.FC else Request(mode, messages))
    return next(list(body[key]) for key in ("messages", "input", "contents") if key in body)


def sent_back(kind: str, exchange: Exchange) -> list[Json]:
    """The answer in the next request, between two messages of the user."""
    assert exchange.reply is not None
    return history(kind, USER, exchange.reply, USER, mode=exchange.request.mode)[1:-1]


def exchanged(kind: str, *answers: Plan, **how: Any) -> tuple[list[Json], Scripted]:
    """The raw answers to a request, and the server that gave them. how: as of `_sent`."""
    with serve(*answers) as server:
        return _sent(kind, server, **how), server


def failure(kind: str, *answers: Plan, **how: Any) -> tuple[ModelError, Scripted]:
    """The error of a request whose answer cannot be used, and the server that gave it."""
    with serve(*answers) as server:
        try:
            (raw,) = _sent(kind, server, **how)
            made(kind).read(fc(kind), raw)
        except ModelError as error:
            return error, server
    pytest.fail("the answer was accepted")


def _sent(
    kind: str,
    server: Scripted,
    *,
    times: int = 1,
    said: list[str] | None = None,
    record: ServerRecord | None = None,
    **values: Any,
) -> list[Json]:
    """The raw answers to a request that is sent several times.

    said: receives what the adapter logs. record: of the server. values: of the row.
    """
    endpoint = server.endpoint.removesuffix("/v1") if kind in WITHOUT_V1 else server.endpoint

    async def send() -> list[Json]:
        adapter = made(kind, **{"endpoint": endpoint, **values})
        adapter.server = record
        adapter.open(None if said is None else said.append)
        try:
            return [await adapter.send(adapter.body(fc(kind))) for _ in range(times)]
        finally:
            await adapter.close()

    return asyncio.run(send())
