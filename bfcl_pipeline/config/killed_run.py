"""What a run that was killed left in its folder, cleared away once no run is alive there.

Snakemake marks its folder with files, and cannot tell those of a killed run from those of one that goes on:
it starts beside neither until someone types `--unlock`. The kernel can tell: it drops the lock of a process
when that process ends, however it ends. Which steps are to be done again is decided by Snakemake
(`rerun-incomplete`), not here.
"""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import IO


def clear_killed_run(state: Path, written: Iterable[Path]) -> IO[bytes] | None:
    """Frees `state`, Snakemake's folder, of a dead run's marks, and `written` of its half-written files.

    The file that is returned says that this process is alive for as long as it is open: keep it to the end.
    Nothing is cleared while another process keeps one, so two runs at once are refused as ever. None, and
    nothing done, where files cannot be made or locked.
    """
    try:
        state.mkdir(exist_ok=True)
        alive = (state / "alive.lock").open("ab")
        try:
            fcntl.flock(alive, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _clear(state / "locks", written)
        except BlockingIOError:
            pass  # a run, or someone's dry run: what is marked may be theirs
        fcntl.flock(alive, fcntl.LOCK_SH)
    except OSError:
        return None
    return alive


def _clear(marks: Path, written: Iterable[Path]) -> None:
    if not marks.is_dir() or not any(marks.iterdir()):
        return
    for folder in written:
        for unfinished in list(folder.rglob(".*.tmp")):  # as tables.files names them
            unfinished.unlink(missing_ok=True)
    shutil.rmtree(marks)
