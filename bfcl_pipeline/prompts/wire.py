"""Chat messages in the form that each wire format sends them, for whole conversations.

Covers roles, where the system prompt goes, the blocks that hold text, and how calls and their results
stand in a history. An answer that an adapter has read is sent back as the API gave it, under the key `raw`
of its message: with what stands beside text and calls and is wanted back (thoughts and their signatures,
ids and statuses of output items, refusals). Not covered: options of a request (cache marks, temperature),
which are the adapters'. Source: the release's handlers openai_completion, openai_response, claude and
gemini.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from bfcl_pipeline.prompts.characters import whole
from bfcl_pipeline.prompts.schemas import WireFormat
from bfcl_pipeline.records import Json, Message

RAW = "raw"
"""Under which an assistant's message has what the API gave, to be sent back as it is."""


@dataclass(frozen=True, slots=True)
class WireMessages:
    """The messages of one request in the terms of a wire format."""

    system: Json  # the system prompt where it has a place of its own; None if none is sent there
    messages: tuple[Json, ...]  # all others, in order


def messages_for(wire: WireFormat, messages: Sequence[Message]) -> WireMessages:
    """`messages` as `wire` sends them.

    What an assistant's message has under `raw` stands in its place, unchanged: for chat completions a
    message, for Responses a list of items, for Anthropic a list of blocks of content, for Gemini a content.
    Raises ValueError where the format sends arguments as an object and those of a call are no JSON text.
    """
    return _SHAPES[wire]([_writable(message) for message in messages])


def _writable(message: Message) -> Message:
    """`message`, with what tools or a memory tell in it mended where no request could hold it."""
    content = message.get("content")
    if not isinstance(content, str) or (mended := whole(content)) is content:
        return message
    return {**message, "content": mended}


def _openai_chat(messages: Sequence[Message]) -> WireMessages:
    return WireMessages(None, tuple(_chat_message(message) for message in messages))


def _chat_message(message: Message) -> Json:
    if RAW in message:
        return message[RAW]
    if message["role"] == "tool":
        return {"role": "tool", "content": message["content"], "tool_call_id": message["tool_call_id"]}
    if "tool_calls" not in message:
        return message
    calls = [
        {"id": call["id"], "type": "function", "function": _named_arguments(call)}
        for call in message["tool_calls"]
    ]
    return {**message, "tool_calls": calls}


def _openai_responses(messages: Sequence[Message]) -> WireMessages:
    return WireMessages(None, tuple(item for message in messages for item in _response_items(message)))


def _response_items(message: Message) -> Iterator[Json]:
    """The items that stand for `message`; an answer without text and calls leaves none."""
    if RAW in message:
        yield from message[RAW]
    elif message["role"] == "tool":
        yield {
            "type": "function_call_output",
            "call_id": message["tool_call_id"],
            "output": message["content"],
        }
    elif message["role"] == "assistant":
        if message["content"]:
            yield {key: value for key, value in message.items() if key != "tool_calls"}
        for call in _calls(message):
            yield {"type": "function_call", "call_id": call["id"], **_named_arguments(call)}
    else:
        yield _in_role(message, "system", "developer")


def _anthropic(messages: Sequence[Message]) -> WireMessages:
    system, others = _without_system(messages)
    return WireMessages(
        None if system is None else [_text_block(system)],
        tuple(_shaped(_joined_users(others), _anthropic_message, _tool_results)),
    )


def _anthropic_message(message: Message) -> Json:
    """Text in a block, calls in blocks after it; an answer of neither has no block."""
    if RAW in message:
        return {"role": "assistant", "content": message[RAW]}
    if message["role"] != "assistant":
        return {**message, "content": [_text_block(message["content"])]}
    text = [_text_block(message["content"])] if message["content"] else []
    calls = [
        {"type": "tool_use", "id": call["id"], "name": call["name"], "input": _arguments(call)}
        for call in _calls(message)
    ]
    return {"role": "assistant", "content": text + calls}


def _tool_results(results: Sequence[Message]) -> Json:
    blocks = [
        {"type": "tool_result", "content": result["content"], "tool_use_id": result["tool_call_id"]}
        for result in results
    ]
    return {"role": "user", "content": blocks}


def _gemini(messages: Sequence[Message]) -> WireMessages:
    system, others = _without_system(messages)
    return WireMessages(system or None, tuple(_shaped(others, _gemini_content, _function_responses)))


def _gemini_content(message: Message) -> Json:
    if RAW in message:
        return message[RAW]
    text = [] if message["content"] is None else [{"text": message["content"]}]
    calls = [
        {"function_call": {"name": call["name"], "args": _arguments(call)}} for call in _calls(message)
    ]
    return {"role": _in_role(message, "assistant", "model")["role"], "parts": text + calls}


def _function_responses(results: Sequence[Message]) -> Json:
    parts = [
        {"function_response": {"name": result["name"], "response": {"result": result["content"]}}}
        for result in results
    ]
    return {"role": "user", "parts": parts}


def _calls(message: Message) -> Sequence[Mapping[str, str]]:
    calls: Sequence[Mapping[str, str]] = message.get("tool_calls", ())
    return calls


def _named_arguments(call: Mapping[str, str]) -> dict[str, Json]:
    return {"name": call["name"], "arguments": call["arguments"]}


def _arguments(call: Mapping[str, str]) -> Json:
    return json.loads(call["arguments"])


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
    """`messages` with neighbouring user messages made one, as roles have to alternate.

    The release joins them within a turn, before the conversation. That is the same: a model's answer
    stands between the turns, and before the results of prompted calls.
    """
    joined: list[Message] = []
    for message in messages:
        if joined and message["role"] == joined[-1]["role"] == "user":
            joined[-1] = {**joined[-1], "content": f"{joined[-1]['content']}\n\n{message['content']}"}
        else:
            joined.append(message)
    return joined


def _shaped(
    messages: Sequence[Message],
    one: Callable[[Message], Json],
    results_of_a_step: Callable[[Sequence[Message]], Json],
) -> Iterator[Json]:
    """Each message as `one` shapes it, neighbouring tool messages together as `results_of_a_step` does."""
    for are_results, group in groupby(messages, key=lambda message: message["role"] == "tool"):
        if are_results:
            yield results_of_a_step(list(group))
        else:
            yield from map(one, group)


_SHAPES: Mapping[WireFormat, Callable[[Sequence[Message]], WireMessages]] = {
    WireFormat.OPENAI_CHAT: _openai_chat,
    WireFormat.OPENAI_RESPONSES: _openai_responses,
    WireFormat.ANTHROPIC: _anthropic,
    WireFormat.GEMINI: _gemini,
}
