"""Reads the state of a run from the file in which it reports, on any machine that shares its folder.

Only reads. Clocks of different machines are never compared: a sign of life is a file that changes while it
is watched.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from bfcl_pipeline.base.process import Process, is_alive, this_process
from bfcl_pipeline.show.screen.run_state import Phase, RunState
from bfcl_pipeline.show.screen.state_file import FOLDER, read_record, run_file


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
