"""What is shown of a run at one moment, as records: its phase, its steps, its models.

The screen of a run makes it from Snakemake's log records, and `watch` from the files of the run's folder;
both draw it with `picture`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from bfcl_pipeline.base.text import duration
from bfcl_pipeline.show.screen.progress import JobProgress

QUIET_SECONDS = 120.0
"""A job or a run without a sign of life for so long may have been killed."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelView:
    """The generating job of one model, trial or shard."""

    name: str  # as a file name, until the job reports the model's
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


@dataclass(frozen=True, slots=True, kw_only=True)
class RunView:
    """A run."""

    name: str
    title: str  # the run in one line
    phase: Phase
    seconds: float  # since its start
    steps_done: int
    steps_total: int  # 0: not known
    steps_running: tuple[str, ...]  # what they do, without those that generate responses
    failed: tuple[FailedStep, ...]
    models: tuple[ModelView, ...]
    report: str = ""  # the path of the report; empty: not written yet
    silent_seconds: float = 0.0  # since the last sign of life of the process that runs it
    at_work: bool | None = None  # whether that process is alive; None: on another machine, and not seen yet

    def in_state(self, *states: ModelState) -> Iterator[ModelView]:
        """The models in one of these states, by state."""
        return (model for state in states for model in self.models if model.state is state)

    @property
    def dollars(self) -> float | None:
        """What the jobs of this run cost so far; None: no prices."""
        costs = [
            model.progress.dollars
            for model in self.models
            if model.progress is not None and model.progress.dollars is not None
        ]
        return sum(costs) if costs else None


def steps_text(view: RunView) -> str:
    """Steps done, failed and running, without those that generate responses."""
    if not view.steps_total:
        return "" if view.models else "Planning the steps"
    parts = [f"{view.steps_done:,} of {view.steps_total:,} step{'' if view.steps_total == 1 else 's'}"]
    if view.failed:
        parts[0] += f", {len(view.failed):,} failed"
    return " \N{MIDDLE DOT} ".join([*parts, *view.steps_running])


def silence_text(what: str, seconds: float) -> str:
    """What a job or run that gives no sign of life may mean; empty if it gave one recently."""
    if seconds < QUIET_SECONDS:
        return ""
    return f"no news for {duration(seconds)}: {what} may have been killed"
