"""Reads calls written as JSON: `[{"function": name, "parameters": {...}}, ...]` anywhere in the text.

As in the release, text that is not JSON is an answer without calls, not a failure.
Source: the release's reading of the JSON return format.
"""

import json
import re

from bfcl_pipeline.benchmark.records import Json, Rules
from bfcl_pipeline.dialogue.calls.limits import Undecodable, check_text

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
