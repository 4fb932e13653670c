"""Joins the events of a chat completions stream, which has been read to its end, into one answer.

Covers text, reasoning, calls and usage, as sent by servers that answer with long reasoning only in a
stream; of any other key the last value is kept.
"""

from collections.abc import Iterator

from bfcl_pipeline.ask.models.adapters.response_validator import ResponseValidator, shorten_json
from bfcl_pipeline.benchmark.records import Json

_DATA = b"data:"
_DONE = b"[DONE]"

_PIECED = ("content", "reasoning_content", "reasoning", "refusal", "arguments")
"""Keys whose texts are sent in pieces."""


def fold_events(content: bytes, expect: ResponseValidator) -> dict[str, Json]:
    """The answer in the events of `content`. Raises Malformed."""
    if not content.lstrip().startswith((_DATA, b":", b"event:")):
        return expect.body(content)  # an error, or a server without streams
    answer: dict[str, Json] = {}
    choice: dict[str, Json] = {"index": 0, "message": {"role": "assistant"}, "finish_reason": None}
    has_choice = False
    for event in _events(content, expect):
        answer.update(
            (key, value) for key, value in event.items() if value is not None and key != "choices"
        )
        for piece in expect.items(event.get("choices") or [], "`choices`"):
            has_choice = True
            _add(choice, expect.mapping(piece, "an item of `choices`"), expect)
    if "error" in answer:
        return {**answer, "choices": []}
    if has_choice and choice["finish_reason"] is None:
        raise expect.malformed("the stream ends before the answer does")
    return {**answer, "choices": [choice] if has_choice else []}


def _events(content: bytes, expect: ResponseValidator) -> Iterator[dict[str, Json]]:
    for line in content.splitlines():
        data = line.removeprefix(_DATA).strip()
        if line.startswith(_DATA) and data and data != _DONE:
            yield expect.body(data)


def _add(choice: dict[str, Json], piece: dict[str, Json], expect: ResponseValidator) -> None:
    """Appends one piece to the choice."""
    if piece.get("finish_reason") is not None:
        choice["finish_reason"] = piece["finish_reason"]
    if piece.get("error"):
        choice["error"] = piece["error"]
    message: dict[str, Json] = choice["message"]
    delta = expect.mapping(piece.get("delta") or {}, "a `delta`")
    calls = expect.items(delta.get("tool_calls") or [], "`tool_calls`")
    _join(message, {key: value for key, value in delta.items() if key != "tool_calls"}, expect)
    for call in calls:
        listed = message.setdefault("tool_calls", [])
        named = expect.mapping(call, "a tool call")
        place = named.get("index", len(listed))
        if place == len(listed):
            listed.append({"type": "function", "function": {"arguments": ""}})
        if not isinstance(place, int) or not 0 <= place < len(listed):
            raise expect.malformed(
                f"expected the pieces of calls in order; got one with index {shorten_json(place)}"
            )
        function = expect.mapping(named.get("function") or {}, "the `function` of a tool call")
        _join(listed[place]["function"], function, expect)
        _join(listed[place], {k: v for k, v in named.items() if k not in ("index", "function")}, expect)


def _join(whole: dict[str, Json], piece: dict[str, Json], expect: ResponseValidator) -> None:
    for key, value in piece.items():
        if value is None or (value == "" and key in whole):
            continue
        if key in _PIECED:
            whole[key] = whole.get(key, "") + expect.text(value, f"`{key}`")
        else:
            whole[key] = value
