"""Reads the state of a run from the files that it and its jobs write, on any machine that shares them.

Only reads. Clocks of different machines are never compared: a sign of life is a file that changes while it
is watched, and what was before the first look is judged by the times of the files relative to the newest.
"""

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from bfcl_pipeline.base.process import Process, is_alive, this_process
from bfcl_pipeline.show.screen.progress_file import FOLDER, read_progress
from bfcl_pipeline.show.screen.run_file import NAME, model_progress_path, read_run_file, run_progress_folder
from bfcl_pipeline.show.screen.run_view import ModelState, ModelView, Phase, RunView

MOST_FILES = 10_000
"""Progress files of one run that are read."""


@dataclass(slots=True)
class _Seen:
    """When a file changed last, in seconds of the watching process."""

    modified: int  # nanoseconds, by the clock of the machine or file server that wrote it
    since: float


@dataclass(slots=True)
class RunWatcher:
    """Watches one run.

    Args:
        folder: the directory of the workflow.
        run: the name of the run.
        clock: monotonic seconds.
        here: the watching process; default: this one.
    """

    folder: Path
    run: str
    clock: Callable[[], float] = time.monotonic
    here: Process = field(default_factory=this_process)
    _seen: dict[Path, _Seen] = field(default_factory=dict)
    _changed: bool = False  # whether the run's own file changed while it was watched

    def read(self) -> RunView | None:
        """The state at this moment; None if the run has reported nothing."""
        silent = self._silent_seconds()
        path = self.folder / run_progress_folder(self.run) / NAME
        record = read_run_file(path)
        if record is None:
            return self._from_jobs(silent)
        view = record.view
        alive = None if record.process is None else is_alive(record.process, self.here)
        phase = view.phase
        if phase is Phase.RUNNING and alive is False:
            record = read_run_file(path) or record  # it may have ended between the two looks
            phase = Phase.KILLED if record.view.phase is Phase.RUNNING else record.view.phase
            view = record.view
        at_work = phase is Phase.RUNNING and (alive or (True if self._changed else None))
        models = [self._model(model, silent) for model in view.models if _is_file_name(model.name)]
        return replace(
            view,
            phase=phase,
            models=(*models, *self._earlier(models)),
            report=str(self._report()) if self._report().is_file() else "",
            silent_seconds=0.0 if alive else silent.get(path, 0.0),
            at_work=at_work,
        )

    def _model(self, model: ModelView, silent: dict[Path, float]) -> ModelView:
        """The model with what its job reported last; a file of an earlier run is not its own."""
        if model.state is ModelState.WAITING:
            return model
        path = self.folder / model_progress_path(self.run, model.name)
        log = Path("results") / self.run / "logs/generate" / f"{model.name}.log"
        return replace(
            model, progress=read_progress(path), silent_seconds=silent.get(path, 0.0), log=str(log)
        )

    def _earlier(self, models: list[ModelView]) -> Iterator[ModelView]:
        """The models that had finished before this part of the run started."""
        known = {model.name for model in models}
        for path in self._progress_files():
            progress = read_progress(path)
            if path.stem not in known and progress is not None and progress.complete:
                yield ModelView(name=path.stem, state=ModelState.FINISHED, progress=progress)

    def _from_jobs(self, silent: dict[Path, float]) -> RunView | None:
        """What the jobs alone say: the run was started without its screen."""
        models = []
        for path in self._progress_files():
            progress = read_progress(path)
            if progress is not None:
                state = ModelState.FINISHED if progress.complete else ModelState.RUNNING
                quiet = silent.get(path, 0.0)
                models.append(
                    ModelView(name=path.stem, state=state, progress=progress, silent_seconds=quiet)
                )
        if not models:
            return None
        done = all(model.state is ModelState.FINISHED for model in models)
        report = self._report()
        return RunView(
            name=self.run,
            title=f"Run {self.run}: its generating jobs (the run itself reports no steps)",
            phase=Phase.DONE if done else Phase.RUNNING,
            seconds=max(model.progress.seconds for model in models if model.progress is not None),
            steps_done=0,
            steps_total=0,
            steps_running=(),
            failed=(),
            models=tuple(models),
            report=str(report) if report.is_file() else "",
            silent_seconds=min(model.silent_seconds for model in models),
            at_work=False if done else True if self._changed else None,
        )

    def _report(self) -> Path:
        return self.folder / "results" / self.run / "report.html"

    def _progress_files(self) -> list[Path]:
        folder = self.folder / run_progress_folder(self.run) / "logs/generate"
        found = [path for path in folder.glob("*.log") if not path.name.startswith(".")]
        return sorted(found)[:MOST_FILES]

    def _silent_seconds(self) -> dict[Path, float]:
        """Seconds since each file of the run changed."""
        now = self.clock()
        times: dict[Path, int] = {}
        for path in [self.folder / run_progress_folder(self.run) / NAME, *self._progress_files()]:
            try:
                times[path] = path.stat().st_mtime_ns
            except OSError:
                continue  # replaced or removed at this moment
        newest = max(times.values(), default=0)
        for path, modified in times.items():
            seen = self._seen.get(path)
            if seen is None:
                self._seen[path] = _Seen(modified, now - (newest - modified) / 1e9)
            elif seen.modified != modified:
                self._changed = True
                self._seen[path] = _Seen(modified, now)
        return {path: now - self._seen[path].since for path in times}


def workflow_folder(run_dir: Path) -> Path:
    """The directory of the workflow that made `run_dir`, which is results/NAME in it."""
    return run_dir.absolute().parent.parent if run_dir.parent.name == "results" else Path()


def reported_runs(folder: Path) -> list[str]:
    """The names of the runs with progress files, sorted."""
    found = (folder / FOLDER / "results").glob("*/")
    return sorted(path.name for path in found if path.is_dir())


def last_reported(folder: Path) -> str | None:
    """The run whose file is the newest; None if no run reported."""
    times: dict[str, int] = {}
    for name in reported_runs(folder):
        own = folder / run_progress_folder(name)
        for path in [own / NAME, *(own / "logs/generate").glob("*.log")]:
            with contextlib.suppress(OSError):
                times[name] = max(times.get(name, 0), path.stat().st_mtime_ns)
    return max(times, key=lambda name: times[name], default=None)


def _is_file_name(name: str) -> bool:
    return name not in ("", ".", "..") and "/" not in name and "\0" not in name
