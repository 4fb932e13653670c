"""Reading a request as a conversation: what the last calls returned, in either mode."""

from __future__ import annotations

import ast
from typing import Any

from bfcl_pipeline.records import Message, Mode, Request

_RESULTS = "[{'role': 'tool', "
"""How the results of calls begin where a prompted model is told them in a user's message."""


def tells_results(message: Message) -> bool:
    """Whether a message tells what calls returned."""
    if message["role"] == "tool":
        return True
    return message["role"] == "user" and str(message["content"]).startswith(_RESULTS)


def last_results(request: Request) -> list[str]:
    """What the calls of the last step returned; empty if the request does not end with results."""
    if not request.messages or not tells_results(request.messages[-1]):
        return []
    if request.mode is Mode.PROMPT:
        return [str(told["content"]) for told in _literal(str(request.messages[-1]["content"]))]
    found: list[str] = []
    for message in reversed(request.messages):
        if message["role"] != "tool":
            break
        found.append(str(message["content"]))
    return found[::-1]


def _literal(text: str) -> Any:
    """A list of mappings that our own conversation wrote; empty if the text is something else."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return []
