"""Where in a journal each exchange stands, and whether the file is whole.

A process that is killed, or a machine that loses its power, may leave the last line torn: part of a line,
or a run of zero bytes. Nobody has used that line, so it counts as not there. Any other damage is an error.
The answers stay on disk: a journal may hold more than fits in memory.
"""

from __future__ import annotations

import os
import shlex
from collections import defaultdict
from collections.abc import Iterator, KeysView
from errno import ESTALE
from pathlib import Path
from typing import BinaryIO

from bfcl_pipeline.errors import JournalError
from bfcl_pipeline.generation.journal.lines import Kept, NoJson, from_line

Place = tuple[int, int]
"""Where a line starts, and its length with the line feed, in bytes."""


class Index:
    """The lines of one file by key."""

    def __init__(self, path: Path, file: BinaryIO) -> None:
        """Reads `file`, open at its start. Raises JournalError if it is damaged before its last line."""
        self.end = 0  # bytes of whole lines
        self.torn = 0  # bytes after them
        self._path = path
        self._file = file
        self._places: dict[str, Place] = {}
        self._dollars: dict[str | None, float] = defaultdict(float)
        self._read(file)

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, key: object) -> bool:
        return key in self._places

    def __iter__(self) -> Iterator[Kept]:
        """All exchanges, in the order in which they were kept."""
        return map(self._at, list(self._places.values()))

    def __getitem__(self, key: str) -> Kept:
        return self._at(self._places[key])

    @property
    def keys(self) -> KeysView[str]:
        """The keys, in that order."""
        return self._places.keys()

    def find(self, key: str) -> Kept | None:
        """The exchange of that key; None if there is none."""
        place = self._places.get(key)
        return None if place is None else self._at(place)

    def line(self, key: str) -> bytes:
        """The line of that key as it stands in the file, with its line feed."""
        return self._bytes(self._places[key])

    def add(self, kept: Kept, length: int) -> None:
        """Notes that the line of `kept` stands at the end."""
        self._places[kept.key] = (self.end, length)
        self._dollars[kept.run] += kept.dollars or 0.0
        self.end += length

    def spent(self, run: str | None) -> float:
        """US dollars that the exchanges of `run` cost, as far as known."""
        return self._dollars.get(run, 0.0)

    def _read(self, file: BinaryIO) -> None:
        number = 0
        torn: NoJson | None = None
        for number, line in enumerate(_lines(file), start=1):
            if torn is not None:
                raise self._damage(number - 1, str(torn)) from torn
            try:
                kept = from_line(line)
                if not line.endswith(b"\n"):
                    raise NoJson("no end of line")
            except NoJson as error:
                torn = error
                self.torn = len(line)
            except ValueError as error:
                raise self._damage(number, str(error)) from error
            else:
                self._note(number, kept, len(line))

    def _note(self, number: int, kept: Kept, length: int) -> None:
        earlier = self.find(kept.key)
        if earlier is None:
            self.add(kept, length)
            return
        if earlier.raw != kept.raw:
            raise self._damage(number, f"another answer to {kept.entry_id} than an earlier line, same key")
        self.end += length

    def _damage(self, number: int, what: str) -> JournalError:
        return JournalError(
            f"{self._path}, line {number}: not as it was written ({what}). Put the file back as it was, or "
            f"delete that line (sed -i {number}d {shlex.quote(str(self._path))}); what is missing then is "
            "asked again."
        )

    def _at(self, place: Place) -> Kept:
        try:
            return from_line(self._bytes(place))
        except (OSError, ValueError) as error:
            raise JournalError(
                f"{self._path}: changed while it was read ({error} at byte {place[0]}). Leave it alone "
                "while a job runs, and run again."
            ) from error

    def _bytes(self, place: Place) -> bytes:
        start, length = place
        try:
            return os.pread(self._file.fileno(), length, start)
        except OSError as error:
            if error.errno != ESTALE:
                raise
        # Over NFS: who followed its writer has copied the file. All that was read of it is in the copy.
        with self._path.open("rb") as copy:
            return os.pread(copy.fileno(), length, start)


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """The lines as far as the file reaches now: while they are read, its last one may grow."""
    left = os.fstat(file.fileno()).st_size
    while left and (line := file.readline(left)):
        yield line
        left -= len(line)
