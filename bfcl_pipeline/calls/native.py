"""Native tool calls: the official result form of function-calling mode.

A result is a list of one-key mappings from a function name to its arguments as JSON text. What a model
wrote instead (text, arguments that are no JSON) is not decodable. Source: the release's handlers for
OpenAI-compatible and Anthropic models, which share this reading.
"""

from __future__ import annotations

from collections.abc import Mapping

from bfcl_pipeline.calls.json_text import parse_json
from bfcl_pipeline.calls.limits import MAX_CALLS, MAX_NATIVE_TEXT, Undecodable, check_text
from bfcl_pipeline.records import Json


def read_native(result: Json) -> list[tuple[str, Json]]:
    """Names and arguments (still of any JSON type) of the calls in `result`.

    Empty text and an empty mapping hold no call, as an empty list does. Raises Undecodable.
    """
    if isinstance(result, str | Mapping) and not result:
        return []
    if not isinstance(result, list):
        raise Undecodable(f"expected a list of tool calls, got {type(result).__name__}")
    return [_read_call(item) for item in require_few(result)]


def require_few(items: list[Json]) -> list[Json]:
    """`items` themselves. Raises Undecodable if they are more than a model writes."""
    if len(items) > MAX_CALLS:
        raise Undecodable(f"{len(items):,} tool calls; at most {MAX_CALLS:,} are read")
    return items


def read_arguments(name: str, text: str) -> Json:
    """The arguments of the call of `name`, of any JSON type. Raises Undecodable."""
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
