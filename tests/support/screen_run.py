"""A screen that is passed Snakemake's log records, for tests."""

from __future__ import annotations

import io
import logging
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.show.screen.interruption import Interruption
from bfcl_pipeline.show.screen.run_description import RunDescription
from bfcl_pipeline.show.screen.screen import Screen
from bfcl_pipeline.show.screen.state_file import progress_path, write_record
from tests.support.job_progress import NONE_YET

RUN = RunDescription(
    name="mine", title="Run mine: 2 models, 3 categories", rules=Rules.OFFICIAL, replay=False, asks=False
)
BROKEN = """\
RuleException:
CalledProcessError in file "workflow/rules/score.smk", line 22:
Command 'set -euo pipefail; bfcl-pipeline score' returned non-zero exit status 1."""


class Run:
    """A screen with plain lines, in a folder of its own, and what it printed."""

    def __init__(self, **options: Any) -> None:
        self.interruption = Interruption()
        self.seconds = 0.0
        self._stream, self._out = io.StringIO(), io.StringIO()
        self.screen = Screen(
            self._stream, self._out, interruption=self.interruption, clock=lambda: self.seconds, **options
        )

    def record(
        self, text: str | None = None, event: str | None = None, level: int = logging.INFO, **fields: Any
    ) -> None:
        """Passes a log record as Snakemake makes it."""
        record = logging.LogRecord("snakemake.logging", level, "", 0, text, None, None)
        record.__dict__.update(fields, **({"event": event} if event else {}))
        self.screen.handle(record)

    def start(self, steps: int) -> None:
        """Passes what Snakemake reports before the first step."""
        self.record("", bfcl_run=RUN)
        self.record("Workflow has started!", "workflow_started")
        self.record("Building DAG of jobs...")
        self.record("Provided cores: 4", "resources_info", cores=4)
        self.record("Job stats: ...", "run_info", stats={"score": steps, "total": steps})
        self.record("Select jobs to execute...")
        self.record("Execute 1 jobs...", "job_started", jobs=[1])

    def step(self, job: int, text: str, log: str = "") -> None:
        """Starts a step; one that generates responses by the name of its rule."""
        first, _, rest = text.partition(" ")
        self.record(
            "Rule",
            "job_info",
            jobid=job,
            rule_msg=text,
            rule_name=f"generate_{rest}" if first == "Generate" else first.lower(),
            log=[log] if log else [],
        )

    def fail(self, job: int, *logs: str) -> None:
        """Passes what Snakemake reports of a step that failed."""
        self.record(BROKEN, "error", logging.ERROR, exception="RuleException")
        self.record(
            "Error in rule",
            "job_error",
            logging.ERROR,
            jobid=job,
            rule_name="score",
            rule_msg=None,
            log=[*logs],
        )

    def finish(self, job: int) -> None:
        """Passes what Snakemake reports of a step that is done."""
        self.record(f"Finished jobid: {job}", "job_finished", job_id=job)

    def report(self, log: str, **changed: Any) -> None:
        """Writes the progress of a step as its job does, NONE_YET with changes, and updates the screen."""
        write_record(progress_path(log), replace(NONE_YET, **changed))
        self.screen.update()

    def describe(self, **changed: Any) -> None:
        """Passes the description of the run again, with changes."""
        self.record("", bfcl_run=replace(RUN, **changed))

    def write(self, name: str, text: str = "", age: int = 0) -> None:
        """Writes a file of the run, made so many seconds ago."""
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)
        os.utime(name, (1e9 - age, 1e9 - age))

    def interrupt(self) -> None:
        """As Ctrl-C does."""
        self.interruption.requested = True

    def close(self, seconds: float = 0.0) -> None:
        """Ends the run, so many seconds after its start."""
        self.seconds = seconds
        self.screen.close()

    def printed(self) -> list[str]:
        """The lines since the last call."""
        lines = self._stream.getvalue().splitlines()
        self._stream.seek(0)
        self._stream.truncate()
        return lines

    def result(self) -> str:
        """What was printed for other programs."""
        return self._out.getvalue()
