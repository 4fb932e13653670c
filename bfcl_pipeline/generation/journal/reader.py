"""Reading a journal without owning it, while another process may be writing it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from bfcl_pipeline.errors import JournalError
from bfcl_pipeline.generation.journal.index import Index
from bfcl_pipeline.generation.journal.lines import Kept


class JournalReader:
    """What a journal held when it was opened. Changes nothing, also not a torn end."""

    def __init__(self, path: Path) -> None:
        """Raises JournalError if it cannot be read or is damaged before its last line."""
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
        self._file.close()

    def __len__(self) -> int:
        return len(self._index)

    def __contains__(self, key: object) -> bool:
        return key in self._index

    def __iter__(self) -> Iterator[Kept]:
        """All exchanges, in the order in which they were kept."""
        return iter(self._index)

    @property
    def torn_bytes(self) -> int:
        """Bytes of a last line that is not whole: being written, or left by a writer that was stopped."""
        return self._index.torn

    def find(self, key: str) -> Kept | None:
        """The exchange of that key; None if there is none."""
        return self._index.find(key)

    def line(self, key: str) -> bytes:
        """The line of that key as it stands in the file."""
        return self._index.line(key)

    def spent(self, run: str | None) -> float:
        """US dollars that the exchanges of `run` cost, as far as known."""
        return self._index.spent(run)
