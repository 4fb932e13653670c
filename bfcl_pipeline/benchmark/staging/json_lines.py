"""JSON Lines files of the release as rows with file name and line number.

Covers parsing and checking single fields, with errors that name file and line.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.benchmark.records import FunctionDoc, Json, Message
from bfcl_pipeline.benchmark.staging.source import Release

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class JsonLine:
    """One JSON object and its position."""

    where: str  # file:line
    value: Mapping[str, Json]

    def get(self, key: str, kind: type[_T]) -> _T:
        """The field `key`, which must be a `kind`. Raises MalformedRelease."""
        if key not in self.value:
            raise malformed_release(
                self.where, f"a field {key!r}", f"the fields {', '.join(self.value) or 'none'}"
            )
        value = self.value[key]
        if not isinstance(value, kind):
            raise malformed_release(
                self.where, f"{key!r} to be a {kind.__name__}", f"a {type(value).__name__}"
            )
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """The field `key` as a list of texts."""
        values = self.get(key, list)
        if not all(isinstance(value, str) for value in values):
            raise malformed_release(self.where, f"{key!r} to be a list of texts", json.dumps(values)[:200])
        return tuple(values)


def malformed_release(where: str, expected: str, got: str) -> MalformedRelease:
    """The error for something that does not have the documented form."""
    return MalformedRelease(f"{where}: expected {expected}, got {got}. Fetch the release again.")


def read_rows(release: Release, name: str) -> list[JsonLine]:
    """The objects of the JSON Lines file `name`, in order."""
    rows = []
    for number, line in enumerate(release.files[name].removesuffix(b"\n").split(b"\n"), start=1):
        where = f"{name}:{number}"
        value = parse_json(where, line)
        if not isinstance(value, dict):
            raise malformed_release(where, "a JSON object", f"a {type(value).__name__}")
        rows.append(JsonLine(where, value))
    return rows


def parse_json(where: str, text: bytes) -> Json:
    """The JSON value of `text`. Raises MalformedRelease, which names `where`."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise malformed_release(where, "JSON", f"{error} in {text[:80]!r}") from error


def by_id(rows: list[JsonLine]) -> dict[str, JsonLine]:
    """The rows by `id`, in order. Raises MalformedRelease for a duplicate id."""
    unique: dict[str, JsonLine] = {}
    for row in rows:
        key = row.get("id", str)
        if key in unique:
            raise malformed_release(
                row.where, "every id once", f"{key!r} again, first at {unique[key].where}"
            )
        unique[key] = row
    return unique


def read_turns(row: JsonLine) -> tuple[tuple[Message, ...], ...]:
    """The field `question` as turns of messages."""
    turns = row.get("question", list)
    for turn in turns:
        if not isinstance(turn, list) or not all(_is_message(message) for message in turn):
            raise malformed_release(
                row.where,
                "turns of messages with role and content",
                json.dumps(turn, ensure_ascii=True)[:200],
            )
    return tuple(tuple(turn) for turn in turns)


def _is_message(value: Json) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("role"), str)
        and isinstance(value.get("content"), str)
    )


def read_functions(row: JsonLine) -> tuple[FunctionDoc, ...]:
    """The field `function` as function docs."""
    return tuple(check_function(row.where, doc) for doc in row.get("function", list))


def check_function(where: str, doc: Json) -> FunctionDoc:
    """`doc`, if it is a function doc. Raises MalformedRelease otherwise."""
    if (
        isinstance(doc, dict)
        and isinstance(doc.get("name"), str)
        and isinstance(doc.get("parameters"), dict)
    ):
        return doc
    raise malformed_release(where, "function docs with name and parameters", json.dumps(doc)[:200])
