"""The state of a run at one moment: its phase, its steps, its models; and how log records change it.

The screen follows Snakemake's records with `RunSteps` and draws its `state`; the same state, in a file, is
what `watch` draws. Clocks of different machines are never compared: a sign of life of a run is a file that
changes while it is watched. Nothing here prints.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

from bfcl_pipeline.base.process import Process, is_alive, this_process
from bfcl_pipeline.base.text import exchanges_text
from bfcl_pipeline.show.screen.progress import JobProgress
from bfcl_pipeline.show.screen.state_file import FOLDER, progress_path, read_record, run_file

GENERATE = "generate_"
"""The rules of generating steps are named so, before the model's name as a file name."""


class Phase(StrEnum):
    """Where a run is."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"  # ended with failed steps
    INTERRUPTED = "interrupted"  # ended by Ctrl-C or SIGTERM
    KILLED = "killed"  # its process ended without reporting its end


class ModelState(StrEnum):
    """Where the generating job of a model is."""

    WAITING = "waiting"  # not started
    RUNNING = "running"  # started, or in the queue of a cluster
    FINISHED = "finished"
    FAILED = "failed"


@dataclass(slots=True, kw_only=True)
class ModelJob:
    """The generating job of one model, trial or shard."""

    name: str  # as a file name
    state: ModelState
    progress: JobProgress | None = None  # what it reported last; None: nothing yet
    silent_seconds: float = 0.0  # since its last sign of life, as far as observed
    log: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedStep:
    """A step that failed."""

    text: str  # what it should have done
    log: str  # empty: there is none
    reason: str  # the last line of that log


@dataclass(slots=True, kw_only=True)
class RunState:
    """A run."""

    name: str = ""
    title: str = ""  # the run in one line
    phase: Phase = Phase.RUNNING
    seconds: float = 0.0  # since its start
    steps_done: int = 0
    steps_total: int = 0  # 0: not known
    steps_running: tuple[str, ...] = ()  # what they do, without those that generate responses
    failed: tuple[FailedStep, ...] = ()
    models: tuple[ModelJob, ...] = ()
    report: str = ""  # the path of the report; empty: not written yet
    silent_seconds: float = 0.0  # since the last sign of life of the process that runs it
    at_work: bool | None = None  # whether that process is alive; None: on another machine, and not seen yet

    def in_state(self, *states: ModelState) -> Iterator[ModelJob]:
        """The models in one of these states, by state."""
        return (model for state in states for model in self.models if model.state is state)

    def reports(self, *states: ModelState) -> list[JobProgress]:
        """What the models in one of these states, or in any, reported last."""
        models = self.in_state(*states or ModelState)
        return [model.progress for model in models if model.progress is not None]

    @property
    def dollars(self) -> float | None:
        """What the jobs of this run cost so far; None: no prices."""
        costs = [job.dollars for job in self.reports() if job.dollars is not None]
        return sum(costs) if costs else None

    @property
    def exchanges(self) -> str:
        """How many requests the jobs that ended sent, and how many answers they had from journals."""
        jobs = self.reports(ModelState.FINISHED, ModelState.FAILED)
        recorded = {day for job in jobs for day in job.recorded}
        sent, taken = sum(job.requests_sent for job in jobs), sum(job.replayed for job in jobs)
        return exchanges_text(sent, taken, recorded)


@dataclass(slots=True)
class RunningStep:
    """A step that was started."""

    text: str  # what it does, for people
    logs: tuple[str, ...]  # its log files
    model: ModelJob | None  # whose responses it generates
    changed_at: float  # when another state of that job was read, in seconds of the run


@dataclass(slots=True)
class RunSteps:
    """The steps of a run, as reported so far."""

    total: int = 0
    done: int = 0
    running: dict[int, RunningStep] = field(default_factory=dict)  # by Snakemake's job id
    failed: dict[int, FailedStep] = field(default_factory=dict)  # by job id; without those repeated
    models: dict[str, ModelJob] = field(default_factory=dict)  # by file name
    seconds: float = 0.0  # since the start of the run, at the last `read_progress`

    def planned(self, stats: Mapping[str, int]) -> None:
        """The number of steps of each rule, and of all (`total`)."""
        self.total = stats["total"]
        for rule in stats:
            if rule.startswith(GENERATE):
                self._model(rule)

    def _model(self, rule: str) -> ModelJob:
        name = rule.removeprefix(GENERATE)
        return self.models.setdefault(name, ModelJob(name=name, state=ModelState.WAITING))

    def started(self, job: int, text: str, logs: Sequence[str], rule: str) -> None:
        """A step was started; it may be the repetition of one that failed."""
        self.failed.pop(job, None)
        model = self._model(rule) if rule.startswith(GENERATE) else None
        if model is not None:
            model.state, model.progress, model.log = ModelState.RUNNING, None, next(iter(logs), "")
            progress_path(model.log).unlink(missing_ok=True)  # the state of an earlier run
        self.running[job] = RunningStep(text, tuple(logs), model, self.seconds)

    def ended(self, job: int, state: ModelState) -> RunningStep | None:
        """A step ended, FINISHED or FAILED. Returns it; None if its start was not reported."""
        self.done += state is ModelState.FINISHED
        step = self.running.pop(job, None)
        if step is not None and step.model is not None:
            self._read(step)
            step.model.state, step.model.silent_seconds = state, 0.0
        return step

    def read_progress(self, seconds: float) -> None:
        """Reads what the running jobs reported. seconds: since the start of the run."""
        self.seconds = seconds
        for step in self.running.values():
            self._read(step)

    def _read(self, step: RunningStep) -> None:
        if step.model is None:
            return
        progress = read_record(progress_path(step.model.log), JobProgress)
        if progress is not None and progress != step.model.progress:
            step.model.progress, step.changed_at = progress, self.seconds
        if step.model.progress is not None:
            step.model.silent_seconds = self.seconds - step.changed_at

    def state(self, name: str = "", title: str = "", phase: Phase = Phase.RUNNING) -> RunState:
        """The state of the run with this name and title."""
        return RunState(
            name=name,
            title=title,
            phase=phase,
            seconds=self.seconds,
            steps_done=self.done,
            steps_total=self.total,
            steps_running=tuple(step.text for step in self.running.values() if step.model is None),
            failed=tuple(self.failed.values()),
            models=tuple(self.models.values()),
            at_work=phase is Phase.RUNNING,
        )


@dataclass(frozen=True, slots=True)
class RunReport:
    """What a run reports in its file."""

    beat: int  # how often it has done so
    process: Process  # which runs it
    state: RunState


@dataclass(slots=True)
class RunWatcher:
    """Watches one run.

    Args:
        path: the file in which it reports.
        clock: monotonic seconds.
        here: the watching process; default: this one.
    """

    path: Path
    clock: Callable[[], float] = time.monotonic
    here: Process = field(default_factory=this_process)
    _beat: int | None = None  # the last that was read
    _since: float = 0.0  # when it was read first
    _changed: bool = False  # whether another was read before

    def read(self) -> RunState | None:
        """The state at this moment; None if the run has reported nothing."""
        report = read_record(self.path, RunReport)
        if report is None:
            return None
        if report.beat != self._beat:
            self._changed = self._beat is not None
            self._beat, self._since = report.beat, self.clock()
        alive = is_alive(report.process, self.here)
        state = report.state
        if state.phase is Phase.RUNNING and alive is False:
            report = read_record(self.path, RunReport) or report  # it may have ended between the two reads
            state = report.state
            if state.phase is Phase.RUNNING:
                state = replace(state, phase=Phase.KILLED)
        working = alive or (True if self._changed else None)
        silent = 0.0 if alive else self.clock() - self._since
        return replace(
            state, at_work=working if state.phase is Phase.RUNNING else False, silent_seconds=silent
        )


def reporting_file(given: Path | None) -> Path | None:
    """The file of a run.

    Args:
        given: its name, or its folder results/NAME; None: the run of this folder that reported last.

    Returns:
        The file, which may not exist; None if no run of this folder has one.
    """
    if given is None:
        files = (FOLDER / "results").glob("*/run.json")
        return max(files, key=lambda path: path.stat().st_mtime_ns, default=None)
    in_results = given.parent.name == "results"
    return (given.absolute().parent.parent if in_results else Path()) / run_file(given.name)
