"""Calls as JSON objects with name and arguments, between marks or after them.

Where the release evaluates text, Python literals and arithmetic are read; for other text the release mostly
fails, and its whole answer is an error message, which cannot be decoded either.
Source: the handlers qwen_fc, granite_4, nanbeige_fc and pelican_vl_fc (kept as text); arch, phi_fc and
granite_3 (kept as a list of {name: arguments}, an answer without such calls as text); falcon_fc; granite.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.dialogue.calls import Work, parse_json, read_value
from bfcl_pipeline.dialogue.families.readers.answers import (
    Answer,
    Reader,
    between,
    call_name,
    is_shallow,
    named_calls,
    no_calls,
    read_arguments,
    read_plain_text,
    uniform_rejected,
    without_reasoning,
)

_START, _END = "<tool_call>\n", "\n</tool_call>"


def _tagged_values(text: str) -> list[Json]:
    """The JSON values between the tags; others are left out."""
    values = []
    for written in between(text, _START, _END):
        with suppress(ValueError, RecursionError):
            values.append(parse_json(written))
    return values


def _is_call(value: Json) -> bool:
    """Whether a template can write `value` as a call. For others the release fails at the next request.

    It writes some that are nested deeper than `is_shallow` allows, and fails over the rest.
    """
    written = value.get("function", value) if isinstance(value, Mapping) else None
    return (
        isinstance(written, Mapping) and "name" in written and "arguments" in written and is_shallow(value)
    )


def _split(text: str, _earlier: int) -> Answer:
    answer, reasoning = without_reasoning(text)
    return Answer(answer, {**_reply(text, answer), "reasoning_content": reasoning}, reasoning)


def _split_whole(text: str, _earlier: int) -> Answer:
    return Answer(text, _reply(text, text))


def _reply(text: str, answer: str) -> dict[str, Json]:
    """The message of the history: calls, also those of the reasoning, without other text, or `answer`."""
    calls = _tagged_values(text)
    if not calls or not all(map(_is_call, calls)):
        return {"role": "assistant", "content": answer}
    return {"role": "assistant", "content": "", "tool_calls": calls}


def _tagged(stored: Json, runs: bool) -> Json:
    try:
        return named_calls(_named_call(call, runs) for call in _tagged_values(stored))
    except (ValueError, RecursionError):
        return stored


def _named_call(call: Json, runs: bool) -> tuple[str, Json]:
    """Name and arguments of a call. Raises ValueError or RecursionError where the release fails."""
    match call:
        case {"name": None | bool() | int() | float() | str() as name, "arguments": written}:
            arguments = read_arguments(written, runs)
            if isinstance(arguments, dict):
                return str(name), arguments
    raise ValueError("not a call with a name and a mapping of arguments")


TOOL_CALL_TAGS = Reader(_split, _tagged)
"""Calls after reasoning."""

TOOL_CALL_TAGS_ONLY = Reader(_split_whole, _tagged)
"""Calls without reasoning: the whole text is the answer."""


_PHI_START, _PHI_END = "<|tool_call|>", "<|/tool_call|>"


def _split_arch(text: str, _earlier: int) -> Answer:
    calls = [_json_or_text(written) for written in between(text, _START, _END)]
    work = Work()
    try:
        evaluated = [read_value(call, work) if isinstance(call, str) else call for call in calls]
        stored = _stored(evaluated)
    except (ValueError, TypeError, LookupError, RecursionError):
        stored = None
    if not calls or stored is None:
        return Answer(text, {"role": "assistant", "content": text})
    if not all(isinstance(call.get("function", call), dict) and is_shallow(call) for call in evaluated):
        return Answer(stored, {"role": "assistant", "content": text})
    return Answer(stored, {"role": "assistant", "content": None, "tool_calls": evaluated})


def _of_lists(written: Callable[[str], Iterator[str]]) -> Callable[[str, int], Answer]:
    """Splits a text by what it writes as lists of calls; the history keeps the text."""

    def split(text: str, _earlier: int) -> Answer:
        reply = {"role": "assistant", "content": text}
        work = Work()
        try:
            calls = [call for part in written(text) for call in _listed(part, work)]
            only_calls = all(
                isinstance(call, dict) and call.keys() == {"name", "arguments"} for call in calls
            )
            return Answer(_stored(calls) if calls and only_calls else text, reply)
        except (ValueError, TypeError, RecursionError):
            return Answer(text, reply)

    return split


def _phi_parts(text: str) -> Iterator[str]:
    """What is between the marks; if none ends, what follows the first, without one line end."""
    parts = between(text, _PHI_START, _PHI_END)
    _, start, rest = text.partition(_PHI_START)
    if not parts and start:
        parts.append(rest.removesuffix("\n"))
    yield from parts


def _granite_parts(text: str) -> Iterator[str]:
    """What follows the first mark, of which there are two forms."""
    text = text.lstrip("ASSISTANT:").lstrip()  # noqa: B005  # these characters, as the release does
    mark = "<tool_call>"
    if mark in text:
        text = text.replace("</tool_call>", "")
    else:
        mark = _PHI_START
    _, start, rest = text.partition(mark)
    if start:
        yield rest.strip()


def _listed(part: str, work: Work) -> list[Any]:
    """The items of a list, which may lack its brackets. Raises ValueError."""
    if not part.startswith("[") and not part.endswith("]"):
        part = f"[{part}]"
    try:
        value = parse_json(part)
    except json.JSONDecodeError:
        return [part]
    if not isinstance(value, list):
        return [value]
    return [read_value(item, work) if isinstance(item, str) else item for item in value]


def _json_or_text(written: str) -> Json:
    try:
        return parse_json(written)
    except (ValueError, RecursionError):
        return written


def _stored(calls: list[Any]) -> Json:
    """Calls by their names, as they are after they were written as JSON.

    Raises ValueError, TypeError, LookupError or RecursionError where the release fails.
    """
    return parse_json(json.dumps([{call["name"]: call["arguments"]} for call in calls]))


def _listed_calls(stored: Json, runs: bool) -> Json:
    if not isinstance(stored, list) or not all(isinstance(call, dict) for call in stored):
        return uniform_rejected(stored, runs)
    try:
        return named_calls(
            (name, read_arguments(arguments, runs)) for call in stored for name, arguments in call.items()
        )
    except (ValueError, RecursionError):
        return stored


ARCH_CALLS = Reader(_split_arch, _listed_calls, stores_calls=True)
"""Each between <tool_call> tags."""

PHI_CALLS = Reader(_of_lists(_phi_parts), _listed_calls, stores_calls=True)
"""In lists between <|tool_call|> marks."""

GRANITE_3_CALLS = Reader(_of_lists(_granite_parts), _listed_calls, stores_calls=True)
"""In one list after <tool_call> or <|tool_call|>."""


_FENCE = "```"


def _falcon(stored: Json, runs: bool) -> Json:
    try:
        return named_calls(
            (str(name) if runs else call_name(name), arguments) for name, arguments in _falcon_calls(stored)
        )
    except (KeyError, RecursionError, TypeError, ValueError):
        return uniform_rejected(stored, runs)


def _falcon_calls(text: str) -> list[tuple[Any, Any]]:
    """Names and arguments, of any JSON type. Raises an error of their reading if the text has no calls."""
    _, start, rest = text.partition(_START.strip())
    if not start:
        raise ValueError("no calls")
    written = rest.split(_START.strip(), 1)[0].split(_END.strip(), 1)[0].strip()
    if written.startswith(_FENCE) and written.endswith(_FENCE):
        written = written.strip("`").strip().removeprefix("json").strip()
    values: Any = parse_json(written)
    values = values if isinstance(values, list) else [values]
    return [(each["name"], each["arguments"]) for each in values]


FALCON = Reader(read_plain_text, _falcon)
"""Calls after the first <tool_call>, also between code fences."""


_MARK = "<function_call>"
_NO_FUNCTION, _NOTHING_CALLED = "no_function", "No function is called"


def _function_call_marks(stored: Json, runs: bool) -> Json:
    try:
        found = [_marked_call(text) for part in stored.split(_MARK) if (text := part.strip())]
        if runs:
            if not all(isinstance(each, str) or isinstance(each[1], dict) for each in found):
                return stored
            return named_calls((each, {}) if isinstance(each, str) else each for each in found) or stored
        calls = [each for each in found if not isinstance(each, str)]
        return named_calls(calls) if len(calls) == len(found) else no_calls(stored)
    except (AttributeError, RecursionError, TypeError):
        return uniform_rejected(stored, runs)


def _marked_call(text: str) -> tuple[str, Any] | str:
    """A name and its arguments, or text that is not a call. Raises AttributeError for other JSON."""
    try:
        value: Any = parse_json(text)
    except (ValueError, RecursionError):
        return text
    name = value.get("name", "").strip()
    return _NOTHING_CALLED if name == _NO_FUNCTION else (name, value.get("arguments", {}))


FUNCTION_CALL_MARKS = Reader(read_plain_text, _function_call_marks)
"""Calls after <function_call> marks.

In a conversation the official handler evaluates what is not JSON as Python, also sentences, whose error is
the result that the model is sent; so only an answer without any text ends a turn before the limit of steps.
Here such a text is the name of a function, which does not exist, and nothing is evaluated.
"""
