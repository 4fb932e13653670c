"""The two forms of the screen: plain lines for logs, and a live picture on a terminal.

Both print permanent lines (a model is done, a step failed) and receive the state of the run, which the live
one draws and of which the plain one prints the progress now and then.
"""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING, TextIO

from bfcl_pipeline.show.screen.lines import failures_text, progress_text
from bfcl_pipeline.show.screen.run_state import ModelState, RunState

if TYPE_CHECKING:
    from rich.console import Console
    from rich.live import Live

FIRST_SECONDS = 1.0
"""From the start of a job to its first plain progress line."""

PLAIN_SECONDS = 30.0
"""Between two plain progress lines of a job."""


class Display:
    """Plain lines for a log: those of the caller, and one for each generating job every 30 seconds.

    A job's last error is printed below its line, unless it is still the same.
    """

    every_step = True  # whether short steps have lines, too

    def __init__(self, stream: TextIO) -> None:
        """stream: receives the lines, unless its reader has ended."""
        self._stream = stream
        self._next: dict[str, float] = {}  # seconds of a job at which its next line is due, by its name
        self._errors: dict[str, str] = {}  # the last error that was printed of a job, by its name

    def line(self, text: str, style: str = "") -> None:  # noqa: ARG002  # of the live form
        """Prints a line that stays. style: as of rich, for terminals."""
        with contextlib.suppress(OSError):  # the reader of a pipe has ended
            print(text, file=self._stream, flush=True)

    def update(self, state: RunState) -> None:
        """Shows the state, if it is time for that."""
        for job in state.reports(ModelState.RUNNING):
            due = self._next.get(job.name, FIRST_SECONDS)
            if not due - PLAIN_SECONDS <= job.seconds < due:  # a job that is repeated starts at 0
                self._next[job.name] = job.seconds + PLAIN_SECONDS
                self.line(progress_text(job))
                if job.last_error and job.last_error != self._errors.get(job.name):
                    self._errors[job.name] = job.last_error
                    self.line(f"    {failures_text(job)}; last error: {job.last_error}")

    def close(self) -> None:
        """Ends the picture, if there is one: what follows is printed below it."""


class LiveDisplay(Display):
    """A picture of the run at the end of the terminal, redrawn in place, below lines that stay."""

    every_step = False  # they are short and many

    def __init__(self, stream: TextIO, console: Console | None = None, *, color: bool = True) -> None:
        """stream: a terminal. console: instead of one on `stream`."""
        from rich.console import Console  # slow

        super().__init__(stream)
        no_color = None if color else True  # None: as the environment says
        self._console = console or Console(
            file=stream, highlight=False, force_terminal=True, no_color=no_color
        )
        self._live: Live | None = None

    def line(self, text: str, style: str = "") -> None:
        """Prints a line above the picture."""
        self._console.print(text, style=style, markup=False, emoji=False, soft_wrap=True)

    def update(self, state: RunState) -> None:
        """Redraws the picture."""
        from rich.live import Live  # slow

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
        self._live.update(picture(state, size.width, size.height), refresh=True)

    def close(self) -> None:
        """Removes the picture."""
        if self._live is not None:
            self._live.stop()
            self._live = None
