"""Which models an endpoint of OpenAI's form says it has.

Only for messages: an endpoint need not tell, and is not believed to tell all.
"""

from __future__ import annotations

import asyncio

from bfcl_pipeline.config import ModelRow
from bfcl_pipeline.errors import ConfigError, ModelError
from bfcl_pipeline.models.wires.row_terms import asked_of, endpoint_of, key_of

COMPATIBLE_KINDS = ("openai_chat", "openai_responses", "vllm")
"""Kinds whose endpoints list their models at /models."""

_SECONDS = 10.0


async def offered(row: ModelRow, endpoint: str | None = None) -> tuple[str, ...]:
    """What the endpoint of `row` calls its models; nothing if it does not tell.

    endpoint: where the model answers, if not where its row says.
    """
    if row.kind not in COMPATIBLE_KINDS:
        return ()
    from openai import DefaultAsyncHttpxClient

    from bfcl_pipeline.models.wires.transport import Transport

    key = key_of(row)
    headers = {} if key is None else {"authorization": f"Bearer {key}"}
    transport: object = Transport(asked_of(row, endpoint))
    try:
        async with DefaultAsyncHttpxClient(transport=transport) as client, asyncio.timeout(_SECONDS):  # type: ignore[arg-type]
            answer = await client.get(f"{endpoint_of(row, endpoint)}/models", headers=headers)
            listed = answer.json()
            return tuple(str(model["id"]) for model in listed["data"])
    except (ModelError, ConfigError, TimeoutError, ValueError, TypeError, KeyError):
        return ()
