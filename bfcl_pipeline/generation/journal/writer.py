"""The journal as its one writer sees it: find an exchange, append one, know what a run has cost.

Everything that waits to be written goes to the disk together (group commit), in a thread of its own, so
that hundreds of answers cost a few waits for the disk and the event loop none. What waits is written even
if whoever waited is cancelled: it is paid for.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bfcl_pipeline.errors import JournalError, OwnerError
from bfcl_pipeline.generation.journal.file import AppendFile, copied_over, make_folder
from bfcl_pipeline.generation.journal.index import Index
from bfcl_pipeline.generation.journal.lines import Kept, from_line, to_document, to_line
from bfcl_pipeline.generation.journal.names import owner_path, siblings_of
from bfcl_pipeline.generation.journal.reader import JournalsReader, first_received
from bfcl_pipeline.generation.journal.secrets import Secrets
from bfcl_pipeline.ownership import RHYTHM, Ownership, Process, Rhythm


class _Batch:
    """Lines that go to the disk together."""

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.written: asyncio.Future[None] = self.loop.create_future()
        self.lines: dict[str, tuple[Kept, bytes]] = {}  # by key

    def tell(self, error: BaseException | None) -> None:
        """Wakes who waits; to be called from any thread."""
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            self.loop.call_soon_threadsafe(self._tell, error)

    def _tell(self, error: BaseException | None) -> None:
        if error is None:
            self.written.set_result(None)
        else:
            self.written.set_exception(error)
            self.written.exception()  # noted: those who waited may all be gone


class Journal:
    """One journal, written by this process alone. To be used from one event loop."""

    def __init__(
        self,
        ownership: Ownership,
        file: AppendFile,
        index: Index,
        secrets: Secrets,
        siblings: JournalsReader,
    ) -> None:
        """See `open`."""
        self._ownership = ownership
        self._file = file
        self._index = index
        self._siblings = siblings
        self._secrets = secrets
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="journal")
        self._lock = threading.Lock()  # of the three below
        self._closed = False
        self._waiting: _Batch | None = None  # what the next write takes
        self._writing: _Batch | None = None  # what is being written

    @classmethod
    def open(
        cls,
        path: Path,
        secrets: Sequence[str] = (),
        *,
        wait: bool = False,
        rhythm: Rhythm = RHYTHM,
        here: Process | None = None,
    ) -> Journal:
        """Takes ownership of the journal at `path`, made if there is none, and takes away a torn end.

        What other journals of the folder hold now, those of other shards, is found too. secrets: texts that
        are never written, such as values of API keys. wait: until another process that writes the journal
        has ended, with a line a minute on standard error. rhythm, here: as Ownership takes them. Raises
        JournalError if another process writes the journal, one of them is damaged, or it cannot be written.
        """
        try:
            make_folder(path.parent)
            with contextlib.ExitStack() as undone:
                ownership = Ownership(
                    owner_path(path), "writes this journal", wait=wait, rhythm=rhythm, here=here
                )
                undone.callback(ownership.give_back)
                if ownership.follows is not None:
                    # Who was suspended, or cut off from the disk, may come back in the middle of a write.
                    copied_over(path, ownership.check)
                file = AppendFile(path)
                undone.callback(file.close)
                index = Index(path, file.file)
                if index.torn:
                    file.cut(index.end)
                    print(_mended(path, index.torn), file=sys.stderr)
                siblings = JournalsReader(siblings_of(path))
                undone.pop_all()
            return cls(ownership, file, index, Secrets(secrets), siblings)
        except OwnerError as error:
            raise JournalError(str(error)) from error
        except OSError as error:
            raise JournalError(f"{path}: the journal cannot be written ({error}).") from error

    def __len__(self) -> int:
        return len(self._index)

    @property
    def syncs(self) -> int:
        """How often the disk was waited for."""
        return self._file.syncs

    def find(self, key: str) -> Kept | None:
        """The exchange of that key, in this journal or those beside it; None if there is none."""
        return first_received((self._index.find(key), self._siblings.find(key)))

    def spent(self, run: str | None) -> float:
        """US dollars that the exchanges of `run` cost, as far as known, in all journals of the folder.

        A budget is the model's, however many shards it has. What other shards spend while this journal is
        open is not seen.
        """
        return self._index.spent(run) + self._siblings.spent(run)

    async def append(self, kept: Kept) -> Kept:
        """Keeps an exchange; returns, once it is on the disk, what stands under its key.

        That is `kept` without secrets, or the exchange that was there before. Raises JournalError if it
        cannot be written; Malformed if it is not to be said in JSON.
        """
        line = to_line(to_document(kept))
        if self._secrets.within(line):
            line = to_line({**self._secrets.scrubbed(to_document(kept)), "key": kept.key})
            kept = from_line(line)
        batch = self._joined(kept, line)
        if isinstance(batch, Kept):
            return batch
        await asyncio.shield(batch.written)
        return batch.lines[kept.key][0]

    async def close(self) -> None:
        """Waits for what is being written, and lets others write."""
        with self._lock:
            self._closed = True
        self._thread.shutdown()  # at once, even where waiting would be cancelled
        self._file.close()
        self._siblings.close()
        self._ownership.give_back()

    def _joined(self, kept: Kept, line: bytes) -> _Batch | Kept:
        """The exchange of this key, if it is on the disk; else the batch that has it, or has it now."""
        with self._lock:
            if (stands := self.find(kept.key)) is not None:
                return stands
            if self._writing is not None and kept.key in self._writing.lines:
                return self._writing
            if self._closed:
                raise JournalError(
                    "an answer came after the journal was closed; run again to ask once more"
                )
            if self._waiting is None:
                self._waiting = _Batch()
                if self._writing is None:
                    self._thread.submit(self._write)
            self._waiting.lines.setdefault(kept.key, (kept, line))
            return self._waiting

    def _write(self) -> None:
        """Writes what waits until nothing does. Runs in the thread."""
        while True:
            with self._lock:
                self._writing, self._waiting = self._waiting, None
                batch = self._writing
            if batch is None:
                return
            error: BaseException | None = None
            try:
                self._check_owner()
                self._file.append(b"".join(line for _, line in batch.lines.values()), self._index.end)
                self._check_owner()  # whoever follows from now on finds these lines
                for kept, line in batch.lines.values():
                    self._index.add(kept, len(line))
            except BaseException as failure:  # noqa: BLE001  # whatever it is, who waits has to be told
                error = failure
            with self._lock:
                self._writing = (
                    None  # before it is told: who tries again at once shall not join what failed
                )
            batch.tell(error)

    def _check_owner(self) -> None:
        try:
            self._ownership.check()
        except OwnerError as error:
            raise JournalError(str(error)) from error


def _mended(path: Path, torn: int) -> str:
    return f"{path}: the last line was not whole, as a writer was stopped; its {torn:,} bytes are cut off."
