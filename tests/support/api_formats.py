"""How each API of models writes an answer: its texts, its calls, and what is around them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bfcl_pipeline.benchmark.records import Json


@dataclass(frozen=True, slots=True)
class ApiFormat:
    """One API. An answer is made of items: texts, calls, and others of the API."""

    text: Callable[[Json], Json]  # an item with a text
    call: Callable[[str, Json, str], Json]  # an item with a call: its name, arguments and id
    whole: Callable[..., dict[str, Json]]  # the answer: its items, and counts of tokens


def _message(*items: Json, sent: Json = 10, received: Json = 5, **choice: Json) -> dict[str, Json]:
    """A chat completion. An item with `function` is a call; others are parts of the message."""
    message: dict[str, Any] = {"role": "assistant", "content": None}
    calls = [item for item in items if "function" in item]
    for item in items:
        message |= item if item not in calls else {"tool_calls": calls}
    first = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop", **choice}
    usage = {"prompt_tokens": sent, "completion_tokens": received}
    top = {"id": "x", "object": "chat.completion", "created": 1, "model": "m"}
    return {**top, "choices": [first], "usage": usage}


def _output(*items: Json, sent: Json = 10, received: Json = 5, **values: Json) -> dict[str, Json]:
    usage = {"input_tokens": sent, "output_tokens": received}
    top = {"id": "resp_1", "model": "m", "status": "completed", "error": None}
    return {**top, "output": [*items], "usage": usage, **values}


def _content(*items: Json, sent: Json = 10, received: Json = 5, **values: Json) -> dict[str, Json]:
    usage = {"input_tokens": sent, "output_tokens": received}
    top = {"type": "message", "role": "assistant", "model": "m"}
    return {**top, "content": [*items], "stop_reason": "end_turn", "usage": usage, **values}


def _parts(*items: Json, sent: Json = 10, received: Json = 5, **candidate: Json) -> dict[str, Json]:
    usage = {"promptTokenCount": sent, "candidatesTokenCount": received, "thoughtsTokenCount": 3}
    first = {"content": {"role": "model", "parts": [*items]}, "finishReason": "STOP", **candidate}
    return {"modelVersion": "m-001", "candidates": [first], "usageMetadata": usage}


def _written(*items: Json, sent: Json = 10, received: Json = 5, **choice: Json) -> dict[str, Json]:
    """A completion of plain text."""
    text = items[0] if len(items) == 1 else "".join(items)
    first = {"index": 0, "text": text, "finish_reason": "stop", **choice}
    usage = {"prompt_tokens": sent, "completion_tokens": received}
    return {"id": "x", "object": "text_completion", "choices": [first], "usage": usage}


FORMATS: Mapping[str, ApiFormat] = {
    "openai_chat": ApiFormat(
        lambda text: {"content": text},
        lambda name, given, id_: {
            "id": id_,
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(given)},
        },
        _message,
    ),
    "openai_responses": ApiFormat(
        lambda text: {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": text}],
        },
        lambda name, given, id_: {
            "type": "function_call",
            "call_id": id_,
            "name": name,
            "arguments": json.dumps(given),
        },
        _output,
    ),
    "anthropic": ApiFormat(
        lambda text: {"type": "text", "text": text},
        lambda name, given, id_: {"type": "tool_use", "id": id_, "name": name, "input": given},
        _content,
    ),
    "gemini": ApiFormat(
        lambda text: {"text": text},
        lambda name, given, id_: {"functionCall": {"id": id_, "name": name, "args": given}},
        _parts,
    ),
    "vllm": ApiFormat(
        lambda text: text,
        lambda name, given, _: (
            f'<tool_call>\n{{"name": "{name}", "arguments": {json.dumps(given)}}}\n</tool_call>'
        ),
        _written,
    ),
}
"""The formats by kinds of rows; a model of kind vllm is sent the prompts of a family, here of Qwen3."""
