"""The two forms of the screen: plain lines for logs, and a live picture on a terminal.

Both receive permanent lines (a model is done, a step failed) and the state of the run, which the live one
draws and of which the plain one prints the progress now and then.
"""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING, Protocol, TextIO

from bfcl_pipeline.base.text import step_line
from bfcl_pipeline.show.screen.progress import FIRST_SECONDS, PLAIN_SECONDS, progress_text, troubles_text
from bfcl_pipeline.show.screen.run_state import RunningStep, RunState
from bfcl_pipeline.show.screen.run_view import RunView

if TYPE_CHECKING:
    from rich.console import Console
    from rich.live import Live


class Display(Protocol):
    """Shows a run."""

    def line(self, text: str, style: str = "") -> None:
        """Prints a line that stays. style: as of rich, for terminals."""

    def finished(self, step: RunningStep, text: str, state: RunState) -> None:
        """Reports a step that ended well. text: what it did."""

    def update(self, state: RunState) -> None:
        """Shows the state, if it is time for that."""

    def close(self) -> None:
        """Ends the live picture: what follows is printed below it."""


class PlainDisplay:
    """Lines for a log: one for each finished step, and one for each generating job every 30 seconds.

    A job's last error is printed below its line, unless it is still the same.
    """

    def __init__(self, stream: TextIO) -> None:
        """stream: receives the lines, unless its reader has ended."""
        self._stream = stream
        self._next: dict[str, float] = {}  # seconds of a job at which its next line is due, by its name
        self._errors: dict[str, str] = {}  # the last error that was printed of a job, by its name

    def line(self, text: str, style: str = "") -> None:  # noqa: ARG002  # a Display
        """Prints a line."""
        with contextlib.suppress(OSError):  # the reader of a pipe has ended
            print(text, file=self._stream, flush=True)

    def finished(self, step: RunningStep, text: str, state: RunState) -> None:
        """Prints `[12/100] Score oracle-FC`."""
        if step.progress is not None:
            self._next.pop(step.progress.name, None)
        self.line(step_line(state.steps_done, state.steps_total, text))

    def update(self, state: RunState) -> None:
        """Prints the progress of each job whose last line is old."""
        for job in state.generating():
            if job.seconds >= self._next.get(job.name, FIRST_SECONDS):
                self._next[job.name] = job.seconds + PLAIN_SECONDS
                self.line(progress_text(job))
                if job.last_error and job.last_error != self._errors.get(job.name):
                    self._errors[job.name] = job.last_error
                    self.line(f"    {troubles_text(job)}; last error: {job.last_error}")

    def close(self) -> None:
        """Nothing is open."""


class LiveDisplay:
    """A picture of the run at the end of the terminal, redrawn in place, below lines that stay."""

    def __init__(self, stream: TextIO, console: Console | None = None, *, color: bool = True) -> None:
        """stream: a terminal. console: instead of one on `stream`."""
        from rich.console import Console

        no_color = None if color else True  # None: as the environment says
        self._console = console or Console(
            file=stream, highlight=False, force_terminal=True, no_color=no_color
        )
        self._live: Live | None = None

    def line(self, text: str, style: str = "") -> None:
        """Prints a line above the picture."""
        from rich.text import Text

        self._console.print(Text(text, style), soft_wrap=True)

    def finished(self, step: RunningStep, text: str, state: RunState) -> None:
        """Prints a line for a job that generated responses; others are short and many."""
        if step.progress is not None:
            self.line(step_line(state.steps_done, state.steps_total, text))

    def update(self, state: RunState) -> None:
        """Redraws the picture; models that have finished have lines above it."""
        self.draw(state.view())

    def draw(self, view: RunView, *, alone: bool = False) -> None:
        """Redraws the picture. alone: whether it has everything, as no lines stand above it."""
        from rich.live import Live

        from bfcl_pipeline.show.screen.picture import picture

        if self._live is None:
            self._live = Live(
                console=self._console,
                auto_refresh=False,
                transient=True,
                redirect_stdout=sys.stdout.isatty(),
                vertical_overflow="crop",
            )
            self._live.start()
        size = self._console.size
        self._live.update(picture(view, size.width, size.height, alone=alone), refresh=True)

    def close(self) -> None:
        """Removes the picture."""
        if self._live is not None:
            self._live.stop()
            self._live = None
