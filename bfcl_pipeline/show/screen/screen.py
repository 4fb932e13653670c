"""The screen of a run of the workflow: Snakemake's log records in, text for people out.

Covers which records are shown and how. Records of kinds that are not known here are shown as they are if
they are warnings or errors; the rest of Snakemake's own messages stays in its log file. A lock makes the
records and the clock take turns.
"""

from __future__ import annotations

import contextlib
import logging
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from bfcl_pipeline.base.errors import PipelineError
from bfcl_pipeline.base.text import duration, plural
from bfcl_pipeline.benchmark.config import RunConfig
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.report.notes import NO_ANSWERS, unanswered_lines, unanswered_models
from bfcl_pipeline.show.report.terminal import print_styled, terminal_table, terminal_width
from bfcl_pipeline.show.screen.displays import Display, LiveDisplay, PlainDisplay
from bfcl_pipeline.show.screen.dry_run import grouped_steps
from bfcl_pipeline.show.screen.interruption import INTERRUPTION, Interruption
from bfcl_pipeline.show.screen.log_tail import failure_of, log_tail
from bfcl_pipeline.show.screen.progress import closing_text, cost, summary_text
from bfcl_pipeline.show.screen.run_file import RunFile
from bfcl_pipeline.show.screen.run_state import Failure, RunDescription, RunState
from bfcl_pipeline.show.screen.run_view import Phase

DRAWN_SECONDS = 0.5
"""Between two readings of the progress files."""

WRITTEN_SECONDS = 1.0
"""Between two writings of the run's file."""

REASON_LINES = 2
"""Lines of the log of a job that say why entries have no answer."""

ADVICE = "Finished steps and recorded answers are kept. Fix the cause, then run the same command again."

_ASKED_AGAIN = "The same command asks again."
_NOTHING = "Nothing to be done"
_REPEATED = "Trying to restart job"
_SHOWN = (
    _NOTHING,
    "Pulling ",
    "  The step is started again",
)  # beginnings of Snakemake's messages during a run that are shown
_CHATTER = ("Assuming unrestricted shared filesystem", "Building DAG of jobs", "Config file ")
_SUPERSEDED = "Exiting because a job execution failed"


def describe_run(run: RunConfig, config: Mapping[str, Any]) -> None:
    """Reports the run to its screen, if there is one. Called by the workflow when it is read.

    config: that of the run, complete.
    """
    description = RunDescription.of(run, config)
    logging.getLogger("snakemake.logging").info("", extra={"bfcl_run": description})


