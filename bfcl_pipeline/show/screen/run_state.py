"""The state of a run of the workflow, as Snakemake's log records report it.

Covers which steps run, have ended or have failed, and the progress of those that generate responses.
Nothing here prints.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bfcl_pipeline.base.text import exchanges_text, plural
from bfcl_pipeline.benchmark.config import RunConfig, RunSample
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.show.screen.progress import JobProgress
from bfcl_pipeline.show.screen.progress_file import progress_path, read_progress
from bfcl_pipeline.show.screen.run_view import FailedStep, ModelState, ModelView, Phase, RunView


@dataclass(frozen=True, slots=True, kw_only=True)
class RunDescription:
    """What the workflow says about its run when it is read."""

    name: str  # of the run
    models: int  # without their repetitions
    trials: int  # of each model
    categories: int
    sample: RunSample | None  # the entries drawn; None: all
    rules: Rules  # of the table at the end
    replay: bool  # whether the run is derived again: its table is not printed
    asks: bool = False  # whether a model of it is behind an API

    @classmethod
    def of(cls, run: RunConfig, config: Mapping[str, Any]) -> RunDescription:
        """The description of a run. config: its config, complete."""
        return cls(
            name=run.name,
            models=len({job.row.name for job in run.jobs}),
            trials=config["trials"],
            categories=len(run.categories),
            sample=run.sample,
            rules=run.rules,
            replay=config["replay"],
            asks=any(job.remote for job in run.jobs),
        )

    def __str__(self) -> str:
        """The run in one line."""
        parts = [
            plural(self.models, "model", "models"),
            plural(self.categories, "category", "categories"),
        ]
        if self.trials > 1:
            parts.append(f"{self.trials:,} trials")
        if self.sample is not None:
            entries = plural(self.sample.entries, "entry", "entries")
            parts.append(f"a sample of {entries}{self.sample.division}")
        return f"Run {self.name}: {', '.join(parts)}"

    @property
    def folder(self) -> Path:
        """The directory of the results."""
        return Path("results") / self.name


GENERATE = "generate_"
"""The rules of generating steps are named so, before the model's name as a file name."""


@dataclass(slots=True)
class RunningStep:
    """One step that was started."""

    text: str  # what it does, for people
    logs: tuple[str, ...] = ()  # its log files
    progress: JobProgress | None = None  # its last state, if it generates responses
    model: str = ""  # whose responses it generates, as a file name; empty: it generates none
    changed_at: float = 0.0  # when another state was read, in seconds of the run

    def read_progress(self, now: float = 0.0) -> None:
        """Reads the state that the step wrote last, if there is one. now: seconds of the run."""
        if self.logs:
            progress = read_progress(progress_path(self.logs[0]))
            if progress is not None and progress != self.progress:
                self.progress, self.changed_at = progress, now


@dataclass(frozen=True, slots=True)
class Failure:
    """A step that failed."""

    text: str  # what it should have done
    log: str  # the log with the cause; empty: there is none
    lines: tuple[str, ...]  # the end of that log


@dataclass(slots=True)
class RunState:
    """What was reported so far."""

    description: RunDescription | None = None  # None: not reported yet
    cores: str = ""  # for people
    steps_total: int = 0
    steps_done: int = 0
    running: dict[int, RunningStep] = field(default_factory=dict)  # by Snakemake's job id
    failed: dict[int, Failure] = field(default_factory=dict)  # by job id; without those that were repeated
    dollars: float | None = None  # what the completed steps cost; None: no prices
    models: dict[str, ModelState] = field(default_factory=dict)  # of generating steps, by file name
    ended: dict[str, JobProgress] = field(default_factory=dict)  # their last states, by file name
    seconds: float = 0.0  # since the start of the run, at the last `read_progress`

    def planned(self, stats: Mapping[str, int]) -> None:
        """The number of steps of each rule, and of all (`total`)."""
        self.steps_total = stats["total"]
        for rule in stats:
            if rule.startswith(GENERATE):
                self.models.setdefault(rule.removeprefix(GENERATE), ModelState.WAITING)

    def started(self, job: int, text: str, logs: Sequence[str], rule: str = "") -> None:
        """A step was started; it may be the repetition of one that failed."""
        self.failed.pop(job, None)
        step = RunningStep(text, tuple(logs), changed_at=self.seconds)
        if rule.startswith(GENERATE):
            step.model = rule.removeprefix(GENERATE)
            self.models[step.model] = ModelState.RUNNING
        for log in step.logs[:1]:  # the state of an earlier run
            progress_path(log).unlink(missing_ok=True)
        self.running[job] = step

    def finished(self, job: int) -> RunningStep | None:
        """A step ended well. Returns it; None if its start was not reported."""
        self.steps_done += 1
        step = self.running.pop(job, None)
        if step is not None:
            step.read_progress()
            if step.progress is not None and step.progress.dollars is not None:
                self.dollars = (self.dollars or 0.0) + step.progress.dollars
            self._ended(step, ModelState.FINISHED)
        return step

    def stopped(self, job: int) -> RunningStep | None:
        """A step failed. Returns it; None if its start was not reported."""
        step = self.running.pop(job, None)
        if step is not None:
            self._ended(step, ModelState.FAILED)
        return step

    def _ended(self, step: RunningStep, state: ModelState) -> None:
        if step.model:
            self.models[step.model] = state
            if step.progress is not None:
                self.ended[step.model] = step.progress

    def read_progress(self, seconds: float = 0.0) -> None:
        """Reads the states of all running steps. seconds: since the start of the run."""
        self.seconds = seconds
        for step in self.running.values():
            step.read_progress(seconds)

    def view(self, phase: Phase = Phase.RUNNING, report: str = "") -> RunView:
        """The state as records."""
        generating = [step for step in self.running.values() if step.model or step.progress is not None]
        running = {step.model for step in generating}
        models = [self._model(step) for step in generating]
        models += [
            ModelView(name=name, state=state, progress=self.ended.get(name))
            for name, state in self.models.items()
            if name not in running
        ]
        return RunView(
            name=self.description.name if self.description else "",
            title=str(self.description or ""),
            phase=phase,
            seconds=self.seconds,
            steps_done=self.steps_done,
            steps_total=self.steps_total,
            steps_running=tuple(
                step.text for step in self.running.values() if not step.model and step.progress is None
            ),
            failed=tuple(
                FailedStep(text=failure.text, log=failure.log, reason=next(reversed(failure.lines), ""))
                for failure in self.failed.values()
            ),
            models=tuple(models),
            report=report,
            at_work=phase is Phase.RUNNING,
        )

    def _model(self, step: RunningStep) -> ModelView:
        return ModelView(
            name=step.model or (step.progress.name if step.progress else ""),
            state=ModelState.RUNNING,
            progress=step.progress,
            silent_seconds=self.seconds - step.changed_at if step.progress is not None else 0.0,
            log=next(iter(step.logs), ""),
        )

    def generating(self) -> Iterator[JobProgress]:
        """The states of the running steps that generate responses."""
        return (step.progress for step in self.running.values() if step.progress is not None)

    @property
    def exchanges(self) -> str:
        """How many requests the completed steps sent, and how many answers they had from journals."""
        jobs = self.ended.values()
        recorded = {day for job in jobs for day in job.recorded}
        sent, taken = sum(job.requests_sent for job in jobs), sum(job.replayed for job in jobs)
        return exchanges_text(sent, taken, recorded)

    @property
    def saved(self) -> int:
        """Answers in the journals of the running steps."""
        return sum(progress.saved for progress in self.generating())
