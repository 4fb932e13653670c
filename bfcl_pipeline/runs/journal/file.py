"""An append-only file of complete lines, each on disk before `append` returns.

Covers creating the file, appending, and truncating what could not be written completely.
"""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from bfcl_pipeline.base.errors import JournalError
from bfcl_pipeline.base.files import atomic_path, sync_directory


class AppendFile:
    """A file that only this process appends to."""

    def __init__(self, path: Path) -> None:
        """Opens the file; creates it if it does not exist. Raises OSError."""
        self._path = path
        self._failure: str | None = None
        self.file: BinaryIO = path.open("a+b", buffering=1 << 20)
        self._handle = self.file.fileno()
        os.fsync(self._handle)  # a killed writer may have left lines that are not on disk yet
        sync_directory(path.parent)
        self.file.seek(0)

    def append(self, content: bytes, end: int) -> None:
        """Writes `content` at `end`, which must be the end of the file, and waits for the disk.

        Raises JournalError on failure, with the file unchanged. If the file may have changed, every later
        call raises JournalError too.
        """
        if self._failure is not None:
            raise JournalError(self._failure)
        self._check(end)
        try:
            remaining = memoryview(content)
            while remaining:
                remaining = remaining[os.write(self._handle, remaining) :]
            os.fsync(self._handle)
        except OSError as error:
            self._undo(end, error)
            raise JournalError(
                f"{self._path}: cannot write an answer ({error}). Free space or check the disk, then run "
                "again; earlier answers are not affected."
            ) from error

    def truncate(self, end: int) -> None:
        """Removes everything after `end`. Raises OSError."""
        os.ftruncate(self._handle, end)
        os.fsync(self._handle)

    def close(self) -> None:
        """Closes the file."""
        self.file.close()

    def _check(self, end: int) -> None:
        """Raises JournalError if the file was deleted, replaced, or written by another process."""
        try:
            current, own = self._path.stat(), os.fstat(self._handle)
        except OSError:
            same = False
        else:
            same = os.path.samestat(current, own) and own.st_size == end
        if not same:
            self._failure = f"{self._path}: modified by another process. Run again."
            raise JournalError(self._failure)

    def _undo(self, end: int, error: OSError) -> None:
        try:
            self.truncate(end)
        except OSError as second:
            self._failure = (
                f"{self._path}: cannot write an answer ({error}), nor remove the part that was written "
                f"({second}). Check the disk, then run again."
            )


def replace_by_copy(path: Path, check: Callable[[], None]) -> None:
    """Replaces a file, if it exists, by a copy, which a process that has the old one open cannot change.

    check: called before the replacement; raises an error to prevent it. Raises OSError.
    """
    path = path.resolve()
    if not path.exists():
        return
    with atomic_path(path) as copy:
        shutil.copyfile(path, copy)
        shutil.copymode(path, copy)
        check()
    sync_directory(path.parent)
