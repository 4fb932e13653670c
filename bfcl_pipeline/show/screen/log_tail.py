"""The end of a log file, for a screen."""

from pathlib import Path

from bfcl_pipeline.base.text import cut, printable

LINES = 15
"""Lines of a log that are shown."""

_BYTES = 64 * 1024  # that are read
_CHARACTERS = 1000  # of a line


def log_tail(log: str) -> tuple[str, ...]:
    """The last lines of a file, invisible characters escaped; none if it cannot be read."""
    try:
        with Path(log).open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - _BYTES))
            text = file.read().decode("utf-8", "replace")
    except OSError:
        return ()
    return tuple(cut(printable(line.rstrip()), _CHARACTERS) for line in text.splitlines()[-LINES:])
