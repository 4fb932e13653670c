"""Calls written as JSON: `[{"function": name, "parameters": {...}}, ...]` somewhere in the text.

Text that is not JSON holds no call (it is not a failure), as in the release.
Source: the release's reading of the JSON return format.
"""

from __future__ import annotations

import json
import re

from bfcl_pipeline.calls.limits import Undecodable, check_text
from bfcl_pipeline.records import Json

_OPENING = re.compile(r"\[\s*\{")
_CLOSING = re.compile(r"\}\s*\]")


def read_json(text: str) -> list[tuple[str, Json]]:
    """Names and parameters (of any JSON type) of the calls in `text`. Raises Undecodable."""
    check_text(text)
    try:
        found = json.loads(_list_of_objects(text))
    except json.JSONDecodeError:
        return []
    except (ValueError, RecursionError) as error:
        raise Undecodable(f"the JSON cannot be read ({error})") from None
    if not isinstance(found, list | dict | str):
        raise Undecodable(f"expected a JSON list of calls, got {type(found).__name__}")
    return [_read_call(item) for item in found if isinstance(item, dict)]


def _list_of_objects(text: str) -> str:
    """The stretch from the first `[{` to the next `}]`, white space between them allowed.

    Looked for within the first `[` to the last `]`; where there is none, that whole stretch (or text).
    """
    first, last = text.find("["), text.rfind("]")
    if 0 <= first < last:
        text = text[first : last + 1]
    opening = _OPENING.search(text)
    closing = _CLOSING.search(text, opening.end()) if opening else None
    return text[opening.start() : closing.end()] if opening and closing else text


def _read_call(item: dict[str, Json]) -> tuple[str, Json]:
    for key in ("function", "parameters"):
        if key not in item:
            raise Undecodable(f"a call has no {key!r}")
    name = item["function"]
    if isinstance(name, list | dict):
        raise Undecodable(f"the function of a call is a {type(name).__name__}, expected its name")
    return name if isinstance(name, str) else json.dumps(name), item["parameters"]
