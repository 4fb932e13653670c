"""The comparison of a recorded run and its replay: files byte for byte, and entries that have no answer.

Covers which files are compared, and the description of a difference: row and column of a table, line of a
text file, a file that only one side has. Logs, times and requeued entries are not compared, because they
differ from run to run; nor are the figures as PNG, which are rendered from the SVG beside them. Of entries
without an answer it says whether that could be derived.
"""

import filecmp
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pyarrow as pa

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.base.files import files_below
from bfcl_pipeline.benchmark.records import Status
from bfcl_pipeline.benchmark.tables import read_table

COMPARED = ("responses", "memory", "verdicts", "tables", "report.html", "report", "figures")
"""The compared files and directories of results/<run>; each follows from those before it."""

SHOWN = 80
"""The most characters of a value in the description of a difference."""

_HIDDEN = re.compile(r"\..*\.tmp|\.snakemake_timestamp")

_REENCODED = "the same rows in other bytes, as another version of pyarrow writes them"
_BEFORE = 20  # of these, before the first character that differs


@dataclass(frozen=True, slots=True)
class FileDifference:
    """A file that differs between the recorded run and the replay, or that one of them lacks."""

    file: Path  # relative to the run directory
    what: str  # the first difference, with both values
    reencoded: bool = False  # two tables with the same rows and schema in other bytes

    def __str__(self) -> str:
        return f"{self.file}: {self.what}"


def compared_files(folder: Path) -> list[Path]:
    """The files of a run that are compared, relative to its directory, sorted."""
    files = [path for name in COMPARED for path in _files(folder / name)]
    return sorted(path.relative_to(folder) for path in files)


def file_differences(recorded: Path, derived: Path) -> Iterator[FileDifference]:
    """One difference for each file that differs; causes come before their consequences."""
    in_recorded, in_derived = set(compared_files(recorded)), set(compared_files(derived))
    for file in sorted(in_recorded | in_derived, key=lambda file: (COMPARED.index(file.parts[0]), file)):
        if file not in in_derived:
            yield FileDifference(file, "only the run has it; it does not follow from the config of the run")
        elif file not in in_recorded:
            yield FileDifference(file, "the run lacks it")
        elif not filecmp.cmp(recorded / file, derived / file, shallow=False):
            compare = _compare_tables if file.suffix == ".parquet" else _compare_texts
            what = compare(recorded / file, derived / file)
            yield FileDifference(file, what or _REENCODED, reencoded=what is None)


def _files(path: Path) -> list[Path]:
    """All files at or below `path`, except those of Snakemake and what a stopped writer left."""
    if path.is_file():
        return [path]
    return [
        file for file in files_below(path) if not _HIDDEN.fullmatch(file.name) and file.suffix != ".png"
    ]


def _compare_tables(recorded: Path, derived: Path) -> str | None:
    """The first difference; None if only the bytes differ."""
    try:
        first, second = read_table(recorded), read_table(derived)
    except TableError as error:
        return f"cannot be read as a table ({error})"
    names = [name for name in first.schema.names if name in second.schema.names]
    what = _first_cell(first.select(names), second.select(names))
    if what is None and first.num_rows != second.num_rows:
        what = f"the run has {first.num_rows:,} rows, the replay has {second.num_rows:,}"
    if first.schema.names != second.schema.names:
        columns = _columns(first.schema.names, second.schema.names)
        return f"columns: {columns}; {what or 'the columns of both have the same values'}"
    if what is None and not first.schema.equals(second.schema, check_metadata=True):
        return "the same rows; the types or descriptions of columns differ"
    return what


def _columns(recorded: Sequence[str], derived: Sequence[str]) -> str:
    """The columns that only one of two tables has; all columns, if these are the same in another order."""
    sides = (("the run", recorded, derived), ("the replay", derived, recorded))
    parts = [
        f"only {side} has {', '.join(alone)}"
        for side, ours, theirs in sides
        if (alone := [name for name in ours if name not in theirs])
    ]
    return "; ".join(parts) or f"the run has {recorded}, the replay has {derived}"


def _first_cell(first: pa.Table, second: pa.Table) -> str | None:
    """The first row in which two tables with the same columns differ, and the first column in it."""
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
    row, name, ours, theirs = min(different, key=lambda cell: cell[0])
    entry = ""
    if name != "entry_id" and "entry_id" in first.schema.names:
        entry = f" ({first.column('entry_id')[row].as_py()})"
    return f"row {row + 1:,}{entry}, column {name}: {_both(ours, theirs)}"


def _compare_texts(recorded: Path, derived: Path) -> str:
    lines = zip_longest(
        *(path.read_bytes().decode("utf-8", "replace").split("\n") for path in (recorded, derived))
    )
    for number, (ours, theirs) in enumerate(lines, start=1):
        if ours != theirs:
            return f"line {number:,}: {_both(ours, theirs)}"
    return "the same lines in other bytes"


def _both(ours: Any, theirs: Any) -> str:
    """Two values that differ, each shown from shortly before the first differing character."""
    texts = ["nothing" if value is None else str(value) for value in (ours, theirs)]
    pairs = enumerate(zip(*texts, strict=False))
    same = next((place for place, (left, right) in pairs if left != right), min(map(len, texts)))
    start = same - _BEFORE if max(map(len, texts)) > SHOWN and same > _BEFORE else 0
    shown = [_shown(text, start) for text in texts]
    return f"the run has {shown[0]}, the replay has {shown[1]}"


def _shown(text: str, start: int) -> str:
    part = text[start : start + SHOWN]
    return ("..." if start else "") + repr(part) + ("..." if start + SHOWN < len(text) else "")


def missing_answers(folder: Path) -> Counter[str]:
    """The entries without an answer in results/<run>, memory sessions included, by status.

    Raises TableError.
    """
    return Counter(_failures(folder).values())


def copied_failures(missing: Counter[str]) -> int:
    """How many failures were copied from the run, as no journal records failed requests."""
    return missing.total() - missing[Status.NOT_RECORDED]


def missing_lines(missing: Counter[str]) -> Iterator[str]:
    """The counts for a person, one line each; no line if nothing is missing."""
    if copied := copied_failures(missing):
        others = sorted(
            (status, count) for status, count in missing.items() if status != Status.NOT_RECORDED
        )
        counts = ", ".join(f"{count:,} {status}" for status, count in others)
        yield (
            f"Copied from the run, not derived: the reason why {copied:,} entries and memory sessions have "
            f"no answer ({counts})."
        )
    if not_recorded := missing[Status.NOT_RECORDED]:
        yield f"Not recorded: an answer or a page that {not_recorded:,} entries and memory sessions need."


def answered_since(recorded: Path, derived: Path) -> int:
    """How many entries without an answer in the recorded run have one in the derived run.

    0 if a table of the recorded run cannot be read. Raises TableError for the derived tables.
    """
    try:
        before = _failures(recorded)
    except TableError:
        return 0
    after = _failures(derived)
    return sum((derived / entry[0]).is_file() and entry not in after for entry in before)


def _failures(folder: Path) -> dict[tuple[Path, str], str]:
    """The statuses of entries without an answer, by table and entry id."""
    return {
        (path.relative_to(folder), str(row["entry_id"])): str(row["status"])
        for part in ("responses", "memory")
        for path in sorted((folder / part).rglob("*.parquet"))
        for row in read_table(path, ["entry_id", "status"]).to_pylist()
        if row["status"] != Status.ANSWERED
    }
