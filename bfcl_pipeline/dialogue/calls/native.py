"""Reads native tool calls: the official result form of function-calling mode.

A result is a list of one-key mappings from a function name to its arguments as JSON text. Anything else
(text, arguments that are not JSON) cannot be decoded. Source: the release's handlers for
OpenAI-compatible and Anthropic models, which decode alike.
"""

import json
from collections.abc import Mapping
from json.scanner import make_scanner

from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.dialogue.calls.limits import MAX_CALLS, MAX_NATIVE_TEXT, Undecodable, check_text

_SCAN = make_scanner(json.JSONDecoder())  # type: ignore[arg-type]  # any decoder will do


def parse_json(text: str) -> Json:
    """`json.loads(text)`, faster where the text starts with the value: tables hold 100,000 such texts.

    Raises ValueError (JSONDecodeError if the text is not JSON) and RecursionError.
    """
    try:
        value, end = _SCAN(text, 0)
    except StopIteration:
        return json.loads(text)
    return value if not text[end:].strip(" \t\n\r") else json.loads(text)


def read_native(result: Json) -> list[tuple[str, Json]]:
    """Names and arguments (of any JSON type) of the calls in `result`.

    Empty text, an empty mapping and an empty list have no calls. Raises Undecodable.
    """
    if isinstance(result, str | Mapping) and not result:
        return []
    if not isinstance(result, list):
        raise Undecodable(f"expected a list of tool calls, got {type(result).__name__}")
    return [_read_call(item) for item in require_few(result)]


def require_few(items: list[Json]) -> list[Json]:
    """Returns `items`. Raises Undecodable if there are more than MAX_CALLS."""
    if len(items) > MAX_CALLS:
        raise Undecodable(f"{len(items):,} tool calls; at most {MAX_CALLS:,} are read")
    return items


def read_arguments(name: str, text: str) -> Json:
    """The arguments of a call of `name` from JSON text, of any JSON type. Raises Undecodable."""
    try:
        return parse_json(check_text(text, MAX_NATIVE_TEXT))
    except (ValueError, RecursionError) as error:
        raise Undecodable(f"the arguments of {name!r} are not JSON ({error})") from None


def _read_call(item: Json) -> tuple[str, Json]:
    if not isinstance(item, Mapping) or not item:
        raise Undecodable(f"expected {{name: arguments}}, got {type(item).__name__}")
    name = next(iter(item))
    arguments = item[name]
    if not isinstance(arguments, str):
        raise Undecodable(f"the arguments of {name!r} are {type(arguments).__name__}, expected JSON text")
    return name, read_arguments(name, arguments)
