"""Calls as JSON objects with name and arguments, between <tool_call> tags, which are kept as text.

Source: the handlers qwen_fc, granite_4, nanbeige_fc and pelican_vl_fc.
"""

from collections.abc import Mapping

from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.dialogue.calls import parse_json
from bfcl_pipeline.dialogue.families.readers.answers import (
    Answer,
    Reader,
    is_shallow,
    named_calls,
    read_arguments,
)
from bfcl_pipeline.dialogue.families.readers.between import between
from bfcl_pipeline.dialogue.families.readers.reasoning import without_reasoning

START, END = "<tool_call>\n", "\n</tool_call>"
"""Around a call."""


def _tagged_values(text: str) -> list[Json]:
    """The JSON values between the tags; others are left out."""
    values = []
    for written in between(text, START, END):
        try:
            values.append(parse_json(written))
        except (ValueError, RecursionError):
            continue
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


def _uniform(stored: Json, runs: bool) -> Json:
    try:
        return named_calls(_named(call, runs) for call in _tagged_values(stored))
    except (ValueError, RecursionError):
        return stored


def _named(call: Json, runs: bool) -> tuple[str, Json]:
    """Name and arguments of a call. Raises ValueError or RecursionError where the release fails."""
    match call:
        case {"name": None | bool() | int() | float() | str() as name, "arguments": written}:
            arguments = read_arguments(written, runs)
            if isinstance(arguments, dict):
                return str(name), arguments
    raise ValueError("not a call with a name and a mapping of arguments")


TOOL_CALL_TAGS = Reader(_split, _uniform)
"""Calls after reasoning."""

TOOL_CALL_TAGS_ONLY = Reader(_split_whole, _uniform)
"""Calls without reasoning: the whole text is the answer."""
