"""A command in this process whose terminal is a real one."""

from __future__ import annotations

import os
import pty
import re
import threading

import pytest

from bfcl_pipeline.cli import main


def on_terminal(words: list[str], columns: int, typed: bytes = b"") -> tuple[int, str]:
    """The exit status, and the text on the screen without colours, after somebody typed `typed`."""
    ours, theirs = pty.openpty()
    screen = b""

    def read() -> None:
        nonlocal screen
        while True:
            try:
                screen += os.read(ours, 65536)
            except OSError:  # the other end is closed
                return

    reader = threading.Thread(target=read)
    with (
        pytest.MonkeyPatch.context() as patch,
        os.fdopen(theirs, "w", buffering=1) as terminal,
        os.fdopen(theirs, closefd=False) as keyboard,
    ):
        patch.setattr("sys.stdin", keyboard)
        patch.setattr("sys.stdout", terminal)
        patch.setattr("sys.stderr", terminal)
        patch.setenv("COLUMNS", str(columns))
        patch.setenv("TERM", "xterm")
        os.write(ours, typed)
        reader.start()
        status = main(words)
    reader.join()
    os.close(ours)
    return status, re.sub(r"\x1b\[[0-9;]*m", "", screen.decode()).replace("\r", "")
