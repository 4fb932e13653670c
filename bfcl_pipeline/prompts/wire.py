"""Chat messages in the form that each wire format sends them on the first turn.

Covers roles, where the system prompt goes and the blocks that hold text. Options of a request (cache
marks, temperature) and messages with tool results are the adapters'. Source: the release's handlers
openai_completion, openai_response, claude and gemini.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bfcl_pipeline.prompts.schemas import WireFormat
from bfcl_pipeline.records import Json, Message


@dataclass(frozen=True, slots=True)
class WireMessages:
    """The messages of one request in the terms of a wire format."""

    system: Json  # the system prompt where it has a place of its own; None if none is sent there
    messages: tuple[Json, ...]  # all others, in order


def messages_for(wire: WireFormat, messages: Sequence[Message]) -> WireMessages:
    """`messages` as `wire` sends them."""
    return _SHAPES[wire](messages)


def _openai_chat(messages: Sequence[Message]) -> WireMessages:
    return WireMessages(None, tuple(messages))


def _openai_responses(messages: Sequence[Message]) -> WireMessages:
    return WireMessages(None, tuple(_in_role(message, "system", "developer") for message in messages))


def _anthropic(messages: Sequence[Message]) -> WireMessages:
    system, others = _without_system(messages)
    return WireMessages(
        None if system is None else [_text_block(system)],
        tuple(
            {**message, "content": [_text_block(message["content"])]} for message in _joined_users(others)
        ),
    )


def _gemini(messages: Sequence[Message]) -> WireMessages:
    system, others = _without_system(messages)
    return WireMessages(
        system or None,
        tuple(
            {"role": renamed["role"], "parts": [{"text": renamed["content"]}]}
            for renamed in (_in_role(message, "assistant", "model") for message in others)
        ),
    )


def _in_role(message: Message, role: str, name: str) -> Message:
    return {**message, "role": name} if message["role"] == role else message


def _text_block(text: str) -> Json:
    return {"type": "text", "text": text}


def _without_system(messages: Sequence[Message]) -> tuple[str | None, list[Message]]:
    """The text of the first system message, wherever it stands, and all other messages."""
    for place, message in enumerate(messages):
        if message["role"] == "system":
            return message["content"], [*messages[:place], *messages[place + 1 :]]
    return None, list(messages)


def _joined_users(messages: Sequence[Message]) -> list[Message]:
    """`messages` with neighbouring user messages made one, as roles have to alternate."""
    joined: list[Message] = []
    for message in messages:
        if joined and message["role"] == joined[-1]["role"] == "user":
            joined[-1] = {**joined[-1], "content": f"{joined[-1]['content']}\n\n{message['content']}"}
        else:
            joined.append(message)
    return joined


_SHAPES: Mapping[WireFormat, Callable[[Sequence[Message]], WireMessages]] = {
    WireFormat.OPENAI_CHAT: _openai_chat,
    WireFormat.OPENAI_RESPONSES: _openai_responses,
    WireFormat.ANTHROPIC: _anthropic,
    WireFormat.GEMINI: _gemini,
}
