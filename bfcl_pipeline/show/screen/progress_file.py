"""The file through which a generating job reports its progress to the process that runs the workflow.

One small JSON file per job, replaced as a whole, so that a reader on any machine sees a complete state. It
is only shown: nothing is derived from it, it is not part of a run, and its absence is no error.
"""

import contextlib
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from bfcl_pipeline.base.files import read_regular
from bfcl_pipeline.show.screen.progress import JobProgress, clean

FOLDER = Path(".snakemake/progress")
"""The files of all jobs, in the directory of the workflow; each has the path of the log of its step."""


MOST_BYTES = 1 << 20
"""A larger file was not written here and is not read."""


def progress_path(log: str) -> Path:
    """The progress file of the step with this log. workflow/rules/generate.smk uses the same path."""
    return FOLDER / log


class ProgressFile:
    """Writes the progress of one job; a file that cannot be written does not stop the job."""

    def __init__(self, path: Path) -> None:
        """path: the file; missing directories are created."""
        self._path = path

    def show(self, progress: JobProgress) -> None:
        """Replaces the file."""
        temporary = self._path.with_name(f".{self._path.name}.tmp")
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_text(json.dumps(asdict(progress)), encoding="utf-8")
            temporary.replace(self._path)

    def close(self, progress: JobProgress) -> None:
        """Replaces the file by the final state, from which the reader takes the totals."""
        self.show(progress)


def read_progress(path: Path) -> JobProgress | None:
    """The state in a file that `ProgressFile` wrote; None if it does not exist or cannot be read.

    Texts are made safe for a terminal. Keys that are not known are ignored.
    """
    document = read_object(path) or {}
    values: dict[str, Any] = {}
    for field in fields(JobProgress):
        values[field.name] = _CHECKS[str(field.type)](document.get(field.name, _WRONG))
        if values[field.name] is _WRONG:
            return None
    return JobProgress(**values)


def read_object(path: Path) -> Mapping[str, Any] | None:
    """The JSON object in a small file; None if there is none, or more than MOST_BYTES."""
    try:
        document = json.loads(read_regular(path, MOST_BYTES))
    except (OSError, ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def _count(value: object) -> object:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else _WRONG


def _number(value: object) -> object:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return _WRONG
    return float(value) if 0 <= value <= _MOST and math.isfinite(value) else _WRONG


def _counts(value: object) -> object:
    if not isinstance(value, dict) or any(_count(count) is _WRONG for count in value.values()):
        return _WRONG
    return {clean(kind): count for kind, count in list(value.items())[:_KINDS]}


_WRONG = object()
_MOST = 1e15  # seconds, dollars or requests per second
_KINDS = 32  # of failures

_CHECKS: Mapping[str, Callable[[object], object]] = {
    "str": lambda value: clean(value) if isinstance(value, str) else _WRONG,
    "int": _count,
    "float": _number,
    "float | None": lambda value: None if value is None else _number(value),
    "Mapping[str, int]": _counts,
}
"""By the type of a field: its value, or _WRONG."""
