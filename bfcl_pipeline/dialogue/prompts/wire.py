"""Writes chat messages of whole conversations in each wire format.

Covers roles, the place of the system prompt, content blocks, and calls with their results in a history. An
answer that an adapter has read is sent back exactly as the API returned it, under the key `raw` of its
message, including thoughts and their signatures, ids and statuses of output items, and refusals. Options
of a request (cache marks, temperature) are not covered; the adapters add them. Source: the release's
handlers openai_completion, openai_response, claude and gemini.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from bfcl_pipeline.base.text import valid_unicode
from bfcl_pipeline.benchmark.records import Json, Message
from bfcl_pipeline.dialogue.prompts.schemas import WireFormat

RAW = "raw"
"""The key of an assistant's message for the API's original message, which is sent back unchanged."""


@dataclass(frozen=True, slots=True)
class WireMessages:
    """The messages of one request in a wire format."""

    system: Json  # the system prompt, if the format has a separate field for it; else None
    messages: tuple[Json, ...]  # all other messages, in order


def messages_for(wire: WireFormat, messages: Sequence[Message]) -> WireMessages:
    """`messages` in the form of `wire`.

    The value of `raw` replaces an assistant's message: for chat completions it is a message, for Responses
    a list of items, for Anthropic a list of content blocks, for Gemini a content. Raises ValueError if the
    format sends arguments as an object and the arguments of a call are not JSON text.
    """
    return _SHAPES[wire]([_writable(message) for message in messages])


def _writable(message: Message) -> Message:
    """`message` with lone surrogates replaced, which results of tools and memories may hold."""
    content = message.get("content")
    if not isinstance(content, str) or (valid := valid_unicode(content)) is content:
        return message
    return {**message, "content": valid}


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
    """The items of `message`; an answer without text and calls has none."""
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
        tuple(_shaped(joined_users(others), _anthropic_message, _tool_results)),
    )


def _anthropic_message(message: Message) -> Json:
    """Text in one block, then one block per call; an answer without text and calls has no block."""
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
    """The text of the first system message, at any position, and all other messages."""
    for place, message in enumerate(messages):
        if message["role"] == "system":
            return message["content"], [*messages[:place], *messages[place + 1 :]]
    return None, list(messages)


def joined_users(messages: Sequence[Message]) -> list[Message]:
    """`messages` with adjacent user messages joined by an empty line, because roles must alternate.

    The release joins them within a turn, before the conversation. Of a whole conversation the result is the
    same, since an answer of the model separates turns, and precedes the results of prompted calls.
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
    shape_message: Callable[[Message], Json],
    shape_results: Callable[[Sequence[Message]], Json],
) -> Iterator[Json]:
    """Each message through `shape_message`, adjacent tool messages together through `shape_results`."""
    for are_results, group in groupby(messages, key=lambda message: message["role"] == "tool"):
        if are_results:
            yield shape_results(list(group))
        else:
            yield from map(shape_message, group)


_SHAPES: Mapping[WireFormat, Callable[[Sequence[Message]], WireMessages]] = {
    WireFormat.OPENAI_CHAT: _openai_chat,
    WireFormat.OPENAI_RESPONSES: _openai_responses,
    WireFormat.ANTHROPIC: _anthropic,
    WireFormat.GEMINI: _gemini,
}
