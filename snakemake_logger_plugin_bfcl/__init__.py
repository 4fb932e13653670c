"""The logger plugin with which Snakemake shows a run of this workflow: `--logger bfcl`.

The profiles of the workflow set it; Snakemake finds it by the name of this package. What is shown is
decided in `bfcl_pipeline.show.screen`.
"""

import os
import sys
from dataclasses import dataclass, field
from logging import LogRecord
from typing import Optional

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.settings import LogHandlerSettingsBase

from bfcl_pipeline.show.screen.interruption import INTERRUPTION
from bfcl_pipeline.show.screen.screen import Screen

SHOW = ("auto", "live", "lines", "snakemake")


@dataclass
class LogHandlerSettings(LogHandlerSettingsBase):
    """Options of the plugin."""

    show: Optional[str] = field(  # noqa: UP045  # Snakemake reads the annotation
        default=None,
        metadata={
            "help": "What is shown of a run: `live`, a picture that is redrawn in place; `lines`, plain "
            "lines for a log; `snakemake`, Snakemake's own messages; `auto` (default), `live` on a "
            "terminal, else `lines`.",
            "choices": SHOW,
            "type": str,
        },
    )


class LogHandler(LogHandlerBase):
    """Passes the records of Snakemake to the screen."""

    def __post_init__(self) -> None:
        """Starts the screen, unless Snakemake's own messages are shown."""
        self._screen: Screen | None = None
        common = self.common_settings
        show = getattr(self.settings, "show", None) or "auto"
        if common.verbose or common.debug_dag or show == "snakemake":
            return
        INTERRUPTION.handle_signals()
        terminal = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._screen = Screen(
            sys.stderr,
            sys.stdout,
            live=not common.dryrun and (terminal if show == "auto" else show == "live"),
            dry_run=common.dryrun,
            shell_commands=common.printshellcmds,
            quiet="ALL" in {quietness.name for quietness in common.quiet or ()},
            color=not common.nocolor,
        )
        self._screen.start_clock()

    def emit(self, record: LogRecord) -> None:
        """Shows a record. As in every handler of logging, an error in it does not stop the program."""
        if self._screen is not None:
            try:
                self._screen.handle(record)
            except Exception:  # noqa: BLE001  # printed; else no later record would be shown
                self.handleError(record)

    def close(self) -> None:
        """Shows how the run ended."""
        if self._screen is not None:
            self._screen.close()
        super().close()

    @property
    def writes_to_stream(self) -> bool:
        """Whether this replaces Snakemake's own messages."""
        return self._screen is not None

    @property
    def writes_to_file(self) -> bool:
        """Nothing is written to a file; Snakemake writes its own log file."""
        return False

    @property
    def has_filter(self) -> bool:
        """The screen chooses the records itself."""
        return True

    @property
    def has_formatter(self) -> bool:
        """The screen formats the records itself."""
        return True

    @property
    def needs_rulegraph(self) -> bool:
        """The graph of rules is not shown."""
        return False
