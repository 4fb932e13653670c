"""A file that only grows, by whole lines, each on the disk before anybody is told.

Covers making it, appending, and cutting back what could not be written whole.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from bfcl_pipeline.errors import JournalError


class AppendFile:
    """One file, open for appending by this process alone."""

    def __init__(self, path: Path) -> None:
        """Opens the file; makes it if there is none. Raises OSError."""
        self.syncs = 0  # how often the disk was waited for
        self._path = path
        self._failure: str | None = None
        self.file: BinaryIO = path.open("a+b", buffering=1 << 20)
        self._handle = self.file.fileno()
        self._sync()  # a writer that was killed may have left lines that are not on the disk yet
        sync_folder(path.parent)
        self.file.seek(0)

    def append(self, content: bytes, end: int) -> None:
        """Puts `content` at `end`, where the file must end, and waits for the disk.

        Raises JournalError, with the file as it was, if that fails. Where it may not be as it was, nothing
        more is written.
        """
        if self._failure is not None:
            raise JournalError(self._failure)
        self._check(end)
        try:
            left = memoryview(content)
            while left:
                left = left[os.write(self._handle, left) :]
            self._sync()
        except OSError as error:
            self._cut_back(end, error)
            raise JournalError(
                f"{self._path}: an answer could not be written ({error}). Make room, or see to the disk, "
                "then run again; what was written before is unharmed."
            ) from error

    def cut(self, end: int) -> None:
        """Takes away all after `end`. Raises OSError."""
        os.ftruncate(self._handle, end)
        self._sync()

    def close(self) -> None:
        """Closes the file."""
        self.file.close()

    def _sync(self) -> None:
        os.fsync(self._handle)
        self.syncs += 1

    def _check(self, end: int) -> None:
        """Raises JournalError if the file was deleted, replaced, or written by somebody else."""
        try:
            there, ours = self._path.stat(), os.fstat(self._handle)
        except OSError:
            same = False
        else:
            same = os.path.samestat(there, ours) and ours.st_size == end
        if not same:
            self._failure = f"{self._path}: changed by another than the job that writes it. Run again."
            raise JournalError(self._failure)

    def _cut_back(self, end: int, error: OSError) -> None:
        try:
            self.cut(end)
        except OSError as another:
            self._failure = (
                f"{self._path}: an answer could not be written ({error}), nor what was written of it taken "
                f"away ({another}). See to the disk, then run again."
            )


def copied_over(path: Path, last_look: Callable[[], None]) -> None:
    """Puts a copy of a file in its place, if there is one, so that who still has it open writes elsewhere.

    last_look: called before the copy takes its place; raises an error if it must not. Raises OSError.
    """
    from bfcl_pipeline.tables import atomic_path  # with a library that takes longer to load than to copy

    path = path.resolve()
    if not path.exists():
        return
    with atomic_path(path) as copy:
        shutil.copyfile(path, copy)
        shutil.copymode(path, copy)
        last_look()
    sync_folder(path.parent)


def make_folder(folder: Path) -> None:
    """Makes a folder and those above it, so that they outlast a power cut."""
    missing = []
    while not folder.is_dir():
        missing.append(folder)
        folder = folder.parent
    for made in reversed(missing):
        made.mkdir(exist_ok=True)
        sync_folder(made.parent)


def sync_folder(folder: Path) -> None:
    """Has the names in a folder outlast a power cut, where the file system can."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
