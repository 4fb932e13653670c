"""Calls as objects with a name and arguments that are the whole answer, in an array or by themselves.

Source: the handlers bitagent, hammer, llama_3_1, salesforce_llama, salesforce_qwen and think_agent. The
release evaluates answers of Llama 3.1 as Python; here only literals and arithmetic are read, and of their
values only those that JSON can represent, tuples as lists.
"""

import json
from collections.abc import Callable
from functools import partial
from typing import Any

from bfcl_pipeline.calls import parse_json, read_value
from bfcl_pipeline.families.readers.answers import Reader, named_calls, plain, rejected, run_or_text
from bfcl_pipeline.records import Json

_UNREADABLE = (ValueError, TypeError, KeyError, AttributeError, RecursionError)
"""What official decoders raise over values of other kinds, and so do these readers."""

_PYTHON_TAG = "<|python_tag|>"
_FENCE = "```"
_END_OF_REASONING = "</think>"


def _reader(values: Callable[[str], Any], arguments: str = "arguments") -> Reader:
    """Reads the values that `values` finds in a text, with the arguments under that key."""
    return Reader(plain, partial(_uniform, values, arguments))


def _uniform(values: Callable[[str], Any], arguments: str, stored: Json, runs: bool) -> Json:
    try:
        calls = named_calls((_name(value, runs), value[arguments]) for value in values(stored))
    except _UNREADABLE:
        return rejected(stored, runs)
    return run_or_text(calls, stored, runs)


def _name(value: Any, runs: bool) -> str:
    """The name of a call, of which official handlers write any JSON value into the text that runs."""
    name = value["name"]
    if not runs:
        hash(name)
    return str(name)


def _array(text: str) -> Any:
    value = parse_json(text)
    return value if isinstance(value, list) else [value]


def _array_or_semicolons(text: str) -> Any:
    try:
        return _array(text)
    except json.JSONDecodeError:
        return [parse_json(part.strip()) for part in text.split(";")]


def _python_or_json(text: str) -> Any:
    text = text.replace(_PYTHON_TAG, "")
    if ";" in text:
        return [parse_json(part) for part in text.split(";")]
    value = read_value(text)
    return [value] if isinstance(value, dict) else value


def _unfenced(text: str) -> Any:
    """JSON without code fences; other text has no calls."""
    text = text.replace(_FENCE, "")
    try:
        return parse_json(text)
    except (ValueError, RecursionError):
        return []


def _hammer(stored: Json, runs: bool) -> Json:
    if not runs:
        return _uniform(_unfenced, "arguments", stored, runs)
    value = _unfenced(stored)
    if isinstance(value, dict):
        value = value.get("tool_calls", [])
        value = value if isinstance(value, list) else [value]
    calls = [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
    named = named_calls((str(each.get("name", "")), each.get("arguments", {})) for each in calls)
    return run_or_text(named, stored, runs)


def _after_reasoning(text: str) -> Any:
    """JSON after the reasoning, which single quotes may have; without reasoning there are no calls."""
    _, end, answer = text.strip().replace("'", '"').partition(_END_OF_REASONING)
    return parse_json(answer.strip()) if end else []


def _think_agent(stored: Json, runs: bool) -> Json:
    """In conversations the official handler makes no calls: it fails over every one."""
    return stored if runs else _uniform(_after_reasoning, "arguments", stored, runs)


ARRAY = _reader(_array)
ARRAY_OR_SEMICOLONS = _reader(_array_or_semicolons)
PYTHON_OR_JSON = _reader(_python_or_json, "parameters")
HAMMER = Reader(plain, _hammer)
THINK_AGENT = Reader(plain, _think_agent)
