"""Reads journals without holding their lease, while other processes may be writing them."""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Self

from bfcl_pipeline.base.errors import JournalError
from bfcl_pipeline.runs.journal.index import JournalIndex
from bfcl_pipeline.runs.journal.lines import JournaledExchange


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
