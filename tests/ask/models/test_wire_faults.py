"""Every fault of a server is an error of the right type, without delay, and never an answer.

Each fault (`tests/support/chat_faults.py`) is tried with the adapter of chat completions.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from bfcl_pipeline.ask.generation.backends import Adapter
from bfcl_pipeline.ask.models import build_adapter
from bfcl_pipeline.base.errors import Malformed, RateLimited, Transient
from bfcl_pipeline.benchmark.config import ModelRow
from bfcl_pipeline.benchmark.records import Exchange, Mode, Request
from tests.support.chat_faults import FAULTS, GOOD
from tests.support.local_chat import LocalChat, local_chat

SILENT = ("stall", "stall midway", "drip")
SECONDS = 60.0  # generous time limit of an error, since no error involves waiting
SILENT_SECONDS = 0.3  # for faults that never end
BROKEN = ("reset", "reset midway", "closed", "half body", "half head", "half chunks")
STATED = ("an error", "an error of no kind")
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


async def exchanged(adapter: Adapter, request: Request, seconds: float = SECONDS) -> Exchange:
    """One attempt."""
    async with asyncio.timeout(seconds):
        return adapter.read(request, await adapter.send(adapter.body(request)))


def adapter_to(server: LocalChat) -> Adapter:
    row = ModelRow(
        "local-FC", "openai_chat", Mode.FC, "Local", model="scripted", endpoint=server.endpoint, key=None
    )
    return build_adapter(row)


async def failed_then_exchanged(server: LocalChat, seconds: float) -> tuple[Exception, Exchange]:
    """The error of an attempt, and the exchange of the next one, when the server works again."""
    adapter = adapter_to(server)
    try:
        with pytest.raises((Transient, TimeoutError)) as failed:
            await exchanged(adapter, REQUEST, seconds)
        server.behave()
        return failed.value, await exchanged(adapter, REQUEST)
    finally:
        await adapter.close()


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_a_transient_error(server: LocalChat, name: str) -> None:
    """Rate limits, statuses and broken connections are distinguished from answers that cannot be used.

    The next request over the same adapter succeeds.
    """
    server.behave(faults=1.0, only=name)
    seconds = SILENT_SECONDS if name in SILENT else SECONDS
    error, exchange = asyncio.run(failed_then_exchanged(server, seconds))
    assert isinstance(error, TimeoutError) == (name in SILENT)
    assert isinstance(error, RateLimited) == name.startswith(("429", "503", "529"))
    is_status = name[0] in "45" and not name.startswith("50 MB")
    assert isinstance(error, Malformed) != (is_status or name in (*SILENT, *BROKEN, *STATED))
    assert len(str(error)) < 2000
    assert name not in ("50 MB", "50 MB in chunks", "50 MB packed") or "16,777,216 bytes" in str(error)
    assert {"book": "{}"} in exchange.result


async def exchanged_twice(server: LocalChat) -> list[Exchange]:
    adapter = adapter_to(server)
    try:
        return [await exchanged(adapter, REQUEST) for _ in range(2)]
    finally:
        await adapter.close()


@pytest.mark.parametrize("name", GOOD)
def test_a_valid_answer_is_read_however_it_is_sent(server: LocalChat, name: str) -> None:
    """In chunks, compressed, or before the connection is closed; the next request succeeds as well."""
    server.behave(odd=1.0, only=name)
    first, second = asyncio.run(exchanged_twice(server))
    assert first.result == second.result
    assert {"book": "{}"} in first.result
    assert first.input_tokens
