"""Two folders of results compared byte for byte: what a run left, and what was derived again.

Covers which files count, and telling a difference so that a person sees what it is: row and column of a
table, line of a text, a file that only one of both has. Logs, times of steps and what waits to be asked
again are of the moment and do not count.
"""

from __future__ import annotations

import filecmp
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bfcl_pipeline.errors import TableError

if TYPE_CHECKING:
    import pyarrow as pa

COMPARED = ("responses", "memory", "verdicts", "tables", "report.html")
"""Files and folders of results/<run> that count, in the order in which one follows from the other."""

SHOWN = 80
"""Characters of a value that a message repeats, at most."""

_BEFORE = 20  # of these, before the first that differs


@dataclass(frozen=True, slots=True)
class Difference:
    """What differs in one file, or that only one side has it."""

    file: Path  # relative to the folder of the run
    what: str  # what differs first, with both values

    def __str__(self) -> str:
        return f"{self.file}: {self.what}"


def compared_files(folder: Path) -> list[Path]:
    """The files of a run that count, relative to its folder, sorted."""
    found = [path for name in COMPARED for path in _files(folder / name)]
    return sorted(path.relative_to(folder) for path in found)


def first_difference(recorded: Path, derived: Path) -> Difference | None:
    """The first difference between two folders of results/<run>; None if they are identical."""
    return next(differences(recorded, derived), None)


def differences(recorded: Path, derived: Path) -> Iterator[Difference]:
    """One difference for each file that differs; those that others follow from come first."""
    here, there = set(compared_files(recorded)), set(compared_files(derived))
    for file in sorted(here | there, key=lambda file: (COMPARED.index(file.parts[0]), file)):
        if file not in there:
            yield Difference(file, "only the run has it; it does not follow from its config")
        elif file not in here:
            yield Difference(file, "the run lacks it")
        elif not filecmp.cmp(recorded / file, derived / file, shallow=False):
            yield Difference(file, _what(recorded / file, derived / file))


def _files(path: Path) -> list[Path]:
    """All files at or below `path`, but for those that a writer that was stopped left unfinished."""
    if path.is_file():
        return [path]
    found = (file for file in path.rglob("*") if file.is_file() or file.is_symlink())
    return [file for file in found if not (file.name.startswith(".") and file.suffix == ".tmp")]


def _what(recorded: Path, derived: Path) -> str:
    if recorded.suffix == ".parquet":
        return _table_difference(recorded, derived)
    return _text_difference(recorded, derived)


def _table_difference(recorded: Path, derived: Path) -> str:
    from bfcl_pipeline.tables import read_table

    try:
        first, second = read_table(recorded), read_table(derived)
    except TableError as error:
        return f"cannot be read as a table ({error})"
    if first.schema.names != second.schema.names:
        return f"columns: the run has {first.schema.names}, derived are {second.schema.names}"
    found = _first_cell(first, second)
    if found is not None:
        return found
    if first.num_rows != second.num_rows:
        return f"the run has {first.num_rows:,} rows, derived are {second.num_rows:,}"
    if not first.schema.equals(second.schema, check_metadata=True):
        return "the same rows; the types or descriptions of columns differ"
    return "the same rows in other bytes, as another version of pyarrow would write them"


def _first_cell(first: pa.Table, second: pa.Table) -> str | None:
    """The first row in which two tables of the same columns differ, and its first column that does."""
    rows = min(first.num_rows, second.num_rows)
    first, second = first.slice(0, rows), second.slice(0, rows)
    different: list[tuple[int, str, Any, Any]] = []
    for name in first.schema.names:
        ours, theirs = first.column(name), second.column(name)
        if not ours.equals(theirs):
            pairs = enumerate(zip(ours.to_pylist(), theirs.to_pylist(), strict=True))
            different += [(row, name, *pair) for row, pair in pairs if repr(pair[0]) != repr(pair[1])][:1]
    if not different:
        return None
    row, name, ours, theirs = min(different, key=lambda found: found[0])
    entry = ""
    if name != "entry_id" and "entry_id" in first.schema.names:
        entry = f" ({first.column('entry_id')[row].as_py()})"
    return f"row {row + 1:,}{entry}, column {name}: {_both(ours, theirs)}"


def _text_difference(recorded: Path, derived: Path) -> str:
    lines = zip_longest(
        *(path.read_bytes().decode("utf-8", "replace").split("\n") for path in (recorded, derived))
    )
    for number, (ours, theirs) in enumerate(lines, start=1):
        if ours != theirs:
            return f"line {number:,}: {_both(ours, theirs)}"
    return "the same lines in other bytes"


def _both(ours: Any, theirs: Any) -> str:
    """Two values that differ, each from shortly before where they do."""
    texts = ["nothing" if value is None else str(value) for value in (ours, theirs)]
    same = next(
        (place for place, (one, two) in enumerate(zip(*texts, strict=False)) if one != two),
        min(map(len, texts)),
    )
    start = same - _BEFORE if max(map(len, texts)) > SHOWN and same > _BEFORE else 0
    shown = [_shown(text, start) for text in texts]
    return f"the run has {shown[0]}, derived is {shown[1]}"


def _shown(text: str, start: int) -> str:
    part = text[start : start + SHOWN]
    return ("..." if start else "") + repr(part) + ("..." if start + SHOWN < len(text) else "")
