"""Results of earlier versions of the official tool, for the categories that are the same in the release.

Covers the files of V1, V2 and V3 for the retired categories: their names, the ids of their lines, and the
API keys in answers of the category rest. Entries of other categories have changed since, so their results
are not read.
"""

import re
from collections.abc import Mapping

from bfcl_pipeline.benchmark import CATEGORIES, GROUPS, Check
from bfcl_pipeline.executables.apis import PLACEHOLDERS
from bfcl_pipeline.records import Json

_NAME = re.compile(
    r"(?:gorilla_openfunctions_v1_test|BFCL_v[23])_(?P<name>[a-z_]{1,60}?)(?:_result)?\.json"
)

_V1: Mapping[str, str] = {
    "executable_simple": "exec_simple",
    "executable_multiple_function": "exec_multiple",
    "executable_parallel_function": "exec_parallel",
    "executable_parallel_multiple_function": "exec_parallel_multiple",
}
"""The categories that had another name in V1."""

FORMER_FILES = ("gorilla_openfunctions_v1_test_*.json", "BFCL_v[23]_*_result.json")
"""Glob patterns for files of results of earlier versions."""

_ID = re.compile(r"[a-z_]{1,60}_(\d{1,5})")

_QUOTED = r"['\"]\s{0,4}[:=]\s{0,4}['\"])[^'\"\\]{1,200}"
_KEYS = tuple(
    (re.compile(pattern), placeholder)
    for pattern, placeholder in (
        (rf"((?i:x-rapidapi-key){_QUOTED}", PLACEHOLDERS["RAPID_API_KEY"]),
        (rf"(['\"]api_key{_QUOTED}", PLACEHOLDERS["GEOCODE_API_KEY"]),
        (rf"(['\"]apikey{_QUOTED}", PLACEHOLDERS["OMDB_API_KEY"]),
        (r"([?&]api_key=)[^&'\"\s\\]{1,200}", PLACEHOLDERS["GEOCODE_API_KEY"]),
        (r"([?&]apikey=)[^&'\"\s\\]{1,200}", PLACEHOLDERS["OMDB_API_KEY"]),
        (r"(v6\.exchangerate-api\.com/v6/)[^/'\"\s\\]{1,200}", PLACEHOLDERS["EXCHANGERATE_API_KEY"]),
        (r"((?i:\bapi_?key)\s{0,4}=\s{0,4}['\"])[^'\"\\]{1,200}", "YOUR-API-KEY"),  # code, not a request
    )
)
"""Where an answer has a key, and what is written instead of it."""


def former_category(file_name: str) -> str | None:
    """The retired category of a file of results of an earlier version; None if it is not one."""
    match = _NAME.fullmatch(file_name)
    if match is None:
        return None
    name = _V1.get(match["name"], match["name"])
    return name if name in GROUPS["executable"] else None


def former_id(row: Mapping[str, Json], category: str) -> Json:
    """The id that the entry of a line has in the release: lines have ids of V1, or numbers."""
    given = row.get("id", row.get("idx"))
    if isinstance(given, int):
        return f"{category}_{given}"
    match = _ID.fullmatch(given) if isinstance(given, str) else None
    return f"{category}_{match[1]}" if match else given


def without_keys(result: Json, category: str) -> Json:
    """An answer with the release's placeholders instead of API keys, which V1 to V3 put into questions."""
    if CATEGORIES[category].check is not Check.REST:
        return result
    if isinstance(result, list):
        return [without_keys(item, category) for item in result]
    if isinstance(result, dict):
        return {key: without_keys(value, category) for key, value in result.items()}
    if isinstance(result, str):
        for pattern, placeholder in _KEYS:
            result = pattern.sub(rf"\g<1>{placeholder}", result)
    return result
