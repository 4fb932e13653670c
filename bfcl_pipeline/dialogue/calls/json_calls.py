"""Reads calls written as JSON: native tool calls, and the JSON return format of prompted answers.

Native calls are the official result form of function-calling mode: a list of one-key mappings from a
function name to its arguments as JSON text. Anything else (text, arguments that are not JSON) cannot be
decoded. The return format is `[{"function": name, "parameters": {...}}, ...]` anywhere in the text; as in
the release, text that is not JSON is an answer without calls, not a failure.
Source: the release's handlers for OpenAI-compatible and Anthropic models, which decode alike, and its
reading of the JSON return format.
"""

import json
import re
from collections.abc import Mapping
from json.scanner import make_scanner

from bfcl_pipeline.benchmark.records import Json, Rules
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
    return [_read_native_call(item) for item in require_few(result)]


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


def _read_native_call(item: Json) -> tuple[str, Json]:
    if not isinstance(item, Mapping) or not item:
        raise Undecodable(f"expected {{name: arguments}}, got {type(item).__name__}")
    name = next(iter(item))
    arguments = item[name]
    if not isinstance(arguments, str):
        raise Undecodable(f"the arguments of {name!r} are {type(arguments).__name__}, expected JSON text")
    return name, read_arguments(name, arguments)


_OPENING = re.compile(r"\[\s*\{")
_CLOSING = re.compile(r"\}\s*\]")


def read_json(text: str, rules: Rules) -> list[tuple[str, Json]]:
    """Names and parameters (of any JSON type) of the calls in `text`. Raises Undecodable."""
    check_text(text)
    try:
        calls = json.loads(list_of_objects(text, rules))
    except json.JSONDecodeError:
        return []
    except (ValueError, RecursionError) as error:
        raise Undecodable(f"the JSON cannot be read ({error})") from None
    if not isinstance(calls, list | dict | str):
        raise Undecodable(f"expected a JSON list of calls, got {type(calls).__name__}")
    return [_read_call(item) for item in calls if isinstance(item, dict)]


def list_of_objects(text: str, rules: Rules) -> str:
    """Rule `json-end`: official reads from the first `[{` to the next `}]`, so a call whose arguments
    contain a list of objects is cut short. Corrected reads to the bracket that closes the list.

    Only the part from the first `[` to the last `]` is searched; without a `[{` it is returned whole.
    """
    first, last = text.find("["), text.rfind("]")
    if 0 <= first < last:
        text = text[first : last + 1]
    opening = _OPENING.search(text)
    if opening is None:
        return text
    if rules is Rules.CORRECTED:
        return text[opening.start() : _end_of_list(text, opening.start())]
    closing = _CLOSING.search(text, opening.end())
    return text[opening.start() : closing.end()] if closing else text


def _end_of_list(text: str, start: int) -> int:
    """The end of the JSON list that starts at `start`; the end of the text if it is not JSON."""
    try:
        return json.JSONDecoder().raw_decode(text, start)[1]
    except (ValueError, RecursionError):
        return len(text)


def _read_call(item: dict[str, Json]) -> tuple[str, Json]:
    for key in ("function", "parameters"):
        if key not in item:
            raise Undecodable(f"a call has no {key!r}")
    name = item["function"]
    if isinstance(name, list | dict):
        raise Undecodable(f"the function of a call is a {type(name).__name__}, expected its name")
    return name if isinstance(name, str) else json.dumps(name), item["parameters"]
