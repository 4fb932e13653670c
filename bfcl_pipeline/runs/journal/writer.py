"""The journal of its one writer: find an exchange, append one, sum the cost of a run.

All pending lines are written together (group commit), in a separate thread, so that hundreds of answers
need a few disk syncs and the event loop never waits for the disk. A pending line is written even if the
task that appended it is cancelled, because the answer is paid for.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bfcl_pipeline.base.errors import JournalError, LeaseError
from bfcl_pipeline.base.files import make_directory
from bfcl_pipeline.base.leases import LEASE_TIMING, Lease, LeaseTiming
from bfcl_pipeline.base.process import Process
from bfcl_pipeline.base.secrets import SHORTEST, Redactor
from bfcl_pipeline.runs.journal.file import AppendFile, replace_by_copy
from bfcl_pipeline.runs.journal.lines import JournaledExchange, from_line, to_document, to_line
from bfcl_pipeline.runs.journal.reader import JournalIndex, JournalsReader, first_received

_NAME = re.compile(r"exchanges(?:\.([1-9]\d*))?\.jsonl")


def journal_path(folder: Path, shard: int = 1) -> Path:
    """The journal of shard `shard`, from 1."""
    return folder / ("exchanges.jsonl" if shard == 1 else f"exchanges.{shard}.jsonl")


def journals_in(folder: Path) -> list[Path]:
    """The journals in a directory, by shard number; empty if there are none."""
    matches = [(_NAME.fullmatch(path.name), path) for path in folder.glob("exchanges*.jsonl")]
    numbered = [(int(match[1] or 1), path) for match, path in matches if match and path.is_file()]
    return [path for _, path in sorted(numbered)]


def siblings_of(journal: Path) -> list[Path]:
    """The other journals in its directory; none for a file that is not named like a journal."""
    if _NAME.fullmatch(journal.name) is None:
        return []
    return [path for path in journals_in(journal.parent) if path.name != journal.name]


def lease_path(journal: Path) -> Path:
    """The lock file of the process that writes a journal."""
    return journal.with_name(f"{journal.name}.owner")


class _Batch:
    """Lines that are written together."""

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.written: asyncio.Future[None] = self.loop.create_future()
        self.lines: dict[str, tuple[JournaledExchange, bytes]] = {}  # by key

    def finish(self, error: BaseException | None) -> None:
        """Completes `written`; may be called from any thread."""
        with contextlib.suppress(RuntimeError):  # the loop is closed: no task waits any more
            self.loop.call_soon_threadsafe(self._finish, error)

    def _finish(self, error: BaseException | None) -> None:
        if error is None:
            self.written.set_result(None)
        else:
            self.written.set_exception(error)
            self.written.exception()  # marks it as retrieved: all waiting tasks may have been cancelled


class Journal:
    """One journal, written by this process alone. To be used from one event loop."""

    def __init__(
        self,
        lease: Lease,
        file: AppendFile,
        index: JournalIndex,
        redactor: Redactor,
        siblings: JournalsReader,
    ) -> None:
        """See `open`."""
        self._lease = lease
        self._file = file
        self._index = index
        self._siblings = siblings
        self._redactor = redactor
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="journal")
        self._lock = threading.Lock()  # of the next three
        self._closed = False
        self._waiting: _Batch | None = None  # the next batch
        self._writing: _Batch | None = None  # the batch being written

    @classmethod
    def open(
        cls,
        path: Path,
        secrets: Sequence[str] = (),
        *,
        wait: bool = False,
        timing: LeaseTiming = LEASE_TIMING,
        here: Process | None = None,
    ) -> Journal:
        """Acquires the lease of a journal, creates the file if needed, and removes a torn last line.

        The current content of the directory's other journals, those of other shards, is found too.

        Args:
            path: the journal.
            secrets: texts that are never written, such as values of API keys.
            wait: wait for another process that writes the journal, with a line a minute on standard error.
            timing: the intervals of the lease.
            here: the process that writes the journal; default: this one.

        Raises:
            JournalError: another process writes the journal, one of the journals is damaged, or this one
                cannot be written.
        """
        try:
            make_directory(path.parent)
            with contextlib.ExitStack() as undone:
                lease = Lease(lease_path(path), "writes this journal", wait=wait, timing=timing, here=here)
                undone.callback(lease.release)
                if lease.replaced is not None:
                    # The earlier writer, if only suspended or cut off, may resume in the middle of a write.
                    replace_by_copy(path, lease.check)
                file = AppendFile(path)
                undone.callback(file.close)
                index = JournalIndex(path, file.file)
                if index.torn_bytes:
                    file.truncate(index.end)
                    print(
                        f"{path}: removed {index.torn_bytes:,} bytes of an incomplete last line, left by "
                        "an interrupted writer.",
                        file=sys.stderr,
                    )
                siblings = JournalsReader(siblings_of(path))
                redactor = Redactor((text.strip() for text in secrets), shortest=SHORTEST)
                undone.pop_all()
            return cls(lease, file, index, redactor, siblings)
        except LeaseError as error:
            raise JournalError(str(error)) from error
        except OSError as error:
            raise JournalError(f"{path}: cannot write the journal ({error}).") from error

    def find(self, key: str) -> JournaledExchange | None:
        """The exchange with that key, in any journal of the directory as it was last read; else None."""
        return first_received((self._index.find(key), self._siblings.find(key)))

    def spent(self, run: str | None) -> float:
        """US dollars that the exchanges of `run` in this journal cost, as far as known."""
        return self._index.spent(run)

    def spent_by_siblings(self, run: str | None) -> float:
        """US dollars that the exchanges of `run` in the directory's other journals cost until now.

        They are those of other shards, which other jobs may be writing, and of shards of earlier runs.
        """
        # What cannot be read now, because it is being written or replaced, is read the next time. Damage
        # stops the job that writes that journal, and any job when it starts.
        with contextlib.suppress(JournalError, OSError):
            self._siblings.read_on(siblings_of(self._index.path))
        return self._siblings.spent(run)

    async def append(self, exchange: JournaledExchange) -> JournaledExchange:
        """Writes an exchange; returns the exchange with its key once that is on disk.

        That is `exchange` with secrets redacted, or an earlier exchange with the same key.

        Raises:
            JournalError: it cannot be written.
            Malformed: it cannot be represented as JSON.
        """
        line = to_line(to_document(exchange))
        if self._redactor.is_in_json(line):
            line = to_line({**self._redactor.document(to_document(exchange)), "key": exchange.key})
            exchange = from_line(line)
        batch = self._join(exchange, line)
        if isinstance(batch, JournaledExchange):
            return batch
        await asyncio.shield(batch.written)
        return batch.lines[exchange.key][0]

    async def written(self) -> None:
        """Returns once everything that was appended before is on disk, or could not be written."""
        with self._lock:
            batches = [batch for batch in (self._writing, self._waiting) if batch is not None]
        for batch in batches:
            with contextlib.suppress(Exception):  # raised in the tasks that append
                await asyncio.shield(batch.written)

    async def close(self) -> None:
        """Waits for pending writes, closes the files and releases the lease."""
        with self._lock:
            self._closed = True
        self._thread.shutdown()  # blocks, because an awaited shutdown could be cancelled
        self._file.close()
        self._siblings.close()
        self._lease.release()

    def _join(self, exchange: JournaledExchange, line: bytes) -> _Batch | JournaledExchange:
        """The exchange with this key, if it is on disk; else the batch that it is part of."""
        with self._lock:
            if (written := self.find(exchange.key)) is not None:
                return written
            if self._writing is not None and exchange.key in self._writing.lines:
                return self._writing
            if self._closed:
                raise JournalError(
                    "an answer arrived after the journal was closed; run again to repeat the request"
                )
            if self._waiting is None:
                self._waiting = _Batch()
                if self._writing is None:
                    self._thread.submit(self._write)
            self._waiting.lines.setdefault(exchange.key, (exchange, line))
            return self._waiting

    def _write(self) -> None:
        """Writes batches until none is waiting. Runs in the thread."""
        while True:
            with self._lock:
                self._writing, self._waiting = self._waiting, None
                batch = self._writing
            if batch is None:
                return
            error: BaseException | None = None
            try:
                self._check_lease()
                self._file.append(b"".join(line for _, line in batch.lines.values()), self._index.end)
                self._check_lease()  # a successor from now on finds these lines
                for exchange, line in batch.lines.values():
                    self._index.add(exchange, len(line))
            except BaseException as failure:  # noqa: BLE001  # raised again in the waiting tasks
                error = failure
            with self._lock:
                self._writing = None  # before `finish`: an immediate retry must not join the failed batch
            batch.finish(error)

    def _check_lease(self) -> None:
        try:
            self._lease.check()
        except LeaseError as error:
            raise JournalError(str(error)) from error
