"""The lock file: names the holder of a lease and is renewed while that process is alive."""

import json
import os
from dataclasses import asdict, dataclass, replace
from errno import ESTALE
from pathlib import Path
from typing import BinaryIO

from bfcl_pipeline.base.errors import LeaseError
from bfcl_pipeline.base.process import Process

_LENGTH = 1023
"""Of every lock file, because some network file systems cache the length of a replaced file."""


@dataclass(frozen=True, slots=True)
class Holder:
    """The content of a lock file."""

    token: str  # unique to each acquisition
    since: str  # ISO 8601 in UTC
    process: Process

    def __str__(self) -> str:
        return f"{self.process}, since {self.since},"


@dataclass(frozen=True, slots=True)
class LeaseState:
    """A lock file at one moment."""

    holder: Holder
    renewed: int  # changes with each heartbeat; not comparable with any clock


def read_lease(path: Path) -> LeaseState | None:
    """The lock file at `path`; None if there is none. Raises LeaseError if it cannot be read.

    Opens the file each time, which makes a network file system query its server.
    """
    try:
        with path.open("rb") as file:
            return LeaseState(_read(path, file), os.fstat(file.fileno()).st_mtime_ns)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno == ESTALE:  # replaced or deleted by another machine during the read
            return None
        raise LeaseError(f"{path}: cannot read the lock file ({error}).") from error


def read_holder(path: Path) -> Holder | None:
    """The holder that `path` names; None if there is no file. Raises LeaseError if it cannot be read."""
    state = read_lease(path)
    return None if state is None else state.holder


def renew(path: Path, holder: Holder) -> bool:
    """Writes a heartbeat; False if `path` names another holder. Raises LeaseError, OSError.

    It renews the file that it has read: a holder that was replaced does not renew its successor's file.
    """
    with path.open("rb") as file:
        if _read(path, file) != holder:
            return False
        os.utime(file.fileno())
    return True


def write_new(path: Path, holder: Holder) -> None:
    """Writes a file that must not exist. Raises FileExistsError if it does, or another OSError."""
    with path.open("x", encoding="ascii") as file:
        file.write(json.dumps(asdict(holder)).ljust(_LENGTH) + "\n")
        file.flush()
        os.fsync(file.fileno())


def _read(path: Path, file: BinaryIO) -> Holder:
    content = file.read()
    try:
        document = json.loads(content)
        process = Process(**document["process"])
        if not isinstance(process.pid, int) or process.pid < 1:
            raise ValueError(f"{process.pid!r} is not a process id")
        return replace(Holder(**document), process=process)
    except (ValueError, TypeError, KeyError) as error:
        raise LeaseError(
            f"{path}: unreadable lock file ({error}). If no job is running, delete it."
        ) from error