def exit_without_answers(run_dir: Path) -> None:
    """Ends this process with status NO_ANSWERS if a model of the run has no answer.

    The reasons are in the table that the screen prints, and are logged for a run without a screen. Raises
    TableError if `tables/unanswered.csv` cannot be read.
    """
    run = Run(run_dir)
    reasons = unanswered_models(run)
    if reasons:
        text = "\n".join([*unanswered_lines(run), _ASKED_AGAIN])
        logging.getLogger("snakemake.logging").error(text, extra={"bfcl_unanswered": tuple(reasons)})
        sys.exit(NO_ANSWERS)


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
        self._display: Display = LiveDisplay(stream, color=color) if live else PlainDisplay(stream)
        self._out, self._dry_run, self._shell_commands = out, dry_run, shell_commands
        self._quiet, self._color = quiet, color
        self._interruption, self._clock = interruption, clock
        self._state = RunState()
        self._planned: list[str] = []  # messages of the steps of a dry run
        self._grouped: set[int] = set()  # steps whose failure was reported with their group
        self._unanswered: tuple[str, ...] = ()  # models without any answer
        self._executing = self._nothing_to_do = self._reported = False
        self._started = clock()
        self._file: RunFile | None = None
        self._written = -WRITTEN_SECONDS  # when the file was, in seconds of the run
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
                self._state.read_progress(self._clock() - self._started)
                self._display.update(self._state)
                if self._state.seconds >= self._written + WRITTEN_SECONDS:
                    self._write(Phase.RUNNING)

    def _write(self, phase: Phase) -> None:
        """Reports the state in the run's file, for `watch`, once the steps are known."""
        if self._state.description is None or not self._state.steps_total or self._dry_run:
            return
        self._file = self._file or RunFile(self._state.description.name)
        self._written = self._state.seconds
        report = self._state.description.folder / "report.html"
        self._file.write(self._state.view(phase, str(report) if report.is_file() else ""))

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
            case "resources_info":
                self._resources(fields)
            case "run_info":
                self._run_info(fields["stats"])
            case "job_info":
                self._job_info(fields)
            case "job_finished":
                self._job_finished(fields["job_id"])
            case "group_error":
                self._group_error(fields)
            case "job_error" if fields["jobid"] not in self._grouped:
                self._failed(fields["jobid"], fields["log"])
            case "shellcmd" if self._shell_commands and record.getMessage():
                self._display.line(record.getMessage())
            case "error":
                self._error(record)

    def _message(self, record: logging.LogRecord) -> None:
        """A message without a kind."""
        description = record.__dict__.get("bfcl_run")
        if description is not None:
            self._state.description = description
            return
        if unanswered := record.__dict__.get("bfcl_unanswered", ()):
            self._unanswered = unanswered  # the table has the reasons
            return
        text = record.getMessage()
        self._nothing_to_do |= text.startswith(_NOTHING)
        if text.startswith(_REPEATED):
            text = "  The step is started again."
        if record.levelno >= logging.WARNING:
            shown = not (text.startswith(_SUPERSEDED) and self._state.failed)
        else:
            shown = text.startswith(_SHOWN) if self._executing else not text.startswith(_CHATTER)
        if shown and text:
            self._display.line(text, "yellow" if record.levelno >= logging.WARNING else "")

    def _resources(self, fields: Mapping[str, Any]) -> None:
        if fields.get("cores"):
            self._state.cores = plural(fields["cores"], "core", "cores")
        elif fields.get("nodes"):
            self._state.cores = f"at most {fields['nodes']:,} cluster jobs at once"

    def _run_info(self, stats: Mapping[str, int]) -> None:
        self._state.planned(stats)
        if not self._dry_run:
            steps = plural(stats["total"], "step", "steps")
            title = f"{self._state.description}; " if self._state.description else ""
            self._display.line(f"{title}{steps}, {self._state.cores}".rstrip(", "), "bold")

    def _job_info(self, fields: Mapping[str, Any]) -> None:
        text = fields["rule_msg"] or fields["rule_name"]
        if self._dry_run:
            self._planned.append(text)
        else:
            self._reported |= fields["rule_name"] == "report"
            self._state.started(fields["jobid"], text, fields["log"], fields["rule_name"])

    def _job_finished(self, job: int) -> None:
        step = self._state.finished(job)
        if step is not None:
            text = step.text if step.progress is None else f"{step.text}: {summary_text(step.progress)}"
            self._display.finished(step, text, self._state)
            if step.progress is not None and step.progress.entries_failed:
                summary = closing_text(step.progress)
                reasons = [line for line in log_tail(Path(step.logs[0])) if line != summary]
                for line in reasons[-REASON_LINES:]:
                    self._display.line(f"    {line}", "yellow")

    def _group_error(self, fields: Mapping[str, Any]) -> None:
        """Steps that ran as one cluster job: which one failed is seen in the logs."""
        steps = fields["job_error_info"]
        self._grouped.update(step["jobid"] for step in steps)
        written = sorted(
            (path for step in steps for path in map(Path, step["log"]) if path.is_file()),
            key=lambda path: path.stat().st_mtime,
        )
        logs = [*(str(path) for path in reversed(written)), *fields["aux_logs"]]
        texts = [self._state.running[step["jobid"]].text for step in steps if self._started_step(step)]
        failure = failure_of(f"one of {', '.join(texts)}" if len(texts) > 1 else "".join(texts), logs)
        for step in steps:
            self._state.stopped(step["jobid"])
        self._fail(steps[0]["jobid"], failure)

    def _started_step(self, step: Mapping[str, Any]) -> bool:
        return step["jobid"] in self._state.running

    def _failed(self, job: int, logs: Sequence[str]) -> None:
        step = self._state.stopped(job)
        self._fail(job, failure_of(step.text if step else f"step {job}", logs))

    def _fail(self, job: int, failure: Failure) -> None:
        self._state.failed[job] = failure
        self._display.line(f"Failed: {failure.text}", "bold red")
        for line in failure.lines:
            self._display.line(f"    {line}")
        if failure.log:
            self._display.line(f"  Log: {failure.log}")
        self._display.line(f"  {ADVICE}")

    def _error(self, record: logging.LogRecord) -> None:
        """An exception: whole, unless it says no more than the log of the failed step."""
        text = record.getMessage()
        if "\nCalledProcessError in file" not in text:
            self._display.line(text, "red")

    def close(self) -> None:
        """Shows how the run ended. Called when no more records come."""
        if self._closed.is_set():
            return
        with self._lock:
            self._closed.set()
            self._state.read_progress(self._clock() - self._started)
            self._display.close()
            self._write(self._last_phase())
            if self._interruption.requested:
                self._interrupted()
            elif self._dry_run:
                self._list_steps()
            elif self._state.failed and not self._quiet:
                self._list_failures()
            elif self._nothing_to_do or 0 < self._state.steps_total <= self._state.steps_done:
                self._result()

    def _last_phase(self) -> Phase:
        if self._interruption.requested:
            return Phase.INTERRUPTED
        complete = self._state.steps_done >= self._state.steps_total
        return Phase.DONE if complete and not self._state.failed else Phase.FAILED

    def _interrupted(self) -> None:
        saved = self._state.saved
        kept = f"{plural(saved, 'answer is', 'answers are')} saved in the journal" if saved else ""
        self._display.line(f"Interrupted. {kept or 'Finished steps are kept'}.", "bold yellow")
        self._display.line("Run the same command again to continue.")

    def _list_steps(self) -> None:
        if not self._planned:
            return
        name = f" of run {self._state.description.name}" if self._state.description else ""
        title = f"Dry run{name}: {plural(len(self._planned), 'step', 'steps')}, nothing is run."
        with contextlib.suppress(OSError):  # the reader of a pipe has ended
            print("\n".join([title, *grouped_steps(self._planned)]), file=self._out, flush=True)

    def _list_failures(self) -> None:
        failed, state = self._state.failed, self._state
        left = state.steps_total - state.steps_done - len(failed)
        waiting = f"; {left:,} were not run" if left else ""
        self._display.line(
            f"{len(failed):,} of {plural(state.steps_total, 'step', 'steps')} failed{waiting}:", "bold red"
        )
        for failure in failed.values():
            self._display.line(f"  {failure.text}" + (f" ({failure.log})" if failure.log else ""))
        self._requests()

    def _result(self) -> None:
        """The table, the path of the report, duration and cost."""
        run, state = self._state.description, self._state
        if run is None or run.replay:
            return
        report = run.folder / "report.html"
        if report.is_file() and (self._reported or self._nothing_to_do):
            self._print_table(run)
            self._display.line(f"Report: {report}")
        self._requests()
        if state.steps_done:
            dollars = "" if state.dollars is None else f", {cost(state.dollars)}"
            self._display.line(f"{run.name}: done in {duration(self._clock() - self._started)}{dollars}")
        if self._unanswered:
            names = ", ".join(self._unanswered)
            self._display.line(f"No answers: {names}. {_ASKED_AGAIN} Exit status {NO_ANSWERS}.", "bold red")

    def _requests(self) -> None:
        """How many requests were sent, and how many answers are older."""
        run = self._state.description
        if run is not None and run.asks and not run.replay:
            self._display.line(f"{run.name}: {self._state.exchanges}")

    def _print_table(self, run: RunDescription) -> None:
        on_terminal = self._out is sys.stdout and self._out.isatty()
        try:
            table = terminal_table(Run(run.folder), run.rules, terminal_width() if on_terminal else None)
        except PipelineError as error:
            self._display.line(str(error), "yellow")
            return
        print(file=self._out)
        if on_terminal and self._color:
            print_styled(table)
        else:
            print(table, file=self._out)
        print(file=self._out, flush=True)
