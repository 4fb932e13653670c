"""The conversation over one entry, sans-IO: it yields requests, takes exchanges, ends in a result.

Covers the single-turn categories, whose conversation is one request. It knows no model, clock or
disk: whoever drives it (`generate`, later a scheduler or a replay) supplies the exchanges.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeAlias

from bfcl_pipeline.prompts import Texts, fc_request, prompt_request
from bfcl_pipeline.records import Entry, Exchange, Json, Mode, Request

Conversation: TypeAlias = Generator[Request, Exchange, Json]
"""Yields what the model is to be sent, takes what came back, returns the official result form."""


def conversation(entry: Entry, mode: Mode, texts: Texts) -> Conversation:
    """The conversation that a single-turn entry asks for."""
    request = fc_request(entry) if mode is Mode.FC else prompt_request(entry, texts)
    exchange = yield request
    return exchange.result
