"""Reading the lines of one file of results: the entry, the stored answer, tokens and latency.

A line that cannot be read costs itself: it is listed with the reason. Of several lines of one entry the
last one counts, as where the official tool updates a file; its scorer refuses such files.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from bfcl_pipeline.ask.results.former_results import entry_id_of
from bfcl_pipeline.ask.results.result_files import NotRead, ResultFile
from bfcl_pipeline.base.files import open_regular
from bfcl_pipeline.benchmark.records import Json, Step
from bfcl_pipeline.judge.scoring.unread_calls import INFERENCE_ERROR

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
