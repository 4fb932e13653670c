"""Unfinished files: names that no two processes share, and who clears them away.

The name says which process made the file, on which machine. Where that process is seen to have ended, the
file is nobody's. What another machine has left is nobody's once it has not been written for an hour.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from bfcl_pipeline.ownership.process import Process, is_alive, this_process

LONGEST_HOURS = 1.0
"""An unfinished file of another machine that was not written for so long is left over."""

_NAME = re.compile(
    r"\..+\.[A-Za-z0-9_]+-(?P<place>[0-9a-f]{8})-(?P<pid>\d+)-(?P<started>\d*)-[0-9a-f]{12}\.tmp"
)


def temporary_path(path: Path, writer: Process | None = None) -> Path:
    """A hidden name beside `path` that no other call gives, on any machine. Makes no file."""
    writer = writer or this_process()
    host = re.sub(r"[^A-Za-z0-9]", "_", writer.host.partition(".")[0])[:20] or "_"
    made_by = f"{host}-{writer.place}-{writer.pid}-{writer.started or ''}"
    return path.with_name(f".{path.name}.{made_by}-{uuid.uuid4().hex[:12]}.tmp")


def clear_temporaries(unfinished: Iterable[Path], now: float, here: Process | None = None) -> None:
    """Deletes those of the files that are left over.

    now: when a file was last written that the caller has just written there, so that no clocks of two
    machines are compared. Raises OSError.
    """
    here = here or this_process()
    for path in unfinished:
        if _is_left_over(path, now, here):
            path.unlink(missing_ok=True)


def _is_left_over(path: Path, now: float, here: Process) -> bool:
    name = _NAME.fullmatch(path.name)
    if name is not None and name["place"] == here.place:
        writer = replace(here, pid=int(name["pid"]), started=name["started"] or None)
        alive = is_alive(writer, here)
        if alive is not None:
            return not alive
    try:
        return path.stat().st_mtime < now - LONGEST_HOURS * 3600
    except FileNotFoundError:
        return False
