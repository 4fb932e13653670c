"""The end of a log file, for a screen."""

from collections.abc import Sequence
from pathlib import Path

from bfcl_pipeline.base.text import cut, printable
from bfcl_pipeline.show.screen.run_state import Failure

LINES = 15
"""Lines of a log that are shown."""

_BYTES = 64 * 1024  # that are read
_CHARACTERS = 1000  # of a line


def failure_of(text: str, logs: Sequence[str]) -> Failure:
    """The failure of a step, with the end of the first of its logs that is not empty."""
    for log in logs:
        if lines := log_tail(Path(log)):
            return Failure(text, log, lines)
    return Failure(text, next(iter(logs), ""), ())


def log_tail(path: Path) -> tuple[str, ...]:
    """The last lines of a file, invisible characters escaped; none if it cannot be read."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - _BYTES))
            text = file.read().decode("utf-8", "replace")
    except OSError:
        return ()
    return tuple(cut(printable(line.rstrip()), _CHARACTERS) for line in text.splitlines()[-LINES:])
