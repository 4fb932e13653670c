"""Tables on disk: their columns, and atomic reading and writing."""

from bfcl_pipeline.tables.entries import entries_path, read_entries, write_entries
from bfcl_pipeline.tables.files import atomic_path, count_rows, read_table, write_table, write_text
from bfcl_pipeline.tables.responses import read_responses, write_responses

__all__ = [
    "atomic_path",
    "count_rows",
    "entries_path",
    "read_entries",
    "read_responses",
    "read_table",
    "write_entries",
    "write_responses",
    "write_table",
    "write_text",
]
