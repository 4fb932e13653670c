"""Ownership as its holder has it: taken, renewed by a thread while the process lives, given back."""

from __future__ import annotations

import contextlib
import threading
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from bfcl_pipeline.errors import OwnerError
from bfcl_pipeline.ownership.owner import Owner, read_owner, renew
from bfcl_pipeline.ownership.process import Process, is_alive, this_process
from bfcl_pipeline.ownership.take import Taking, release
from bfcl_pipeline.ownership.temporary import LONGEST_HOURS, clear_temporaries
from bfcl_pipeline.ownership.watch import Rhythm

RHYTHM = Rhythm()

_ABSENT = 2  # beats in a row that find no file: it was deleted


class Ownership:
    """The right to something, told by a file, until it is given back."""

    def __init__(
        self,
        path: Path,
        does: str,
        *,
        wait: bool = False,
        rhythm: Rhythm = RHYTHM,
        here: Process | None = None,
        lost: Callable[[Owner | None], None] | None = None,
    ) -> None:
        """Makes `path` name this process, and has a thread renew it.

        does: what an owner does, for messages. wait: for an owner that is alive, with a line a minute on
        standard error. here: this process, unless told. lost: called, in the thread, when the right was
        taken away, with who has it now. Raises OwnerError if another process has it; OSError.
        """
        here = here or this_process()
        self.path = path
        self._does = does
        self._lost = lost
        self.owner = Owner(uuid.uuid4().hex, datetime.now(UTC).isoformat(timespec="seconds"), here)
        self.follows = Taking(self.owner, here, rhythm, does, wait).take(path)  # None: it was free
        self._ended = threading.Event()
        self._beat = rhythm.beat
        threading.Thread(target=self._renew, name=f"owner of {path.name}", daemon=True).start()

    def check(self) -> None:
        """Raises OwnerError if somebody has taken the right away."""
        found = read_owner(self.path)
        if found != self.owner:
            other = "its file was deleted" if found is None else f"{found} has taken over"
            raise OwnerError(f"{self.path}: this job no longer {self._does}: {other}. Run again.")

    def give_back(self) -> None:
        """Lets others have it; takes away what those who were killed have left. Raises OSError."""
        self._ended.set()
        with contextlib.suppress(FileNotFoundError):
            now = self.path.stat().st_mtime
            clear_temporaries(self.path.parent.glob(f".{self.path.name}.*.tmp"), now)
            _clear_claims(self.path, self.owner, now)
        release(self.path, self.owner)

    def _renew(self) -> None:
        """Beats until it is given back or lost. Runs in the thread."""
        absent = 0
        while not self._ended.wait(self._beat):
            try:
                if not renew(self.path, self.owner):
                    break
                absent = 0
            except FileNotFoundError:
                absent += 1
                if absent == _ABSENT:
                    break
            except (OSError, OwnerError):
                pass  # a disk that is away for a while is no reason to stop
        if not self._ended.is_set() and self._lost is not None:
            with contextlib.suppress(OwnerError):
                self._lost(read_owner(self.path))


def _clear_claims(path: Path, owner: Owner, now: float) -> None:
    """Deletes the claims to earlier owners, of processes that were killed while they followed."""
    for claim in path.parent.glob(f"{path.name}.*"):
        with contextlib.suppress(OwnerError, FileNotFoundError):
            claimer = read_owner(claim)
            old = claim.stat().st_mtime < now - LONGEST_HOURS * 3600
            if claim.suffix != f".{owner.token}" and (
                old or (claimer is not None and is_alive(claimer.process) is False)
            ):
                claim.unlink(missing_ok=True)
