"""Files that are either whole or not there.

Covers atomic writing and the reading of Parquet with clear errors. What the columns mean is
`bfcl_pipeline.tables.schemas`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from glob import escape
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from bfcl_pipeline.errors import TableError
from bfcl_pipeline.ownership import clear_temporaries, temporary_path


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """A temporary file beside `path` that takes its place when the block ends without an error.

    The folder is made if needed; on an error nothing of the temporary file remains and what stood at
    `path` is untouched. Of two that write one file, on two machines too, each writes whole, and the last
    one stands. What writers of `path` have left that were killed is cleared away.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = temporary_path(path)
    temporary.touch(exist_ok=False)
    try:
        clear_temporaries(path.parent.glob(f".{escape(path.name)}.*.tmp"), temporary.stat().st_mtime)
        yield temporary
        with temporary.open("rb") as written:
            os.fsync(written.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Writes `text` as UTF-8, atomically."""
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def write_table(path: Path, table: pa.Table) -> None:
    """Writes `table` as Parquet, atomically; equal tables give equal bytes."""
    with atomic_path(path) as temporary:
        pq.write_table(table, temporary, compression="zstd")


def read_table(path: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """The table at `path`, with `columns` only if they are named.

    Raises TableError if there is no such file, it is not Parquet, or a column is missing.
    """
    file = _open(path)
    with file:
        present = file.schema_arrow.names
        missing = [name for name in columns or () if name not in present]
        if missing:
            raise TableError(
                f"{path}: column {missing[0]!r} is missing; the file has {', '.join(present) or 'none'}."
            )
        try:
            return file.read(columns=None if columns is None else list(columns))
        except (pa.ArrowInvalid, OSError) as error:
            raise TableError(f"{path}: damaged ({error}). Make it again.") from error


def count_rows(path: Path) -> int:
    """The number of rows of the table at `path`. Raises TableError as `read_table` does."""
    with _open(path) as file:
        return int(file.metadata.num_rows)


def _open(path: Path) -> pq.ParquetFile:
    if not path.is_file():
        raise TableError(f"{path}: no such table. Make it with the step that writes it, or check the path.")
    try:
        return pq.ParquetFile(path)
    except (pa.ArrowInvalid, OSError) as error:
        raise TableError(f"{path}: not a readable Parquet file ({error}).") from error
