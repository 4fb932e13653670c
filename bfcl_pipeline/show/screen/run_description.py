"""What the workflow says about its run when it is read, for the screen."""

from __future__ import annotations

import logging
import sys
from dataclasses import dataclass
from pathlib import Path

from bfcl_pipeline.base.text import plural
from bfcl_pipeline.benchmark.config import RunConfig
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.report.notes import NO_ANSWERS, unanswered_lines, unanswered_models

ASKED_AGAIN = "The same command asks again."


@dataclass(frozen=True, slots=True, kw_only=True)
class RunDescription:
    """A run, for its screen."""

    name: str
    title: str  # the run in one line
    rules: Rules  # of the table at the end
    replay: bool  # whether the run is derived again: its table is not printed
    asks: bool  # whether a model of it is behind an API

    @classmethod
    def of(cls, run: RunConfig) -> RunDescription:
        """The description of a run; a repeated model is one model."""
        parts = [
            plural(len({job.row.name for job in run.jobs}), "model", "models"),
            plural(len(run.categories), "category", "categories"),
        ]
        settings, sample = run.settings, run.settings.sample
        if settings.trials > 1:
            parts.append(f"{settings.trials:,} trials")
        if sample is not None:
            entries = plural(sample.entries, "entry", "entries")
            parts.append(f"a sample of {entries}{sample.division}")
        title = f"Run {run.name}: {', '.join(parts)}"
        asks = any(job.remote for job in run.jobs)
        return cls(name=run.name, title=title, rules=settings.rules, replay=settings.replay, asks=asks)

    @property
    def report(self) -> Path:
        """The page that the run writes last."""
        return Path("results") / self.name / "report.html"


def describe_run(run: RunConfig) -> None:
    """Reports the run to its screen, if there is one. Called by the workflow when it is read."""
    description = RunDescription.of(run)
    logging.getLogger("snakemake.logging").info("", extra={"bfcl_run": description})


def exit_without_answers(run_dir: Path) -> None:
    """Ends this process with status NO_ANSWERS if a model of the run has no answer.

    The reasons are in the table that the screen prints, and are logged for a run without a screen. Raises
    TableError if `tables/unanswered.csv` cannot be read.
    """
    run = Run(run_dir)
    reasons = unanswered_models(run)
    if reasons:
        text = "\n".join([*unanswered_lines(run), ASKED_AGAIN])
        logging.getLogger("snakemake.logging").error(text, extra={"bfcl_unanswered": tuple(reasons)})
        sys.exit(NO_ANSWERS)
