"""Whatever a server does in place of answering is an error that says so, soon, and never an answer.

One fault (`tests/servers/chat_faults.py`) after the other, against the wire of chat completions.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from chat_faults import FAULTS, GOOD
from local_chat import LocalChat, local_chat

from bfcl_pipeline.config import ModelRow
from bfcl_pipeline.errors import Malformed, RateLimited, Transient
from bfcl_pipeline.generation.model import Wire
from bfcl_pipeline.models import build_wire
from bfcl_pipeline.records import Exchange, Mode, Request

SILENT = ("stall", "stall midway", "drip")
SECONDS = 60.0  # what an error may take, generously: none waits for anything
SILENT_SECONDS = 0.3  # given to those that would never end
REQUEST = Request(
    Mode.FC,
    ({"role": "user", "content": "Two seats, please."},),
    (
        {
            "type": "function",
            "function": {"name": "book", "parameters": {"type": "object", "properties": {}}},
        },
    ),
)


@pytest.fixture(scope="module")
def server() -> Iterator[LocalChat]:
    with local_chat() as started:
        yield started


async def exchanged(wire: Wire, request: Request, seconds: float = SECONDS) -> Exchange:
    """One attempt."""
    async with asyncio.timeout(seconds):
        return wire.read(request, await wire.send(wire.body(request)))


def wire_to(server: LocalChat) -> Wire:
    row = ModelRow(
        "local-FC", "openai_chat", Mode.FC, "Local", model="scripted", endpoint=server.endpoint, key=None
    )
    return build_wire(row)


async def failed_then_asked(server: LocalChat, seconds: float) -> tuple[Exception, Exchange]:
    """How an attempt fails, and what the next one gets when the server is well again."""
    wire = wire_to(server)
    try:
        with pytest.raises((Transient, TimeoutError)) as failed:
            await exchanged(wire, REQUEST, seconds)
        server.behave()
        return failed.value, await exchanged(wire, REQUEST)
    finally:
        await wire.close()


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_an_error_that_may_be_gone_at_the_next_attempt(server: LocalChat, name: str) -> None:
    """Too many requests are told from other failures; after each the same client gets a right answer."""
    server.behave(faults=1.0, only=name)
    seconds = SILENT_SECONDS if name in SILENT else SECONDS
    error, exchange = asyncio.run(failed_then_asked(server, seconds))
    assert isinstance(error, TimeoutError) == (name in SILENT)
    assert isinstance(error, RateLimited) == name.startswith(("429", "503", "529"))
    assert len(str(error)) < 2000
    assert {"book": "{}"} in exchange.result


@pytest.mark.parametrize("name", ["50 MB", "50 MB in chunks", "50 MB packed"])
def test_an_answer_that_is_too_long_is_not_read_to_its_end(server: LocalChat, name: str) -> None:
    """It is refused for its length."""
    server.behave(faults=1.0, only=name)
    error, _ = asyncio.run(failed_then_asked(server, SECONDS))
    assert isinstance(error, Malformed)


async def asked_twice(server: LocalChat) -> list[Exchange]:
    wire = wire_to(server)
    try:
        return [await exchanged(wire, REQUEST) for _ in range(2)]
    finally:
        await wire.close()


@pytest.mark.parametrize("name", GOOD)
def test_a_right_answer_is_read_however_it_is_sent(server: LocalChat, name: str) -> None:
    """In chunks, packed, or on a connection that ends with it, which is no failure of the next request."""
    server.behave(odd=1.0, only=name)
    first, second = asyncio.run(asked_twice(server))
    assert first.result == second.result
    assert {"book": "{}"} in first.result
    assert first.input_tokens
