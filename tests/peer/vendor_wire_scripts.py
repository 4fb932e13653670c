"""Scripted answers of Anthropic's and Google's APIs, in the format of those APIs.

The content comes from `conversation_scripts`; ids, usage, thoughts with their signatures and the forms of
empty answers are added here, chosen by entry. Only answers that the official handlers can read: in prompt
mode they stop with an error on an Anthropic answer that begins with a thought, and on a Gemini answer of
more than two parts.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from typing import Any

from bfcl_pipeline.benchmark.records import Json, Mode
from tests.peer.conversation_scripts import Answer

DONE = Answer("Done.")

SIGNATURE = "RXFRQkNrWUlCeGdDS2tE"
"""Base64 without the characters in which its two alphabets differ: Google's client changes the alphabet."""


def anthropic_answers(script: Sequence[Answer], mode: Mode, rng: random.Random) -> Iterator[Json]:
    """Messages of `script`."""
    for number, said in enumerate([*script, DONE]):
        content: list[Json] = []
        if mode is Mode.FC and rng.random() < 0.3:
            content.append({"type": "thinking", "thinking": "Let me think.", "signature": SIGNATURE})
        if mode is Mode.FC and rng.random() < 0.1:
            content.append({"type": "redacted_thinking", "data": SIGNATURE})
        content += [_text_block(text, rng) for text in _texts(said, mode, rng)]
        for place, (name, arguments) in enumerate(said.calls or ()):
            called = {"type": "tool_use", "id": f"toolu_{number}_{place}", "name": name}
            caller = rng.choice(({}, {"caller": {"type": "direct"}}))
            content.append({**called, "input": json.loads(arguments), **caller})
        reason = "tool_use" if said.calls else rng.choice(("end_turn", "end_turn", "max_tokens", "refusal"))
        yield {
            "id": f"msg_{number}",
            "type": "message",
            "role": "assistant",
            "model": "m",
            "content": content,
            "stop_reason": reason,
            "stop_sequence": None,
            "usage": {"input_tokens": 10 + number, "output_tokens": 5},
        }


def _texts(said: Answer, mode: Mode, rng: random.Random) -> list[str]:
    """The texts of an answer: one, or in function-calling mode occasionally two, or a blank one."""
    if said.text is None:
        return []
    if mode is Mode.FC and rng.random() < 0.1:
        return [said.text, rng.choice((" And more.", "\n", ""))]
    return [said.text]


def _text_block(text: str, rng: random.Random) -> Json:
    return {"type": "text", "text": text, **rng.choice(({}, {"citations": None}))}


def gemini_answers(script: Sequence[Answer], rng: random.Random) -> Iterator[Json]:
    """Contents of `script`."""
    for number, said in enumerate([*script, DONE]):
        parts: list[dict[str, Any]] = []
        if said.text is not None:
            parts.append({"text": said.text})
        for place, (name, arguments) in enumerate(said.calls or ()):
            called = {"name": name, "args": json.loads(arguments)}
            parts.append({"functionCall": {**called, **rng.choice(({}, {"id": f"id{number}{place}"}))}})
        if parts and rng.random() < 0.3:
            parts[0]["thoughtSignature"] = SIGNATURE
        if parts and rng.random() < 0.3:
            parts.insert(0, {"text": "Let me think.", "thought": True})
        content: dict[str, Json] = {"content": {"role": "model", "parts": parts}}
        if not parts:
            content = rng.choice(({}, {"content": {}}, {"content": {"role": "model"}}))
        reason = (
            "STOP" if parts else rng.choice(("STOP", "SAFETY", "MALFORMED_FUNCTION_CALL", "MAX_TOKENS"))
        )
        yield {
            "candidates": [{**content, "finishReason": reason, "index": 0}],
            "usageMetadata": {
                "promptTokenCount": 10 + number,
                "candidatesTokenCount": 5,
                "totalTokenCount": 15 + number,
            },
            "modelVersion": "m",
            "responseId": f"r{number}",
        }
