"""Reads journals, which other processes may be writing: where each exchange is, and whether all is intact.

A process that is killed, or a machine that loses power, may leave a torn last line: part of a line, or a
run of zero bytes. That line was never used, so it counts as absent. Any other damage is an error. The
answers stay on disk: a journal may hold more than fits in memory.
"""

import io
import os
import shlex
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from errno import ESTALE
from pathlib import Path
from typing import BinaryIO, Self

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


class JournalReader(JournalIndex):
    """The content of one journal when it was last read. Changes nothing, not even a torn last line."""

    def __init__(self, path: Path) -> None:
        """Raises JournalError if it cannot be read or is damaged before its last line."""
        try:
            file = path.open("rb")
        except OSError as error:
            raise JournalError(f"{path}: cannot read the journal ({error}).") from error
        try:
            super().__init__(path, file)
        except BaseException:
            file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def read_on(self) -> bool:
        """Reads what was written since. False if the file was replaced: then it must be opened anew.

        Raises:
            JournalError: it is damaged before its last line.
            OSError: it cannot be read.
        """
        now, then = self.path.stat(), os.fstat(self._file.fileno())
        if (now.st_dev, now.st_ino) != (then.st_dev, then.st_ino):
            return False
        self._read_on()
        return True

    def close(self) -> None:
        """Closes the file."""
        self._file.close()


class JournalsReader:
    """The content of several journals when they were last read, combined.

    If several journals hold a key, which is possible if the number of shards changes while a job runs, the
    answer that was received first is used.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        """Raises JournalError as JournalReader does."""
        with ExitStack() as opened:
            self.journals = [opened.enter_context(JournalReader(path)) for path in paths]
            self._opened = opened.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __contains__(self, key: object) -> bool:
        return any(key in journal for journal in self.journals)

    def __iter__(self) -> Iterator[JournaledExchange]:
        """One exchange for each key: journal by journal, in the order in which they were written."""
        for journal in self.journals:
            yield from (exchange for exchange in journal if self._source(exchange.key) is journal)

    def find(self, key: str) -> JournaledExchange | None:
        """The exchange with that key; None if there is none."""
        source = self._source(key)
        return None if source is None else source.find(key)

    def line(self, key: str) -> bytes:
        """The line with that key as its file has it. Raises KeyError if there is none."""
        source = self._source(key)
        if source is None:
            raise KeyError(key)
        return source.line(key)

    def spent(self, run: str | None) -> float:
        """US dollars that the exchanges of `run` cost in all journals, as far as known."""
        return sum(journal.spent(run) for journal in self.journals)

    def read_on(self, paths: Sequence[Path]) -> None:
        """Reads what was written since, also in those of `paths` that did not exist.

        Raises JournalError or OSError as a JournalReader does; what was read before is kept.
        """
        known = {journal.path: journal for journal in self.journals}
        for path in paths:
            if path not in known:
                self.journals.append(self._opened.enter_context(JournalReader(path)))
            elif not known[path].read_on():
                replaced = self._opened.enter_context(JournalReader(path))
                self.journals[self.journals.index(known[path])] = replaced

    def close(self) -> None:
        """Closes the files."""
        self._opened.close()

    def _source(self, key: str) -> JournalReader | None:
        """The journal whose exchange with that key is used; None if no journal has it."""
        sources = [journal for journal in self.journals if key in journal]
        if len(sources) < 2:
            return sources[0] if sources else None
        return min(sources, key=lambda journal: journal[key].received_at)


def first_received(exchanges: Iterable[JournaledExchange | None]) -> JournaledExchange | None:
    """The exchange with the smallest `received_at`, the first of equals; None if there is none."""
    present = (exchange for exchange in exchanges if exchange is not None)
    return min(present, key=lambda exchange: exchange.received_at, default=None)
