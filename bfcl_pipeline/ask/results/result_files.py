"""The files of results in a folder, by model and category, and their lines.

Covers the layouts in which results are published: that of `results.layout`, files without the folders of
groups, the folder of one model, and the folder of a run with `result` in it. To find them, only names are
looked at. A file that belongs to no category, or is one of two for the same, is listed with the reason.
Lines have an entry, the stored answer, tokens and latency. A line that cannot be read costs itself: it is
listed with the reason. Of several lines of one entry the last one counts, as where the official tool
updates a file; its scorer refuses such files.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bfcl_pipeline.ask.results.layout import RESULT_FILE, ResultName, entry_id_of, result_name
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.files import files_below, is_regular, open_regular
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Json, Step
from bfcl_pipeline.judge.scoring.unread_calls import INFERENCE_ERROR

RESULT = "result"
"""The official tool's name of the folder with the models."""


@dataclass(frozen=True, slots=True)
class ResultFile:
    """One file of results."""

    path: Path
    folder: str  # name of the model's folder
    model_dir: Path  # that folder; the one that holds the file if the model has none
    category: str
    sessions: bool  # of memory sessions, which are not scored; else of entries


@dataclass(frozen=True, slots=True)
class NotRead:
    """A file, or a line of one, that is not read."""

    path: Path
    reason: str  # the same for all lines of the file with this defect
    line: int | None = None  # from 1; None: the whole file
    detail: str = ""  # what this line has


@dataclass(frozen=True, slots=True)
class FoundResults:
    """The files below a folder."""

    files: list[ResultFile]  # by model, category, entries before sessions
    not_read: list[NotRead]


def find_results(result_dir: Path) -> FoundResults:
    """The files of results below `result_dir`.

    Of several files of one model and category that of the newest version of the tool is read, and none if
    there are two of it.

    Raises ConfigError if there is no file that can be read, or `files_below` refuses.
    """
    paths = [path for path in files_below(result_dir) if RESULT_FILE.fullmatch(path.name)]
    inner = result_dir / RESULT
    root = inner if any(path.is_relative_to(inner) for path in paths) else result_dir
    groups = {category.group for category in CATEGORIES.values()}
    own = root.resolve()
    model = own.parent.name if own.name == RESULT else own.name
    found: dict[tuple[str, str, bool], dict[Path, ResultName]] = {}
    not_read = []
    for path in paths:
        if not is_regular(path) or not path.is_relative_to(root):
            reason = f"outside of {inner}" if is_regular(path) else "not a regular file"
            not_read.append(NotRead(path, reason))
            continue
        try:
            name = result_name(path.name)
        except ConfigError as error:
            not_read.append(NotRead(path, str(error)))
            continue
        parts = path.relative_to(root).parts
        folder = model if len(parts) == 1 or parts[0] in groups else parts[0]
        found.setdefault((folder, name.category, name.sessions), {})[path] = name
    files = []
    for (folder, category, sessions), named in found.items():
        newest = max(name.version for name in named.values())
        first, *others = [path for path, name in named.items() if name.version == newest]
        old = [path for path, name in named.items() if name.version < newest]
        not_read += [
            NotRead(path, f"{category} of {folder} of a newer version is in {first}") for path in old
        ]
        if others:
            reason = f"duplicate {category} of {folder}, first {first}. Keep one"
            deeper = "" if folder == model else f", or name {root / folder}, if its folders are the models"
            not_read += [NotRead(path, reason + deeper) for path in (first, *others)]
        else:
            model_dir = root if folder == model else root / folder
            files.append(ResultFile(first, folder, model_dir, category, sessions))
    if all(file.sessions for file in files):
        reasons = "".join(f" {each.path}: {each.reason}." for each in not_read[:3])
        raise ConfigError(
            f"{result_dir}: no results of the official tool; expected "
            f"<model>/<group>/BFCL_v4_<category>_result.json under it, or a model's own folder.{reasons}"
        )
    order = list(CATEGORIES)
    files.sort(key=lambda file: (file.folder, order.index(file.category), file.sessions))
    return FoundResults(files, not_read)


_MOST = 10**12  # tokens or seconds of one exchange; sums of more would overflow a column

