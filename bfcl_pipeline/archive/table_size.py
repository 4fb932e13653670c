"""The size that a Parquet table of an untrusted archive has in memory, measured within bounds.

A column can hold a long text once and refer to it in every row: a file of a kilobyte may become gigabytes
when it is read. The texts are measured without that repetition, some rows at a time.
"""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from bfcl_pipeline.archive.members import MAX_ROWS, MAX_TABLE_BYTES
from bfcl_pipeline.errors import ArchiveError, TableError

_ROWS = 4096  # read at once


def check_table_size(path: Path) -> None:
    """Raises ArchiveError if the table has too many rows or bytes, TableError if it cannot be read."""
    try:
        schema = pq.read_metadata(path).schema
        columns = map(schema.column, range(len(schema)))
        names = [column.path for column in columns if column.physical_type == "BYTE_ARRAY"]
        with pq.ParquetFile(path, read_dictionary=names) as file:
            if file.metadata.num_rows > MAX_ROWS:
                raise ArchiveError(f"{path}: refused: more than {MAX_ROWS:,} rows.")
            size = 0
            for batch in file.iter_batches(batch_size=_ROWS):
                size += sum(map(_bytes, batch.columns))
                if size > MAX_TABLE_BYTES:
                    raise ArchiveError(f"{path}: refused: more than {MAX_TABLE_BYTES:,} bytes in memory.")
    except (pa.ArrowException, OSError) as error:
        raise TableError(f"{path}: not a readable Parquet file ({error}).") from error


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
