"""The file in which a run reports its steps and models, for `bfcl-pipeline watch`.

It lies beside the progress files of the run's jobs and is replaced about once a second, so that its changes
are signs of life. Like them it is only shown: nothing is derived from it, and its absence is no error.
"""

import contextlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bfcl_pipeline.base.process import Process, this_process
from bfcl_pipeline.show.screen.progress import clean
from bfcl_pipeline.show.screen.progress_file import FOLDER, read_object
from bfcl_pipeline.show.screen.run_view import FailedStep, ModelState, ModelView, Phase, RunView

NAME = "run.json"


def run_progress_folder(run: str) -> Path:
    """The folder of the progress files of a run, in the directory of the workflow."""
    return FOLDER / "results" / run


def model_progress_path(run: str, model: str) -> Path:
    """The progress file of the job that generates the responses of this model (a file name)."""
    return run_progress_folder(run) / "logs/generate" / f"{model}.log"


class RunFile:
    """Writes the state of one run; a file that cannot be written does not stop the run."""

    def __init__(self, run: str) -> None:
        """run: its name."""
        self._path = run_progress_folder(run) / NAME
        self._process = asdict(this_process())
        self._beat = 0

    def write(self, view: RunView) -> None:
        """Replaces the file. The progress of the jobs is in their own files."""
        self._beat += 1
        document = {
            "beat": self._beat,
            "process": self._process,
            "name": view.name,
            "title": view.title,
            "phase": view.phase,
            "seconds": view.seconds,
            "steps_done": view.steps_done,
            "steps_total": view.steps_total,
            "steps_running": view.steps_running,
            "failed": [asdict(step) for step in view.failed],
            "models": [{"name": model.name, "state": model.state} for model in view.models],
            "report": view.report,
        }
        temporary = self._path.with_name(f".{NAME}.tmp")
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_text(json.dumps(document), encoding="utf-8")
            temporary.replace(self._path)


@dataclass(frozen=True, slots=True)
class RunRecord:
    """The content of such a file."""

    view: RunView  # its models are without progress
    process: Process | None  # which wrote it; None: not readable


def read_run_file(path: Path) -> RunRecord | None:
    """The state that `RunFile` wrote; None if it does not exist or cannot be read."""
    document = read_object(path)
    if document is None:
        return None
    try:
        view = RunView(
            name=_text(document, "name"),
            title=_text(document, "title"),
            phase=Phase(_text(document, "phase")),
            seconds=_number(document, "seconds"),
            steps_done=int(_number(document, "steps_done")),
            steps_total=int(_number(document, "steps_total")),
            steps_running=tuple(clean(str(step)) for step in _list(document, "steps_running")),
            failed=tuple(
                FailedStep(text=_text(step, "text"), log=_text(step, "log"), reason=_text(step, "reason"))
                for step in _list(document, "failed")
            ),
            models=tuple(
                ModelView(name=_text(model, "name"), state=ModelState(_text(model, "state")))
                for model in _list(document, "models")
            ),
            report=_text(document, "report"),
        )
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
    return RunRecord(view, _process(document.get("process")))


def _text(document: Mapping[str, Any], key: str) -> str:
    value = document[key]
    if not isinstance(value, str):
        raise TypeError(key)
    return clean(value)


def _number(document: Mapping[str, Any], key: str) -> float:
    value = document[key]
    if not isinstance(value, int | float) or not 0 <= value <= 1e15:
        raise TypeError(key)
    return value


def _list(document: Mapping[str, Any], key: str) -> Sequence[Any]:
    value = document[key]
    if not isinstance(value, list):
        raise TypeError(key)
    return value


def _process(value: object) -> Process | None:
    try:
        process = Process(**value)  # type: ignore[arg-type]
    except TypeError:
        return None
    return process if isinstance(process.pid, int) and 0 < process.pid < 1 << 31 else None
