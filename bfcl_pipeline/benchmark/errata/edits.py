"""Proposed changes of the release's data, as small edits of JSON values.

An edit names a value by its path from the line of the release's file. Values of `ground_truth`, `source`
and `num_hops` are in the file of truths, all others in the file of questions. Edits change fragments, so
that the texts of the benchmark stay in the release.
"""

import copy
import json
from dataclasses import dataclass
from typing import Any

from bfcl_pipeline.base.errors import ErrataError
from bfcl_pipeline.base.text import cut
from bfcl_pipeline.benchmark.records import Json

TRUTH = "ground_truth"
"""The key of the truth in the release's files."""

_TRUTHS_FILE_KEYS = (TRUTH, "source", "num_hops")

_MAX_SHOWN = 100  # characters of a value in a line for people


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

    @property
    def in_truths_file(self) -> bool:
        """Whether the release has the value in a file of truths, not of questions."""
        return self.at[0] in _TRUTHS_FILE_KEYS

    def __str__(self) -> str:
        """The edit for people, in one line; long values are cut."""
        place = str(self.at[0]) + "".join(f"[{json.dumps(key)}]" for key in self.at[1:])
        match self.form:
            case "replace":
                return f"{place}: replace {_shown(self.old)} by {_shown(self.new)}"
            case "add":
                return f"{place}: add {_shown(self.new)}"
            case "set":
                return f"{place}: set {_shown(self.new)}"
        return f"{place}: remove"


def _shown(value: Json) -> str:
    return cut(json.dumps(value, ensure_ascii=False), _MAX_SHOWN)


def read_edit(place: str, record: Any) -> Edit:
    """The edit that a record of the errata describes. Raises ErrataError that names `place`."""
    keys = set(record) if isinstance(record, dict) else set()
    path = record.get("at") if isinstance(record, dict) else None
    if not isinstance(path, list) or not all(type(key) in (str, int) for key in path):
        raise ErrataError(f"{place}: an edit needs `at`, a list of keys and positions.")
    if not path or not isinstance(path[0], str):
        raise ErrataError(f"{place}: an edit needs `at`, which begins with a key of the file's line.")
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
        f"{place}: an edit has `at` and one of `old` and `new`, `add`, `set` (a mapping), `remove: true`; "
        f"got {', '.join(sorted(map(str, keys)))}."
    )


def edit_line(line: Json, edits: tuple[Edit, ...]) -> Json:
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
    if isinstance(parent, str):
        raise ErrataError(f"{list(edit.at)} is a letter of a text; edit the text.")
    match edit.form, value:
        case "remove", _:
            del parent[last]
        case "add", list():
            value.append(edit.new)
        case "set", dict():
            value.update(edit.new)
        case "replace", _ if same(value, edit.old):
            parent[last] = edit.new
        case "replace", str() if (
            isinstance(edit.old, str)
            and isinstance(edit.new, str)
            and (
                value.count(edit.old) == 1  # a fragment
            )
        ):
            parent[last] = value.replace(edit.old, edit.new)
        case "replace", _:
            raise ErrataError(
                f"the edit at {list(edit.at)} does not fit: `old` is {_shown(edit.old)}, and the release "
                f"has {_shown(value)}."
            )
        case _:
            raise ErrataError(f"the edit at {list(edit.at)} does not fit {_shown(value)}.")


def same(left: Json, right: Json) -> bool:
    """Whether two JSON values are written alike; Python's 1, 1.0 and True are not."""
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)
