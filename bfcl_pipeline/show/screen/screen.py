"""The screen of a run of the workflow: Snakemake's log records in, text for people out.

Covers which records are shown and how. Records of kinds that are not known here are shown as they are if
they are warnings or errors; the rest of Snakemake's own messages stays in its log file. A lock makes the
records and the clock take turns.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from bfcl_pipeline.base.errors import PipelineError
from bfcl_pipeline.base.process import this_process
from bfcl_pipeline.base.text import duration, plural, step_line
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.report.notes import NO_ANSWERS
from bfcl_pipeline.show.report.terminal import print_table
from bfcl_pipeline.show.screen.displays import Display, LiveDisplay
from bfcl_pipeline.show.screen.interruption import INTERRUPTION, Interruption
from bfcl_pipeline.show.screen.lines import cost, dry_run_text, log_tail, saved_text, summary_text
from bfcl_pipeline.show.screen.run_description import ASKED_AGAIN, RunDescription
from bfcl_pipeline.show.screen.run_state import FailedStep, ModelState, Phase, RunReport, RunState, RunSteps
from bfcl_pipeline.show.screen.state_file import run_file, write_record

DRAWN_SECONDS = 0.5
"""Between two readings of the progress files."""

WRITTEN_SECONDS = 1.0
"""Between two writings of the run's file."""

REASON_LINES = 2
"""Lines of the log of a job that say why entries have no answer."""

ADVICE = "Finished steps and recorded answers are kept. Fix the cause, then run the same command again."

_NOTHING = "Nothing to be done"
_REPEATED = "Trying to restart job"
_SHOWN = (
    _NOTHING,
    "Pulling ",
    "  The step is started again",
)  # beginnings of Snakemake's messages during a run that are shown
_CHATTER = ("Assuming unrestricted shared filesystem", "Building DAG of jobs", "Config file ")
_SUPERSEDED = "Exiting because a job execution failed"


