"""Tables of one model's entries that several jobs wrote, joined as if one had."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from bfcl_pipeline.errors import TableError
from bfcl_pipeline.tables.files import read_table, write_table


def gather(parts: Sequence[Path], out: Path, order: Sequence[str], schema: pa.Schema) -> None:
    """Writes the rows of `parts`, tables of `schema`, to `out`, atomically, in the `order` of entry ids.

    Raises TableError if a part cannot be read, two have a row for one entry, or a row is of no entry.
    """
    places = {entry_id: place for place, entry_id in enumerate(order)}
    rows: dict[int, int] = {}
    table = pa.concat_tables([read_table(part) for part in parts])
    for row, entry_id in enumerate(table.column("entry_id").to_pylist()):
        if entry_id not in places:
            raise TableError(f"{out}: {entry_id!r} is no entry of the benchmark. Ask the model again.")
        if places[entry_id] in rows:
            raise TableError(
                f"{out}: two shards were asked {entry_id!r}. Delete {parts[0].parents[2]}, then run again; "
                "what was answered is in the journals."
            )
        rows[places[entry_id]] = row
    joined = table.take(pa.array([rows[place] for place in sorted(rows)], pa.int64()))
    # As it was before it was written: pieces, and names that Parquet gives, would show in the file.
    write_table(out, joined.cast(schema).combine_chunks())
