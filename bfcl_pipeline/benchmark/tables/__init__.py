"""Tables on disk: their columns, and atomic reading and writing."""

from bfcl_pipeline.benchmark.tables.entries import check_staged, entries_path, read_entries, write_entries
from bfcl_pipeline.benchmark.tables.files import (
    count_matching,
    count_rows,
    read_table,
    with_types,
    write_table,
)
from bfcl_pipeline.benchmark.tables.responses import (
    read_responses,
    responses_in,
    responses_table,
    write_responses,
)

__all__ = [
    "check_staged",
    "count_matching",
    "count_rows",
    "entries_path",
    "read_entries",
    "read_responses",
    "read_table",
    "responses_in",
    "responses_table",
    "with_types",
    "write_entries",
    "write_responses",
    "write_table",
]
