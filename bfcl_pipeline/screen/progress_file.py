"""The file through which a generating job reports its progress to the process that runs the workflow.

One small JSON file per job, replaced as a whole, so that a reader on any machine sees a complete state. It
is only shown: nothing is derived from it, it is not part of a run, and its absence is no error.
"""

import contextlib
import json
from dataclasses import asdict
from pathlib import Path

from bfcl_pipeline.screen.progress import JobProgress

FOLDER = Path(".snakemake/progress")
"""The files of all jobs, in the directory of the workflow; each has the path of the log of its step."""


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
    """The state in a file that `ProgressFile` wrote; None if it does not exist or cannot be read."""
    try:
        return JobProgress(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
