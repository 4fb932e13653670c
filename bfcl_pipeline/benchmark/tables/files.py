"""Reads Parquet files within bounds, writes them atomically, and merges those of shards.

`bfcl_pipeline.benchmark.tables.schemas` describes the columns.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.base.files import atomic_path, open_regular

MAX_ROWS = 1_000_000
"""Rows of a table: those of a run have some for each entry of a model."""

MAX_TABLE_BYTES = 2 * 2**30
"""Size of a table in memory."""

_ROWS_AT_ONCE = 4096


def write_table(path: Path, table: pa.Table) -> None:
    """Writes `table` as Parquet, atomically; equal tables become equal bytes."""
    with atomic_path(path) as temporary:
        pq.write_table(table, temporary, compression="zstd")


def column_names(path: Path) -> list[str]:
    """The columns of the table at `path`. Raises TableError if it does not exist or is not Parquet."""
    with _opened(path) as file:
        return [*pq.ParquetFile(file).schema_arrow.names]


def read_table(path: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """The table at `path`, or only its `columns` if given.

    Raises TableError if the file does not exist, is not Parquet, lacks a column, or has one twice, and if
    what is read of it is larger than `check_table_size` permits.
    """
    with _opened(path) as file:
        table = pq.ParquetFile(file)
        present = table.schema_arrow.names
        twice = [name for name, count in Counter(present).items() if count > 1]
        if twice:
            raise TableError(f"{path}: column {twice[0]!r} is there twice. Keep one.")
        missing = [name for name in columns or () if name not in present]
        if missing:
            raise TableError(
                f"{path}: column {missing[0]!r} is missing; the file has {', '.join(present) or 'none'}."
            )
        wanted = None if columns is None else [name for name in columns if name in present]
        try:
            check_table_size(path, file, wanted)
            return table.read(columns=wanted)
        except (pa.ArrowException, OSError) as error:
            raise TableError(f"{path}: damaged ({error}). Create it again.") from error


def check_table_size(path: Path, file: pa.NativeFile, columns: Sequence[str] | None = None) -> None:
    """Raises TableError if `columns` of the table, or all, have too many rows or bytes.

    A column can hold a long text once and refer to it in every row: a file of a kilobyte may become
    gigabytes when it is read. The texts are measured without that repetition, some rows at a time.

    path: for the message. Raises ArrowException or OSError if the table cannot be read.
    """
    metadata = pq.read_metadata(file)
    if metadata.num_rows > MAX_ROWS:
        raise TableError(f"{path}: refused: more than {MAX_ROWS:,} rows. Divide it.")
    schema = metadata.schema
    leaves = map(schema.column, range(len(schema)))
    texts = [column.path for column in leaves if column.physical_type == "BYTE_ARRAY"]
    size = 0
    names = None if columns is None else list(columns)
    table = pq.ParquetFile(file, metadata=metadata, read_dictionary=texts)
    for batch in table.iter_batches(_ROWS_AT_ONCE, columns=names):
        size += sum(map(_bytes, batch.columns))
        if size > MAX_TABLE_BYTES:
            raise TableError(f"{path}: refused: more than {MAX_TABLE_BYTES:,} bytes in memory.")


def _bytes(column: Any) -> int:
    """The size of a column, with repetition."""
    if isinstance(column, (pa.ListArray, pa.StructArray)):
        parts = column.flatten()
        return sum(map(_bytes, parts if isinstance(parts, list) else [parts]))
    if not isinstance(column, pa.DictionaryArray):
        return int(column.nbytes)
    texts: Any = column.dictionary  # of any type of text or bytes
    lengths = pc.binary_length(texts).cast(pa.int64())
    return int(pc.sum(lengths.take(column.indices)).as_py() or 0)


def with_types(path: Path, table: pa.Table, schema: pa.Schema) -> pa.Table:
    """The columns of the table at `path` that `schema` has, in its order and with its types.

    Raises TableError if a column has another type that cannot be converted, or a null where none may be.
    """
    wanted = pa.schema([field for field in schema if field.name in table.column_names])
    chosen = table.select(wanted.names)
    for own, field in zip(chosen.schema, wanted, strict=True):
        if pa.types.is_boolean(field.type) and pa.types.is_floating(own.type):  # NaN would become true
            raise TableError(f"{path}: column {own.name!r} has numbers; expected true, false or null.")
    try:
        return chosen.cast(wanted)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, ValueError) as error:
        raise TableError(f"{path}: a column is not of the documented type ({error}).") from error


def count_rows(path: Path) -> int:
    """The number of rows of the table at `path`. Raises TableError as `read_table` does."""
    return int(_metadata(path).num_rows)


def count_matching(path: Path, column: str, value: str) -> tuple[int, int]:
    """The number of rows, and of those whose `column` has `value`. Raises TableError as `read_table` does.

    The column is read only if its least and greatest value, which the file states, do not exclude `value`.
    """
    metadata = _metadata(path)
    if not _may_have(metadata, column, value):
        return metadata.num_rows, 0
    return metadata.num_rows, read_table(path, [column]).column(column).to_pylist().count(value)


def _may_have(metadata: pq.FileMetaData, column: str, value: str) -> bool:
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    chunks = [group.column(place) for group in groups for place in range(group.num_columns)]
    found = [chunk.statistics for chunk in chunks if chunk.path_in_schema == column]
    ranges = [(str(one.min), str(one.max)) for one in found if one is not None and one.has_min_max]
    return len(ranges) < max(1, len(groups)) or any(least <= value <= most for least, most in ranges)


def _metadata(path: Path) -> pq.FileMetaData:
    with _opened(path) as file:
        return pq.read_metadata(file)


@contextmanager
def _opened(path: Path) -> Iterator[pa.NativeFile]:
    """The file of a table. Raises TableError, also in the block where it is not readable.

    Arrow reads it without Python: its threads may hold a file a moment longer than the reader, and one that
    lets go of a Python object while the interpreter ends takes the process down.
    """
    try:
        with open_regular(path) as file, pa.OSFile(f"/dev/fd/{file.fileno()}", "r") as native:
            yield native
    except (FileNotFoundError, IsADirectoryError) as error:
        raise TableError(
            f"{path}: no such table. Run the step that writes it, or check the path."
        ) from error
    except (pa.ArrowException, ValueError, OSError) as error:
        raise TableError(f"{path}: not a readable Parquet file ({error}).") from error


def gather(parts: Sequence[Path], out: Path, order: Sequence[str], schema: pa.Schema) -> None:
    """Merges `parts`, tables of `schema`, into `out`, atomically, with rows in the `order` of entry ids.

    Raises TableError if a part cannot be read, an entry has two rows, or an entry id is not in `order`.
    """
    places = {entry_id: place for place, entry_id in enumerate(order)}
    rows: dict[int, int] = {}
    table = pa.concat_tables([read_table(part) for part in parts])
    for row, entry_id in enumerate(table.column("entry_id").to_pylist()):
        if entry_id not in places:
            raise TableError(
                f"{out}: {entry_id!r} is not an entry of the benchmark; regenerate the responses."
            )
        if places[entry_id] in rows:
            raise TableError(
                f"{out}: two shards have a row for {entry_id!r}. Delete {parts[0].parents[2]}, then run "
                "again; all answers are in the journals."
            )
        rows[places[entry_id]] = row
    joined = table.take(pa.array([rows[place] for place in sorted(rows)], pa.int64()))
    # Chunks, and the names that Parquet gives to list items, would otherwise change the file's bytes.
    write_table(out, joined.cast(schema).combine_chunks())
