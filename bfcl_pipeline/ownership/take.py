"""Taking ownership: the file that only one process can have made, or that follows an owner that is gone.

No locks of the system, which not every file system has. The file is finished under another name and then
linked to its own, which a file system grants to one process. An owner that is gone is followed by whoever
makes the file of the claim to follow it. Each owner has a token of its own and none comes back, so that
who looks late cannot follow the follower.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bfcl_pipeline.errors import OwnerError
from bfcl_pipeline.ownership.owner import Owner, look, read_owner, write_new
from bfcl_pipeline.ownership.process import Process
from bfcl_pipeline.ownership.temporary import temporary_path
from bfcl_pipeline.ownership.watch import Fate, Rhythm, Watch

_LOOKS = 100  # at a file that others make and delete meanwhile


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


@dataclass(frozen=True, slots=True)
class Taking:
    """How one process takes ownership."""

    owner: Owner  # who is to be
    here: Process  # from where others are looked at
    rhythm: Rhythm
    does: str  # what an owner does, for messages
    wait: bool = False  # for an owner that is alive
    say: Callable[[str], None] = _say  # to whoever waits

    def take(self, path: Path) -> Owner | None:
        """Makes `path` name the owner. Returns whom it follows; None if nobody had it.

        An owner of whom nothing is known is watched. Raises OwnerError if one is alive, unless that is
        waited for, or if the file does not tell who it is; OSError.
        """
        watch: Watch | None = None
        told: float | None = None
        absent = 0
        unread = 0.0  # seconds
        while True:
            try:
                seen = look(path)
            except OwnerError:
                # A network file system may show a new file in the length of the one before, for a while.
                if unread >= self.rhythm.silent:
                    raise
                unread += self.rhythm.look
                self.rhythm.sleep(self.rhythm.look)
                continue
            if seen is None:
                if self._made(path):
                    return None
                absent += 1
                if absent == _LOOKS:
                    raise OwnerError(
                        f"{path}: comes and goes. See who else uses the folder, then run again."
                    )
                continue
            absent = 0
            if seen.owner == self.owner:
                return None  # the link was made after all, as can be over NFS
            if watch is None or watch.owner != seen.owner:
                watch = Watch(seen, self.here, self.rhythm)
            fate = watch.fate(seen)
            if fate is Fate.GONE:
                if self._followed(path, seen.owner):
                    return seen.owner
                continue
            if fate is Fate.ALIVE and not self.wait:
                raise OwnerError(
                    f"{path}: {seen.owner} {self.does}. Wait for it, or stop it. If that job is dead, take "
                    f"over: delete {path}."
                )
            now = self.rhythm.now()
            if told is None or now - told >= self.rhythm.tell:
                self.say(self._waiting(path, seen.owner, fate))
                told = now
            self.rhythm.sleep(self.rhythm.look)

    def _waiting(self, path: Path, other: Owner, fate: Fate) -> str:
        if fate is Fate.ALIVE:
            return f"{path}: {other} {self.does}; waiting for it to end."
        return (
            f"{path}: {other} {self.does}, or is dead; it is followed once nothing was heard of it for "
            f"{self.rhythm.silent:g} s."
        )

    def _followed(self, path: Path, other: Owner) -> bool:
        """Replaces `other`, which is gone, by the owner; False if somebody else has."""
        claim = path.with_name(f"{path.name}.{other.token}")
        self.take(claim)
        temporary = temporary_path(path, self.owner.process)
        try:
            write_new(temporary, self.owner)
            # Only who has the claim replaces this owner.
            if read_owner(claim) != self.owner or read_owner(path) != other:
                return False
            temporary.replace(path)
            return True
        finally:
            temporary.unlink(missing_ok=True)
            release(claim, self.owner)

    def _made(self, path: Path) -> bool:
        """Makes the file. Returns False, changing nothing, if there is one."""
        temporary = temporary_path(path, self.owner.process)
        try:
            write_new(temporary, self.owner)
            try:
                os.link(temporary, path)
            except (FileExistsError, FileNotFoundError):  # the latter: somebody cleared the folder
                return False
            except OSError:  # a file system without links
                write_new(path, self.owner)
        except FileExistsError:
            return False
        finally:
            temporary.unlink(missing_ok=True)
        return True


def release(path: Path, owner: Owner) -> None:
    """Deletes `path` if it names `owner`."""
    with contextlib.suppress(OwnerError):
        if read_owner(path) == owner:
            path.unlink(missing_ok=True)
