"""Reading journals without owning them, while other processes may be writing them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, KeysView, Sequence
from contextlib import ExitStack
from pathlib import Path

from bfcl_pipeline.errors import JournalError
from bfcl_pipeline.generation.journal.index import Index
from bfcl_pipeline.generation.journal.lines import Kept
from bfcl_pipeline.generation.journal.names import journals_in


class JournalReader:
    """What one journal held when it was opened. Changes nothing, also not a torn end."""

    def __init__(self, path: Path) -> None:
        """Raises JournalError if it cannot be read or is damaged before its last line."""
        self.path = path
        try:
            self._file = path.open("rb")
        except OSError as error:
            raise JournalError(f"{path}: no journal that can be read ({error}).") from error
        try:
            self._index = Index(path, self._file)
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> JournalReader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        return len(self._index)

    def __contains__(self, key: object) -> bool:
        return key in self._index

    def __iter__(self) -> Iterator[Kept]:
        """All exchanges, in the order in which they were kept."""
        return iter(self._index)

    @property
    def keys(self) -> KeysView[str]:
        """The keys of all exchanges."""
        return self._index.keys

    @property
    def torn_bytes(self) -> int:
        """Bytes of a last line that is not whole: being written, or left by a writer that was stopped."""
        return self._index.torn

    def __getitem__(self, key: str) -> Kept:
        return self._index[key]

    def find(self, key: str) -> Kept | None:
        """The exchange of that key; None if there is none."""
        return self._index.find(key)

    def line(self, key: str) -> bytes:
        """The line of that key as it stands in the file."""
        return self._index.line(key)

    def spent(self, run: str | None) -> float:
        """US dollars that the exchanges of `run` cost, as far as known."""
        return self._index.spent(run)

    def close(self) -> None:
        """Closes the file."""
        self._file.close()


class JournalsReader:
    """What several journals held when they were opened, as one.

    A key that stands in several, as can be when shards were changed under a job that went on, has the
    answer that was received first.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        """Raises JournalError as JournalReader does."""
        with ExitStack() as opened:
            self.journals = [opened.enter_context(JournalReader(path)) for path in paths]
            self._opened = opened.pop_all()

    def __enter__(self) -> JournalsReader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        """How many keys there are."""
        return len(set().union(*(journal.keys for journal in self.journals)))

    def __contains__(self, key: object) -> bool:
        return any(key in journal for journal in self.journals)

    def __iter__(self) -> Iterator[Kept]:
        """One exchange for each key: journal by journal, in the order in which they were kept."""
        for journal in self.journals:
            yield from (kept for kept in journal if self._holder(kept.key) is journal)

    def find(self, key: str) -> Kept | None:
        """The exchange of that key; None if there is none."""
        holder = self._holder(key)
        return None if holder is None else holder.find(key)

    def line(self, key: str) -> bytes:
        """The line of that key as it stands in its file. Raises KeyError if there is none."""
        holder = self._holder(key)
        if holder is None:
            raise KeyError(key)
        return holder.line(key)

    def spent(self, run: str | None) -> float:
        """US dollars that the exchanges of `run` cost in all journals, as far as known."""
        return sum(journal.spent(run) for journal in self.journals)

    def close(self) -> None:
        """Closes the files."""
        self._opened.close()

    def _holder(self, key: str) -> JournalReader | None:
        """The journal whose exchange of that key stands; None if none has it."""
        holders = [journal for journal in self.journals if key in journal]
        if len(holders) < 2:
            return holders[0] if holders else None
        return min(holders, key=lambda journal: journal[key].received_at)


class FolderReader(JournalsReader):
    """All journals of one model, of one trial. A folder without journals holds nothing."""

    def __init__(self, folder: Path) -> None:
        """Raises JournalError if a journal cannot be read or is damaged before its last line."""
        super().__init__(journals_in(folder))


def first_received(found: Iterable[Kept | None]) -> Kept | None:
    """The exchange that was received first, of equals the first; None if there is none."""
    return min(
        (kept for kept in found if kept is not None), key=lambda kept: kept.received_at, default=None
    )
