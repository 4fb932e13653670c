"""Scripted answers of APIs, in the format of each, as such APIs send them.

The content comes from `conversation_scripts`; ids, usage, thoughts with their signatures, refusals, null or
empty keys and the forms of empty answers are added here, chosen by entry. A stream is the text of its
events. Only answers that the official handlers can read: in prompt mode they stop with an error on an
Anthropic answer that begins with a thought, and on a Gemini answer of more than two parts.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bfcl_pipeline.benchmark.records import Json, Mode
from tests.peer.conversation_scripts import Answer

DONE = Answer("Done.")

SIGNATURE = "RXFRQkNrWUlCeGdDS2tE"
"""Base64 without the characters in which its two alphabets differ: Google's client changes the alphabet."""

SILENT_KEYS: tuple[Mapping[str, Json], ...] = (
    {},
    {"refusal": None, "annotations": []},
    {"refusal": None, "function_call": None, "audio": None, "tool_calls": None},
)
"""What OpenAI and servers that imitate it put beside text and calls."""


def chat_answers(
    script: Sequence[Answer],
    rng: random.Random,
    *,
    thinks: float,
    silent: Sequence[Mapping[str, Json]],
    refuses: bool,
) -> Iterator[Json]:
    """Chat completions of `script`.

    thinks: the fraction with reasoning. silent: sets of null or empty keys, one of which is added to each.
    refuses: whether answers without text and calls may be refusals.
    """
    for number, said in enumerate([*script, DONE]):
        message: dict[str, Any] = {"role": "assistant", "content": said.text, **rng.choice(silent)}
        if said.calls is not None:
            message["tool_calls"] = [
                {
                    "id": f"call_{number}_{place}",
                    "type": "function",
                    "function": {"name": name, "arguments": arguments},
                }
                for place, (name, arguments) in enumerate(said.calls)
            ]
        elif said.text is None and refuses and rng.random() < 0.5:
            message["refusal"] = "I can't help with that."
        if rng.random() < thinks and (said.calls or said.text is not None or thinks == 1):
            message["reasoning_content"] = "Let me think."
        reason = "tool_calls" if said.calls else rng.choice(("stop", "stop", "length"))
        yield {
            "id": f"chatcmpl-{number}",
            "object": "chat.completion",
            "created": 1,
            "model": "m",
            "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": reason}],
            "usage": {"prompt_tokens": 10 + number, "completion_tokens": 5, "total_tokens": 15 + number},
        }


def streamed(answer: Json) -> str:
    """A chat completion as the events of a stream, its texts in pieces."""
    (choice,) = answer["choices"]
    message = choice["message"]
    deltas: list[Json] = [{"role": "assistant", "content": None if message.get("tool_calls") else ""}]
    for key in ("reasoning_content", "content"):
        text = message.get(key) or ""
        deltas += [{key: text[at : at + 7]} for at in range(0, len(text), 7)]
    for index, call in enumerate(message.get("tool_calls") or []):
        name, arguments = call["function"]["name"], call["function"]["arguments"]
        first = {"index": index, "id": call["id"], "type": "function"}
        deltas.append({"tool_calls": [{**first, "function": {"name": name, "arguments": ""}}]})
        deltas += [
            {"tool_calls": [{"index": index, "id": "", "function": {"arguments": arguments[at : at + 9]}}]}
            for at in range(0, len(arguments), 9)
        ]
    whole = {key: value for key, value in answer.items() if key not in ("choices", "usage")}
    whole["object"] = "chat.completion.chunk"
    events = [
        {**whole, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas
    ]
    last = {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
    events += [{**whole, "choices": [last]}, {**whole, "choices": [], "usage": answer["usage"]}]
    return "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"


def responses_answers(script: Sequence[Answer], rng: random.Random, *, thinks: float) -> Iterator[Json]:
    """Responses of `script`."""
    for number, said in enumerate([*script, DONE]):
        output: list[Json] = []
        if rng.random() < thinks:
            output.append(_thought(number, rng))
        if said.text is not None:
            output.append(_message(number, {"type": "output_text", "text": said.text, "annotations": []}))
        elif not said.calls:
            output.append(_message(number, {"type": "refusal", "refusal": "I can't help with that."}))
        output += [
            {
                "id": f"fc_{number}_{place}",
                "type": "function_call",
                "status": "completed",
                "call_id": f"call_{number}_{place}",
                "name": name,
                "arguments": arguments,
            }
            for place, (name, arguments) in enumerate(said.calls or ())
        ]
        cut = not said.calls and rng.random() < 0.2
        yield {
            "id": f"resp_{number}",
            "object": "response",
            "created_at": 1,
            "model": "m",
            "status": "incomplete" if cut else "completed",
            "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
            "error": None,
            "instructions": None,
            "metadata": {},
            "parallel_tool_calls": True,
            "temperature": None,
            "tool_choice": "auto",
            "tools": [],
            "top_p": None,
            "output": output,
            "usage": {
                "input_tokens": 10 + number,
                "input_tokens_details": {"cached_tokens": 0},
                "output_tokens": 5,
                "output_tokens_details": {"reasoning_tokens": 0},
                "total_tokens": 15 + number,
            },
        }


def _thought(number: int, rng: random.Random) -> Json:
    summary = [{"type": "summary_text", "text": "Thinking."}] if rng.random() < 0.5 else []
    thought = {"id": f"rs_{number}", "type": "reasoning", "summary": summary, "encrypted_content": "gAAA"}
    return thought if rng.random() < 0.5 else {**thought, "status": None}


def _message(number: int, part: Json) -> Json:
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": [part],
    }


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
