"""The position of each exchange in a journal, and whether the file is intact.

A process that is killed, or a machine that loses power, may leave a torn last line: part of a line, or a
run of zero bytes. That line was never used, so it counts as absent. Any other damage is an error. The
answers stay on disk: a journal may hold more than fits in memory.
"""

import io
import os
import shlex
from collections import defaultdict
from collections.abc import Iterable, Iterator
from errno import ESTALE
from pathlib import Path
from typing import BinaryIO

from bfcl_pipeline.base.errors import JournalError
from bfcl_pipeline.runs.journal.lines import JournaledExchange, NotJson, from_line

Place = tuple[int, int]
"""The offset of a line and its length with the line feed, in bytes."""


class JournalIndex:
    """The lines of one file by key."""

    def __init__(self, path: Path, file: BinaryIO) -> None:
        """Reads `file`, open at its start. Raises JournalError if it is damaged before its last line."""
        self.path = path
        self.end = 0  # bytes of complete lines
        self.torn_bytes = 0  # of a last line that is incomplete: being written, or left by a killed writer
        self._file = file
        self._places: dict[str, Place] = {}
        self._dollars: dict[str | None, float] = defaultdict(float)
        self._lines = 0  # complete lines before `end`
        self._read(_lines(file))

    def __contains__(self, key: object) -> bool:
        return key in self._places

    def __iter__(self) -> Iterator[JournaledExchange]:
        """All exchanges, in the order in which they were written."""
        return map(self._at, list(self._places.values()))

    def __getitem__(self, key: str) -> JournaledExchange:
        return self._at(self._places[key])

    def find(self, key: str) -> JournaledExchange | None:
        """The exchange with that key; None if there is none."""
        place = self._places.get(key)
        return None if place is None else self._at(place)

    def line(self, key: str) -> bytes:
        """The line with that key as the file has it, with its line feed. Raises KeyError."""
        return self._bytes(self._places[key])

    def add(self, exchange: JournaledExchange, length: int) -> None:
        """Adds an exchange whose line of `length` bytes was written at the end."""
        self._places[exchange.key] = (self.end, length)
        self._dollars[exchange.run] += exchange.dollars or 0.0
        self.end += length

    def spent(self, run: str | None) -> float:
        """US dollars that the exchanges of `run` cost, as far as known."""
        return self._dollars.get(run, 0.0)

    def _read_on(self) -> None:
        """Reads what another process has written since."""
        size = os.fstat(self._file.fileno()).st_size
        if size > self.end:
            # Not buffered: a torn last line may have been replaced by another.
            self._read(io.BytesIO(os.pread(self._file.fileno(), size - self.end, self.end)))

    def _read(self, lines: Iterable[bytes]) -> None:
        """Adds the lines that begin at `end`."""
        torn: NotJson | None = None
        self.torn_bytes = 0
        for number, line in enumerate(lines, start=self._lines + 1):
            if torn is not None:
                raise self._damage(number - 1, str(torn)) from torn
            try:
                exchange = from_line(line)
                if not line.endswith(b"\n"):
                    raise NotJson("no end of line")
            except NotJson as error:
                torn = error
                self.torn_bytes = len(line)
            except ValueError as error:
                raise self._damage(number, str(error)) from error
            else:
                self._add_line(number, exchange, len(line))
                self._lines = number

    def _add_line(self, number: int, exchange: JournaledExchange, length: int) -> None:
        earlier = self.find(exchange.key)
        if earlier is None:
            self.add(exchange, length)
            return
        if earlier.raw != exchange.raw:
            raise self._damage(
                number, f"its answer to {exchange.entry_id} differs from an earlier line with the same key"
            )
        self.end += length

    def _damage(self, number: int, what: str) -> JournalError:
        return JournalError(
            f"{self.path}, line {number}: differs from what was written ({what}). Restore the file, or "
            f"delete that line (sed -i {number}d {shlex.quote(str(self.path))}); its request is then sent "
            "again."
        )

    def _at(self, place: Place) -> JournaledExchange:
        try:
            return from_line(self._bytes(place))
        except (OSError, ValueError) as error:
            raise JournalError(
                f"{self.path}: changed while it was read ({error} at byte {place[0]}). Do not modify it "
                "while a job runs, and run again."
            ) from error

    def _bytes(self, place: Place) -> bytes:
        start, length = place
        try:
            return os.pread(self._file.fileno(), length, start)
        except OSError as error:
            if error.errno != ESTALE:
                raise
        # Over NFS: another process took over and replaced the journal by a copy with equal content.
        with self.path.open("rb") as copy:
            return os.pread(copy.fileno(), length, start)


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """The lines up to the current end of the file: the last one may grow while they are read."""
    remaining = os.fstat(file.fileno()).st_size
    while remaining and (line := file.readline(remaining)):
        yield line
        remaining -= len(line)
