"""Proposed changes of the release's data, as small edits of JSON values.

An edit names a value by its path from the line of the release's file: `[ground_truth, 3, 0]` is in the file
of truths, any other first key in the file of questions. Edits change fragments, so that the texts of the
benchmark stay in the release.
"""

import copy
from dataclasses import dataclass
from typing import Any

from bfcl_pipeline.errors import ErrataError
from bfcl_pipeline.records import Json

TRUTH = "ground_truth"
"""The key of the truth in the release's files."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One change: exactly one of its four forms."""

    at: tuple[str | int, ...]  # keys and positions from the line of the file to the value
    form: str  # replace, add, set or remove
    old: Json = None  # replace: the whole value, or a fragment that the text has exactly once
    new: Json = None  # replace: instead of it; add: appended to the list; set: keys put into the mapping

    @property
    def in_truth(self) -> bool:
        """Whether the edit changes the truth only, and so nothing that a model is sent."""
        return self.at[0] == TRUTH


def read_edit(place: str, record: Any) -> Edit:
    """The edit that a record of the errata describes. Raises ErrataError that names `place`."""
    keys = set(record) if isinstance(record, dict) else set()
    path = record.get("at") if isinstance(record, dict) else None
    if not isinstance(path, list) or not path or not all(isinstance(key, str | int) for key in path):
        raise ErrataError(f"{place}: an edit needs `at`, a list of keys and positions.")
    at = tuple(path)
    if keys == {"at", "old", "new"}:
        return Edit(at, "replace", record["old"], record["new"])
    if keys == {"at", "add"}:
        return Edit(at, "add", new=record["add"])
    if keys == {"at", "set"} and isinstance(record["set"], dict):
        return Edit(at, "set", new=record["set"])
    if keys == {"at", "remove"} and record["remove"] is True:
        return Edit(at, "remove")
    raise ErrataError(
        f"{place}: an edit has `old` and `new`, or `add`, `set` or `remove: true`; got {keys}."
    )


def edited(line: Json, edits: tuple[Edit, ...]) -> Json:
    """A copy of `line` with the edits made in order. Raises ErrataError if one does not fit."""
    changed = copy.deepcopy(line)
    for edit in edits:
        _make(changed, edit)
    return changed


def _make(line: Json, edit: Edit) -> None:
    *path, last = edit.at
    parent = line
    try:
        for key in path:
            parent = parent[key]
        value = parent[last]
    except (KeyError, IndexError, TypeError):
        raise ErrataError(f"there is nothing at {list(edit.at)}.") from None
    if edit.form == "remove":
        del parent[last]
    elif edit.form == "add" and isinstance(value, list):
        value.append(edit.new)
    elif edit.form == "set" and isinstance(value, dict):
        value.update(edit.new)
    elif edit.form == "replace" and value == edit.old and type(value) is type(edit.old):
        parent[last] = edit.new
    elif edit.form == "replace" and isinstance(value, str) and value.count(str(edit.old)) == 1:
        parent[last] = value.replace(str(edit.old), str(edit.new))
    else:
        raise ErrataError(f"the edit at {list(edit.at)} does not fit {value!r:.80}.")
