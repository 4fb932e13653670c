"""The size that a Parquet table of anybody has in memory, measured within bounds.

A column can hold a long text once and refer to it in every row: a file of a kilobyte may become gigabytes
when it is read. The texts are measured without that repetition, some rows at a time.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from bfcl_pipeline.base.errors import TableError

MAX_ROWS = 1_000_000
"""Rows of a table: those of a run have some for each entry of a model."""

MAX_TABLE_BYTES = 2 * 2**30
"""Size of a table in memory."""

_ROWS = 4096  # read at once


def check_table_size(path: Path, file: pa.NativeFile, columns: Sequence[str] | None = None) -> None:
    """Raises TableError if `columns` of the table, or all, have too many rows or bytes.

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
    for batch in pq.ParquetFile(file, read_dictionary=texts).iter_batches(_ROWS, columns=names):
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
