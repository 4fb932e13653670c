"""Responses to and from Parquet."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa

from bfcl_pipeline.errors import TableError
from bfcl_pipeline.records import Mode, NameStyle, Response, Status, Step
from bfcl_pipeline.tables.files import read_table, write_table
from bfcl_pipeline.tables.schemas import RESPONSES


def write_responses(path: Path, responses: Iterable[Response]) -> None:
    """Writes responses with the columns of `schemas.RESPONSES`, atomically, in the order given."""
    rows = [asdict(response) for response in responses]
    write_table(path, pa.Table.from_pylist(rows, schema=RESPONSES))


def read_responses(path: Path, entry_ids: Container[str] | None = None) -> list[Response]:
    """The responses at `path` (those to `entry_ids`, if given), in the table's order.

    Columns that may be null may be missing, and others are passed over. Raises TableError if there is no
    such table, a column is missing, or a row cannot be read.
    """
    table = read_table(path)
    for field in RESPONSES:
        if not field.nullable and field.name not in table.column_names:
            raise TableError(f"{path}: column {field.name!r} is missing; it is no table of responses.")
    table = table.select([name for name in RESPONSES.names if name in table.column_names])
    asked = table.column("entry_id").to_pylist()
    places = [place for place, entry_id in enumerate(asked) if entry_ids is None or entry_id in entry_ids]
    rows = table.take(pa.array(places, pa.int64())).to_pylist()
    return [response_of(path, row) for row in rows]


def response_of(path: Path, row: Mapping[str, Any]) -> Response:
    """The response in one row of the table at `path`. Raises TableError if it cannot be read."""
    try:
        return Response(
            **{
                **row,
                "mode": Mode(row["mode"]),
                "result_json": row.get("result_json"),
                "status": Status(row.get("status") or Status.ANSWERED),
                "name_style": NameStyle(row["name_style"]) if row.get("name_style") else None,
                "steps": tuple(Step(**step) for step in row.get("steps") or ()),
            }
        )
    except (TypeError, ValueError) as error:
        raise TableError(
            f"{path}: the response to {row['entry_id']!r} cannot be read ({error}). Make it again."
        ) from error
