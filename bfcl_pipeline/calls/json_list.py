"""Calls written as JSON: `[{"function": name, "parameters": {...}}, ...]` somewhere in the text.

Text that is not JSON holds no call (it is not a failure), as in the release.
Source: the release's reading of the JSON return format.
"""

from __future__ import annotations

import json
import re

from bfcl_pipeline.calls.limits import Undecodable, check_text
from bfcl_pipeline.records import Json, Rules

_OPENING = re.compile(r"\[\s*\{")
_CLOSING = re.compile(r"\}\s*\]")


def read_json(text: str, rules: Rules) -> list[tuple[str, Json]]:
    """Names and parameters (of any JSON type) of the calls in `text`. Raises Undecodable."""
    check_text(text)
    try:
        found = json.loads(list_of_objects(text, rules))
    except json.JSONDecodeError:
        return []
    except (ValueError, RecursionError) as error:
        raise Undecodable(f"the JSON cannot be read ({error})") from None
    if not isinstance(found, list | dict | str):
        raise Undecodable(f"expected a JSON list of calls, got {type(found).__name__}")
    return [_read_call(item) for item in found if isinstance(item, dict)]


def list_of_objects(text: str, rules: Rules) -> str:
    """Rule `json-end`: official reads from the first `[{` to the next `}]`, so a call whose arguments
    hold a list of objects is cut short. Corrected reads to the bracket that closes the list.

    Looked for within the first `[` to the last `]`; where there is none, that whole stretch (or text).
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
    """Where the JSON list that starts at `start` ends; the end of the text if it is not JSON."""
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
