"""The file that says to whom something belongs, and since when. It is renewed while its owner lives."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, replace
from errno import ESTALE
from pathlib import Path
from typing import BinaryIO

from bfcl_pipeline.errors import OwnerError
from bfcl_pipeline.ownership.process import Process

_LENGTH = 1023
"""All are of one length: some network file systems remember that of a file that was replaced."""


@dataclass(frozen=True, slots=True)
class Owner:
    """Whom the file names."""

    token: str  # different for each time that ownership is taken, so that none comes back
    since: str  # ISO 8601 in UTC
    process: Process

    def __str__(self) -> str:
        return f"{self.process}, since {self.since},"


@dataclass(frozen=True, slots=True)
class Seen:
    """One look at the file."""

    owner: Owner
    renewed: int  # another number whenever it was renewed; says nothing about when


def look(path: Path) -> Seen | None:
    """What `path` says now; None if it is not there. Raises OwnerError if it cannot be read.

    Opens the file each time: only so does a network file system ask its server.
    """
    try:
        with path.open("rb") as file:
            return Seen(_read(path, file), os.fstat(file.fileno()).st_mtime_ns)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno == ESTALE:  # replaced or deleted while it was read, on another machine
            return None
        raise OwnerError(f"{path}: cannot be read ({error}).") from error


def read_owner(path: Path) -> Owner | None:
    """Whom `path` names; None if it is not there. Raises OwnerError if it cannot be read."""
    seen = look(path)
    return None if seen is None else seen.owner


def renew(path: Path, owner: Owner) -> bool:
    """Says that `owner` lives; False if `path` names somebody else. Raises OwnerError, OSError.

    What is renewed is the file that was read: who has been followed does not renew the follower.
    """
    with path.open("rb") as file:
        if _read(path, file) != owner:
            return False
        os.utime(file.fileno())
    return True


def write_new(path: Path, owner: Owner) -> None:
    """Writes a file that must not be there. Raises FileExistsError if it is, or another OSError."""
    with path.open("x", encoding="ascii") as file:
        file.write(json.dumps(asdict(owner)).ljust(_LENGTH) + "\n")
        file.flush()
        os.fsync(file.fileno())


def _read(path: Path, file: BinaryIO) -> Owner:
    content = file.read()
    try:
        document = json.loads(content)
        process = Process(**document["process"])
        if not isinstance(process.pid, int) or process.pid < 1:
            raise ValueError(f"{process.pid!r} is no number of a process")
        return replace(Owner(**document), process=process)
    except (ValueError, TypeError, KeyError) as error:
        raise OwnerError(
            f"{path}: does not tell whose it is ({error}). If no job is at work there, delete that file."
        ) from error
