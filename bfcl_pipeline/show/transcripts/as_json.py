"""Records as values of JSON, for a page.

A record is an object with the names of its fields. A field with its default value is left out, and so is an
empty tuple or text: a reader takes what is absent for empty. `valid` of a verdict is always there: true,
false or null. Invisible characters of texts, direction marks and lone surrogates included, are written as
escapes that a person can read, so a reader need not look for them.
"""

from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any

from bfcl_pipeline.base.text import printable
from bfcl_pipeline.benchmark.records import Json


def as_json(record: Any) -> Json:
    """A record of `parts`, or a part of one, as a value of JSON; equal records become equal values."""
    if isinstance(record, str):
        return printable(record.value if isinstance(record, Enum) else record)
    if isinstance(record, tuple):
        return [as_json(part) for part in record]
    if not is_dataclass(record):
        return record.value if isinstance(record, Enum) else record
    kind: Any = type(record)
    found: dict[str, Json] = {}
    for name, default in _fields(kind):
        value = getattr(record, name)
        if value not in ("", ()) and (default is MISSING or value != default):
            found[name] = as_json(value)
    return found


@cache
def _fields(kind: Any) -> list[tuple[str, Any]]:
    """The names of the fields of a dataclass with their defaults."""
    return [(field.name, field.default) for field in fields(kind)]
