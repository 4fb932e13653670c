"""Finds the places at which two states differ, for messages to people."""

from dataclasses import fields, is_dataclass
from itertools import islice
from typing import Any

from bfcl_pipeline.base.differences import Difference, differences
from bfcl_pipeline.world.tools import plain

MOST = 3
"""Differences in one message."""


def first_differences(got: Any, expected: Any, most: int = MOST) -> list[Difference]:
    """The first `most` differences of two states of one API, in the order of its attributes.

    A path is an attribute, then keys and positions: orders[12446]['status'].
    """
    found = differences(got, expected, parts=_parts, strict=False)
    return [Difference(one.path, plain(one.first), plain(one.second)) for one in islice(found, most)]


def _parts(value: Any) -> dict[str, Any] | None:
    value = plain(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {f".{field.name}": getattr(value, field.name) for field in fields(value)}
    if isinstance(value, dict):
        return {f"[{key!r}]": item for key, item in value.items()}
    if isinstance(value, list):
        return {f"[{place}]": item for place, item in enumerate(value)}
    return None
