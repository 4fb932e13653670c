"""The state of a run of the workflow, as Snakemake's log records report it.

Covers which steps run, have ended or have failed, and the progress of those that generate responses.
Nothing here prints.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bfcl_pipeline.config import RunSample
from bfcl_pipeline.records import Rules
from bfcl_pipeline.screen.progress import JobProgress
from bfcl_pipeline.screen.progress_file import progress_path, read_progress
from bfcl_pipeline.text import plural


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


@dataclass(slots=True)
class RunningStep:
    """One step that was started."""

    text: str  # what it does, for people
    logs: tuple[str, ...] = ()  # its log files
    progress: JobProgress | None = None  # its last state, if it generates responses

    def read_progress(self) -> None:
        """Reads the state that the step wrote last, if there is one."""
        if self.logs:
            self.progress = read_progress(progress_path(self.logs[0])) or self.progress


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

    def started(self, job: int, text: str, logs: Sequence[str]) -> None:
        """A step was started; it may be the repetition of one that failed."""
        self.failed.pop(job, None)
        step = RunningStep(text, tuple(logs))
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
        return step

    def read_progress(self) -> None:
        """Reads the states of all running steps."""
        for step in self.running.values():
            step.read_progress()

    def generating(self) -> Iterator[JobProgress]:
        """The states of the running steps that generate responses."""
        return (step.progress for step in self.running.values() if step.progress is not None)

    @property
    def saved(self) -> int:
        """Answers in the journals of the running steps."""
        return sum(progress.saved for progress in self.generating())