_MOST_BYTES = 2**30  # of a file
_LONGEST_LINE = 2**27  # bytes


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a file of results."""

    number: int  # from 1
    entry_id: str  # in the release
    result: Json  # as the official handler stored it
    failure: str | None  # the error that the tool stored as the answer; None: it is an answer
    steps: tuple[Step, ...]  # tokens and latency of each exchange


@dataclass(frozen=True, slots=True)
class FileLines:
    """What one file of results contains."""

    lines: list[Line]  # in entry order, if the entries are known
    not_read: list[NotRead]


class _Unreadable(Exception):
    """A line that cannot be read: the reason, and what the line has."""


def read_lines(file: ResultFile, positions: Mapping[str, int] | None = None) -> FileLines:
    """The lines of `file`.

    positions: the place of each entry of its category in the staged release; None: all ids are accepted.
    """
    lines: dict[str, Line] = {}
    not_read = []
    try:
        with open_regular(file.path, _MOST_BYTES) as texts:
            for number, text in enumerate(texts, start=1):
                if len(text) > _LONGEST_LINE:
                    raise ValueError(f"line {number:,} has more than {_LONGEST_LINE:,} bytes")
                if not text.strip():
                    continue
                try:
                    line = _line(number, text, file.category, positions)
                except _Unreadable as error:
                    reason, detail = error.args
                    not_read.append(NotRead(file.path, reason, number, detail))
                    continue
                if (earlier := lines.get(line.entry_id)) is not None:
                    reason = "another line of the same entry follows, which counts"
                    not_read.append(NotRead(file.path, reason, earlier.number, repr(line.entry_id)))
                lines[line.entry_id] = line
    except (OSError, ValueError) as error:
        reason = str(getattr(error, "strerror", error))
        not_read.append(NotRead(file.path, "cannot be read to its end", detail=reason))
    if positions is None:
        return FileLines(list(lines.values()), not_read)
    return FileLines(sorted(lines.values(), key=lambda line: positions[line.entry_id]), not_read)


def _line(number: int, text: bytes, category: str, positions: Mapping[str, int] | None) -> Line:
    try:
        row = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _Unreadable("not JSON", str(error)) from None
    if not isinstance(row, dict):
        raise _Unreadable("expected a JSON object", f"got a {type(row).__name__}")
    entry_id = row.get("id")
    if positions is None or not isinstance(entry_id, str) or entry_id not in positions:
        entry_id = entry_id_of(row, category)
    if not isinstance(entry_id, str) or "result" not in row:
        raise _Unreadable("expected `id` and `result`", f"got {', '.join(row)}")
    if positions is not None and entry_id not in positions:
        raise _Unreadable(f"not an entry of {category} in the staged release", repr(row.get("id")))
    return Line(number, entry_id, row["result"], _failure(row), _steps(row))


def _failure(row: Mapping[str, Json]) -> str | None:
    """The error that the tool stored as the answer (a traceback, or no latency); None: an answer."""
    result = row["result"]
    failed = "traceback" in row or "latency" not in row
    if not failed or not isinstance(result, str) or not result.startswith(INFERENCE_ERROR):
        return None
    return result


def _steps(row: Mapping[str, Json]) -> tuple[Step, ...]:
    """Tokens and latency of each exchange; the tool stores numbers by turn and step, or one number."""
    sent = _by_step(row, "input_token_count")
    received = _by_step(row, "output_token_count")
    latency = _by_step(row, "latency")
    return tuple(
        Step(
            turn,
            _whole(sent.get((turn, step))),
            _whole(received.get((turn, step))),
            latency.get((turn, step)),
        )
        for turn, step in sorted({*sent, *received, *latency})
    )


def _by_step(row: Mapping[str, Json], key: str) -> dict[tuple[int, int], float | None]:
    """The numbers under `key` by turn and step, None if null."""
    if key not in row:
        return {}
    turns = row[key] if isinstance(row[key], list) else [[row[key]]]
    numbers: dict[tuple[int, int], float | None] = {}
    for turn, steps in enumerate(turns):
        for step, number in enumerate(steps if isinstance(steps, list) else [steps]):
            if not _is_number(number):
                raise _Unreadable(
                    f"expected a number or lists of numbers as `{key}`, none above {_MOST:.0e}",
                    f"got {number!r:.80}",
                )
            numbers[turn, step] = number
    return numbers


def _is_number(value: Json) -> bool:
    """True for a number within +-_MOST, and for null."""
    if value is None:
        return True
    return isinstance(value, int | float) and not isinstance(value, bool) and -_MOST <= value <= _MOST


def _whole(number: float | None) -> int | None:
    return None if number is None else round(number)
