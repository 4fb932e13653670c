"""JSON that programs read in one way only: without duplicate names, and in one canonical form."""

from __future__ import annotations

import json
from typing import Any, NoReturn


def read_strictly(text: bytes) -> Any:
    """The value of a JSON text in UTF-8. Raises ValueError if it is malformed, ambiguous or too deep."""
    try:
        return json.loads(
            text.decode(), object_pairs_hook=_without_duplicates, parse_constant=_reject_constant
        )
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def canonical(value: Any, allow_nan: bool = False) -> bytes:
    """JSON in one form: sorted names, no spaces, ASCII. Raises ValueError for NaN, unless it is allowed."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=allow_nan).encode("ascii")


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object without duplicate names, which readers interpret differently."""
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a duplicate name in an object")
    return value


def _reject_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not JSON")
