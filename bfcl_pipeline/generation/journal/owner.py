"""The owner of a journal: a file beside it that only one process can have made.

No locks of the system, which not every file system has. The file is finished under another name and then
linked to its own, which a file system grants to one process. An owner that has ended is followed by
whoever makes the file of the claim to follow it. Each owner has a token of its own and none comes back, so
that who looks late cannot follow the follower.
"""

from __future__ import annotations

import json
import os
import uuid
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from bfcl_pipeline.errors import JournalError
from bfcl_pipeline.generation.journal.process import Process, is_gone, this_process

_LOOKS = 100  # at a file that others make and delete meanwhile


@dataclass(frozen=True, slots=True)
class Owner:
    """Who writes a journal."""

    token: str  # different for each time that a journal is opened
    since: str  # ISO 8601 in UTC
    process: Process

    def __str__(self) -> str:
        return f"process {self.process.pid} on {self.process.host}, since {self.since},"


class Ownership:
    """The right to write one journal, until it is given back."""

    def __init__(self, journal: Path) -> None:
        """Takes the right. Raises JournalError if another process has it, or may have; OSError."""
        self._path = owner_path(journal)
        since = datetime.now(UTC).isoformat(timespec="seconds")
        self._owner = Owner(uuid.uuid4().hex, since, this_process())
        _take(self._path, self._owner)

    def check(self) -> None:
        """Raises JournalError if somebody has taken the right away."""
        found = read_owner(self._path)
        if found is None or found.token != self._owner.token:
            other = "it was taken away" if found is None else f"{found} has taken it"
            raise JournalError(f"{self._path}: this job wrote the journal, but {other}. Run again.")

    def give_back(self) -> None:
        """Lets others write; takes away what those who were killed have left. Raises OSError."""
        for leftover in self._path.parent.glob(f"*{self._path.name}.*"):
            leftover.unlink(missing_ok=True)
        _release(self._path, self._owner)


def owner_path(journal: Path) -> Path:
    """Where the owner of a journal is told."""
    return journal.with_name(f"{journal.name}.owner")


def read_owner(path: Path) -> Owner | None:
    """Who `path` names; None if it is not there. Raises JournalError if it cannot be read."""
    try:
        document = json.loads(path.read_bytes())
        process = Process(**document["process"])
        if not isinstance(process.pid, int) or process.pid < 1:
            raise ValueError(f"{process.pid!r} is no number of a process")
        return replace(Owner(**document), process=process)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise JournalError(
            f"{path}: does not tell who writes the journal ({error}). If no job does, delete that file."
        ) from error


def _take(path: Path, owner: Owner) -> None:
    """Makes `path` name `owner`. Raises JournalError if it names a process that may be alive."""
    for _ in range(_LOOKS):
        if _made(path, owner):
            return
        other = read_owner(path)
        if other is None:
            continue  # given back just now
        if other.token == owner.token:
            return  # the link was made after all, as can be over NFS
        if not is_gone(other.process):
            raise JournalError(
                f"{path}: {other} writes this journal. Wait for it, or stop it. If that job is dead, take "
                f"over: delete {path}."
            )
        if _followed(path, other, owner):
            return
    raise JournalError(f"{path}: comes and goes. See who else uses the folder, then run again.")


def _followed(path: Path, other: Owner, owner: Owner) -> bool:
    """Replaces `other`, which is gone, by `owner`; False if somebody else has."""
    claim = path.with_name(f"{path.name}.{other.token}")
    _take(claim, owner)
    try:
        # Only who has the claim replaces this owner.
        if read_owner(path) != other:
            return False
        temporary = _temporary(path)
        try:
            _write(temporary, owner)
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
        return True
    finally:
        _release(claim, owner)


def _release(path: Path, owner: Owner) -> None:
    found = read_owner(path)
    if found is not None and found.token == owner.token:
        path.unlink(missing_ok=True)


def _made(path: Path, owner: Owner) -> bool:
    """Makes the file. Returns False, changing nothing, if there is one."""
    temporary = _temporary(path)
    try:
        _write(temporary, owner)
        try:
            os.link(temporary, path)
        except FileExistsError:
            return False
        except OSError:  # a file system without links
            _write(path, owner)
    except FileExistsError:
        return False
    finally:
        temporary.unlink(missing_ok=True)
    return True


def _write(new: Path, owner: Owner) -> None:
    """Writes a file that must not be there. Raises FileExistsError if it is."""
    with new.open("x", encoding="ascii") as file:
        file.write(json.dumps(asdict(owner)) + "\n")
        file.flush()
        os.fsync(file.fileno())


def _temporary(path: Path) -> Path:
    return path.with_name(f".{path.name}.{uuid.uuid4().hex}.tmp")
