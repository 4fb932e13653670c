"""Calls as objects with a name and arguments that are the whole answer, in an array or by themselves.

Source: the handlers bitagent, hammer, llama_3_1, salesforce_llama, salesforce_qwen and think_agent. The
release evaluates answers of Llama 3.1 as Python; here only literals and arithmetic are read, and of their
values only those that JSON can represent, tuples as lists.
"""

import json
import random
import string
from collections.abc import Callable
from functools import partial
from typing import Any

from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.dialogue.calls import parse_json, read_value
from bfcl_pipeline.dialogue.families.readers.answers import (
    Answer,
    Reader,
    call_name,
    named_calls,
    read_plain_text,
    uniform_rejected,
)

_UNREADABLE = (ValueError, TypeError, KeyError, AttributeError, RecursionError)
"""What official decoders raise over values of other kinds, and so do these readers."""

_PYTHON_TAG = "<|python_tag|>"
_FENCE = "```"
_END_OF_REASONING = "</think>"


def _reader(values: Callable[[str], Any], arguments: str = "arguments") -> Reader:
    """Reads the values that `values` finds in a text, with the arguments under that key."""
    return Reader(read_plain_text, partial(_uniform, values, arguments))


def _uniform(values: Callable[[str], Any], arguments: str, stored: Json, runs: bool) -> Json:
    try:
        return named_calls(_call(value, arguments, runs) for value in values(stored))
    except _UNREADABLE:
        return uniform_rejected(stored, runs)


def _call(value: Any, key: str, runs: bool) -> tuple[str, Json]:
    """Name and arguments. Official handlers run calls of any name, but only with an object of arguments."""
    name, arguments = value["name"], value[key]
    if not runs:
        hash(name)
    elif not isinstance(arguments, dict):
        raise TypeError("the arguments of a call are not an object")
    return str(name), arguments


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


def _unfenced_to_run(text: str) -> Any:
    """The same with defaults, also under a key; what is not an object is left out."""
    value = _unfenced(text)
    if isinstance(value, dict):
        value = value.get("tool_calls", [])
        value = value if isinstance(value, list) else [value]
    objects = [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
    return [{"name": "", "arguments": {}, **each} for each in objects]


def _hammer(stored: Json, runs: bool) -> Json:
    return _uniform(_unfenced_to_run if runs else _unfenced, "arguments", stored, runs)


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
HAMMER = Reader(read_plain_text, _hammer)
THINK_AGENT = Reader(read_plain_text, _think_agent)


def call_ids(earlier_messages: int, count: int) -> list[str]:
    """Ids of nine letters and digits; the official tool draws them at random, here the place decides."""
    drawn = random.Random(earlier_messages)  # noqa: S311  # no secret
    return ["".join(drawn.choices(string.ascii_letters + string.digits, k=9)) for _ in range(count)]


def _split(text: str, earlier: int) -> Answer:
    try:
        calls: Any = parse_json(text)
        stored = [{call_name(call["name"]): call["arguments"]} for call in calls]
        ids = call_ids(earlier, len(calls))
        identified = [{**call, "id": call_id} for call, call_id in zip(calls, ids, strict=True)]
        content = f"[TOOL_CALLS]{json.dumps(identified or calls)}"
    except (KeyError, RecursionError, TypeError, ValueError):
        return read_plain_text(text, earlier)
    return Answer(stored, {"role": "assistant", "content": content, "tool_call_ids": ids})


def _mistral(stored: Json, runs: bool) -> Json:
    if not isinstance(stored, list) or not all(isinstance(call, dict) for call in stored):
        return uniform_rejected(stored, runs)
    return [
        {
            name: arguments if runs and isinstance(arguments, str) else json.dumps(arguments)
            for name, arguments in call.items()
        }
        for call in stored
    ]


MISTRAL = Reader(_split, _mistral, stores_calls=True)
"""A JSON list of calls, each of which receives an id. JSON of any other form ends an entry with an error in
the official tool; here it is text. Source: the handler mistral_fc."""
