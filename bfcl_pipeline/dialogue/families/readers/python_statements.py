"""Calls as lines of Python between <|tool_call_start|> and <|tool_call_end|>.

The official handler keeps tuples and other values that JSON does not have. In a conversation such a value
is the list, or text, that JSON has instead; of calls that are only compared it is its text in Python, which
like the value itself is not of the type that a parameter requires. Source: the handler minicpm_fc.
"""

import json
from typing import Any

from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.dialogue.calls import read_statements
from bfcl_pipeline.dialogue.families.readers.answers import Reader, no_calls, read_plain_text

_THOUGHT_START, _THOUGHT_END = "<|thought_start|>", "<|thought_end|>"
_START, _END = "<|tool_call_start|>", "<|tool_call_end|>"
_FENCE = "`"


def _uniform(stored: Json, runs: bool) -> Json:
    try:
        calls = _calls(stored)
        named = [{name: json.dumps(_value(arguments, runs))} for name, arguments in calls]
    except (RecursionError, ValueError):
        return stored
    return named or (stored if runs else no_calls(stored))


def _calls(text: str) -> list[tuple[str, Any]]:
    """Names and arguments. Raises ValueError if a start mark is only after the last end mark."""
    if _THOUGHT_END in text and _THOUGHT_START in text:
        _, text = _parts(text, _THOUGHT_START, _THOUGHT_END)
    if _START not in text or _END not in text:
        return []
    written = _parts(text, _START, _END)[0].strip()
    if written.startswith(_FENCE * 3):
        written = written.lstrip(_FENCE).strip()
        if written.startswith("python"):
            written = written.lstrip("python").strip()
    if written.endswith(_FENCE * 3):
        written = written.rstrip(_FENCE).strip()
    return read_statements(written) or []


def _parts(text: str, start: str, end: str) -> tuple[str, str]:
    """What is between the first `start` and the last `end`, and what follows."""
    before, _, rest = text.rpartition(end)
    _, found, between = before.partition(start)
    if not found:
        raise ValueError(f"{end} is not after {start}")
    return between, rest


def _value(value: Any, runs: bool) -> Json:
    """`value` as one that JSON has."""
    match value:
        case dict():
            return {_key(key): _value(item, runs) for key, item in value.items()}
        case list():
            return [_value(item, runs) for item in value]
        case tuple() if runs:
            return [_value(item, runs) for item in value]
        case None | bool() | int() | float() | str():
            return value
    return repr(value)


def _key(key: Any) -> str:
    return key if isinstance(key, str) else repr(key)


PYTHON_STATEMENTS = Reader(read_plain_text, _uniform)