class Screen:
    """Shows one call of Snakemake.

    Args:
        stream: receives the text.
        out: receives the table at the end, or the list of a dry run.
        live: whether `stream` is a terminal on which the picture of the run may be redrawn.
        dry_run: whether the steps are only listed.
        shell_commands: whether the commands of steps are shown.
        quiet: whether only errors are shown.
        color: whether a terminal shows colours.
        interruption: whether the run was asked to end.
        clock: seconds, for the duration of the run.
    """

    def __init__(
        self,
        stream: TextIO,
        out: TextIO,
        *,
        live: bool = False,
        dry_run: bool = False,
        shell_commands: bool = False,
        quiet: bool = False,
        color: bool = True,
        interruption: Interruption = INTERRUPTION,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._display = LiveDisplay(stream, color=color) if live else Display(stream)
        self._out, self._dry_run, self._shell_commands = out, dry_run, shell_commands
        self._quiet = quiet
        self._interruption, self._clock = interruption, clock
        self._run: RunDescription | None = None  # None: not reported yet
        self._cores = ""  # for people
        self._steps = RunSteps()
        self._planned: list[str] = []  # messages of the steps of a dry run
        self._grouped: set[int] = set()  # steps whose failure was reported with their group
        self._unanswered: tuple[str, ...] = ()  # models without any answer
        self._executing = self._nothing_to_do = self._reported = False
        self._started = clock()
        self._process, self._beat = this_process(), 0
        self._written = -WRITTEN_SECONDS  # when the run's file was, in seconds of the run
        self._lock = threading.Lock()
        self._closed = threading.Event()

    def start_clock(self) -> None:
        """Updates the screen twice a second until it is closed."""
        threading.Thread(target=self._run_clock, name="screen", daemon=True).start()

    def _run_clock(self) -> None:
        while not self._closed.wait(DRAWN_SECONDS):
            self._interruption.keep_prompt()
            with contextlib.suppress(OSError):  # the terminal is gone
                self.update()

    def update(self) -> None:
        """Reads the progress of the running steps and shows it."""
        with self._lock:
            if self._executing and not (self._dry_run or self._quiet or self._closed.is_set()):
                self._steps.read_progress(self._clock() - self._started)
                state = self._state(Phase.RUNNING)
                self._display.update(state)
                if state.seconds >= self._written + WRITTEN_SECONDS:
                    self._write(state)

    def _state(self, phase: Phase) -> RunState:
        name, title = (self._run.name, self._run.title) if self._run is not None else ("", "")
        return self._steps.state(name, title, phase)

    def _write(self, state: RunState) -> None:
        """Reports the state in the run's file, for `watch`, once the steps are known."""
        if self._run is None or not state.steps_total or self._dry_run:
            return
        self._written, self._beat = state.seconds, self._beat + 1
        if self._run.report.is_file():
            state.report = str(self._run.report)
        write_record(run_file(self._run.name), RunReport(self._beat, self._process, state))

    def handle(self, record: logging.LogRecord) -> None:
        """Takes a log record of Snakemake."""
        with self._lock:
            if self._interruption.requested:  # every step reports a failure that is none
                return
            if record.levelno >= logging.ERROR or not self._quiet:
                self._handle(record)

    def _handle(self, record: logging.LogRecord) -> None:
        fields = record.__dict__
        match str(fields.get("event") or ""):
            case "":
                self._message(record)
            case "workflow_started":
                self._executing = True
            case "resources_info" if fields.get("cores"):
                self._cores = f", {plural(fields['cores'], 'core', 'cores')}"
            case "resources_info" if fields.get("nodes"):
                self._cores = f", at most {fields['nodes']:,} cluster jobs at once"
            case "run_info":
                self._run_info(fields["stats"])
            case "job_info":
                self._job_info(fields)
            case "job_finished":
                self._job_finished(fields["job_id"])
            case "group_error":
                self._group_error(fields)
            case "job_error" if fields["jobid"] not in self._grouped:
                step = self._steps.ended(fields["jobid"], ModelState.FAILED)
                text = step.text if step else f"step {fields['jobid']}"
                self._fail(fields["jobid"], text, fields["log"])
            case "shellcmd" if self._shell_commands and record.getMessage():
                self._display.line(record.getMessage())
            # An exception: whole, unless it says no more than the log of the failed step.
            case "error" if "\nCalledProcessError in file" not in record.getMessage():
                self._display.line(record.getMessage().removeprefix("WorkflowError:\n"), "red")

    def _message(self, record: logging.LogRecord) -> None:
        """A message without a kind."""
        description = record.__dict__.get("bfcl_run")
        if description is not None:
            self._run = description
            return
        if unanswered := record.__dict__.get("bfcl_unanswered", ()):
            self._unanswered = unanswered  # the table has the reasons
            return
        text = record.getMessage()
        self._nothing_to_do |= text.startswith(_NOTHING)
        if text.startswith(_REPEATED):
            text = "  The step is started again."
        if record.levelno >= logging.WARNING:
            shown = not (text.startswith(_SUPERSEDED) and self._steps.failed)
        else:
            shown = text.startswith(_SHOWN) if self._executing else not text.startswith(_CHATTER)
        if shown and text:
            self._display.line(text, "yellow" if record.levelno >= logging.WARNING else "")

    def _run_info(self, stats: Mapping[str, int]) -> None:
        self._steps.planned(stats)
        if not self._dry_run:
            title = f"{self._run.title}; " if self._run is not None else ""
            self._display.line(f"{title}{plural(stats['total'], 'step', 'steps')}{self._cores}", "bold")

    def _job_info(self, fields: Mapping[str, Any]) -> None:
        text = fields["rule_msg"] or fields["rule_name"]
        if self._dry_run:
            self._planned.append(text)
        else:
            self._reported |= fields["rule_name"] == "report"
            self._steps.started(fields["jobid"], text, fields["log"], fields["rule_name"])

    def _job_finished(self, job: int) -> None:
        step = self._steps.ended(job, ModelState.FINISHED)
        if step is None or not (step.model or self._display.every_step):
            return
        progress = step.model.progress if step.model else None
        summary = "" if progress is None else f": {summary_text(progress)}"
        self._display.line(step_line(self._steps.done, self._steps.total, f"{step.text}{summary}"))
        if progress is not None and progress.entries_failed:
            reasons = [line for line in log_tail(step.logs[0]) if not line.endswith(summary)]
            for line in reasons[-REASON_LINES:]:
                self._display.line(f"    {line}", "yellow")

    def _group_error(self, fields: Mapping[str, Any]) -> None:
        """Steps that ran as one cluster job: which one failed is seen in the logs."""
        steps = fields["job_error_info"]
        self._grouped.update(step["jobid"] for step in steps)
        written = [path for step in steps for path in map(Path, step["log"]) if path.is_file()]
        written.sort(key=lambda path: -path.stat().st_mtime)
        ended = [self._steps.ended(step["jobid"], ModelState.FAILED) for step in steps]
        texts = [step.text for step in ended if step is not None]
        text = f"one of {', '.join(texts)}" if len(texts) > 1 else "".join(texts)
        self._fail(steps[0]["jobid"], text, [*map(str, written), *fields["aux_logs"]])

    def _fail(self, job: int, text: str, logs: Sequence[str]) -> None:
        """Shows a failed step, with the end of the first of its logs that is not empty."""
        log = next((log for log in logs if log_tail(log)), "".join(logs[:1]))
        lines = log_tail(log)
        self._steps.failed[job] = FailedStep(text=text, log=log, reason=next(reversed(lines), ""))
        self._display.line(f"Failed: {text}", "bold red")
        for line in lines:
            self._display.line(f"    {line}")
        if log:
            self._display.line(f"  Log: {log}")
        self._display.line(f"  {ADVICE}")

    def close(self) -> None:
        """Shows how the run ended. Called when no more records come."""
        if self._closed.is_set():
            return
        with self._lock:
            self._closed.set()
            self._steps.read_progress(self._clock() - self._started)
            complete = self._steps.done >= self._steps.total and not self._steps.failed
            ended = Phase.DONE if complete else Phase.FAILED
            state = self._state(Phase.INTERRUPTED if self._interruption.requested else ended)
            self._display.close()
            self._write(state)
            if self._interruption.requested:
                self._interrupted(state)
            elif self._dry_run and self._planned:
                with contextlib.suppress(OSError):  # the reader of a pipe has ended
                    print(dry_run_text(state.name, self._planned), file=self._out, flush=True)
            elif state.failed and not self._quiet:
                self._list_failures(state)
            elif self._nothing_to_do or 0 < state.steps_total <= state.steps_done:
                self._result(state)

    def _interrupted(self, state: RunState) -> None:
        asked = [job for job in state.reports() if job.saved]
        kept = saved_text(asked) if asked else "Finished steps are kept"
        self._display.line(f"Interrupted. {kept}.", "bold yellow")
        self._display.line("Run the same command again to continue.")

    def _list_failures(self, state: RunState) -> None:
        left = state.steps_total - state.steps_done - len(state.failed)
        waiting = f"; {left:,} were not run" if left else ""
        steps = plural(state.steps_total, "step", "steps")
        self._display.line(f"{len(state.failed):,} of {steps} failed{waiting}:", "bold red")
        for failure in state.failed:
            self._display.line(f"  {failure.text}" + (f" ({failure.log})" if failure.log else ""))
        self._requests(state)

    def _result(self, state: RunState) -> None:
        """The table, the path of the report, duration and cost."""
        run = self._run
        if run is None or run.replay:
            return
        if run.report.is_file() and (self._reported or self._nothing_to_do):
            self._print_table(run)
        self._requests(state)
        if state.steps_done:
            dollars = "" if state.dollars is None else f", {cost(state.dollars)}"
            self._display.line(f"{run.name}: done in {duration(state.seconds)}{dollars}")
        if self._unanswered:
            names = ", ".join(self._unanswered)
            self._display.line(f"No answers: {names}. {ASKED_AGAIN} Exit status {NO_ANSWERS}.", "bold red")

    def _requests(self, state: RunState) -> None:
        """How many requests were sent, and how many answers are older."""
        if self._run is not None and self._run.asks and not self._run.replay:
            self._display.line(f"{self._run.name}: {state.exchanges}")

    def _print_table(self, run: RunDescription) -> None:
        try:
            with contextlib.redirect_stdout(self._out):
                print()
                print_table(Run(run.report.parent), run.rules)
        except PipelineError as error:
            self._display.line(str(error), "yellow")
