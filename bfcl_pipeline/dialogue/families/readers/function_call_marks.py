"""Calls as JSON objects after <function_call> marks. Source: the handler granite.

In a conversation the official handler evaluates what is not JSON as Python, also sentences, whose error is
the result that the model is sent; so only an answer without any text ends a turn before the limit of steps.
Here such a text is the name of a function, which does not exist, and nothing is evaluated.
"""

from typing import Any

from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.dialogue.calls import parse_json
from bfcl_pipeline.dialogue.families.readers.answers import (
    Reader,
    named_calls,
    no_calls,
    read_plain_text,
    uniform_rejected,
)

_MARK = "<function_call>"
_NO_FUNCTION, _NOTHING_CALLED = "no_function", "No function is called"


def _uniform(stored: Json, runs: bool) -> Json:
    try:
        found = [_call(text) for part in stored.split(_MARK) if (text := part.strip())]
        if runs:
            if not all(isinstance(each, str) or isinstance(each[1], dict) for each in found):
                return stored
            return named_calls((each, {}) if isinstance(each, str) else each for each in found) or stored
        calls = [each for each in found if not isinstance(each, str)]
        return named_calls(calls) if len(calls) == len(found) else no_calls(stored)
    except (AttributeError, RecursionError, TypeError):
        return uniform_rejected(stored, runs)


def _call(text: str) -> tuple[str, Any] | str:
    """A name and its arguments, or text that is not a call. Raises AttributeError for other JSON."""
    try:
        value: Any = parse_json(text)
    except (ValueError, RecursionError):
        return text
    name = value.get("name", "").strip()
    return _NOTHING_CALLED if name == _NO_FUNCTION else (name, value.get("arguments", {}))


FUNCTION_CALL_MARKS = Reader(read_plain_text, _uniform)
