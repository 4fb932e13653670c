"""Reads and writes responses, and the sessions before memory questions, as Parquet."""

import json
from collections.abc import Container, Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import pyarrow as pa

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.benchmark.records import Entry, Json, Mode, NameStyle, Response, Status, Step
from bfcl_pipeline.benchmark.tables.files import read_table, with_types, write_table
from bfcl_pipeline.benchmark.tables.schemas import RESPONSES, SESSIONS

_OF_STEP = tuple(field.name for field in fields(Step))


def write_responses(path: Path, responses: Iterable[Response]) -> None:
    """Writes responses with the columns of `schemas.RESPONSES`, atomically, in the order given."""
    write_table(path, responses_table(responses))


def responses_table(responses: Iterable[Response]) -> pa.Table:
    """The responses as a table with the columns of `schemas.RESPONSES`, in the order given."""
    return pa.Table.from_pylist([_row(response) for response in responses], schema=RESPONSES)


def _row(response: Response) -> dict[str, Any]:
    """The values of a response by column; `asdict`, which copies each of them, takes six times as long."""
    row = {name: getattr(response, name) for name in RESPONSES.names}
    return {**row, "steps": [{name: getattr(step, name) for name in _OF_STEP} for step in response.steps]}


def read_responses(path: Path, entry_ids: Container[str] | None = None) -> list[Response]:
    """The responses at `path` (those to `entry_ids`, if given), in the table's order.

    Nullable columns may be missing, and additional columns are ignored. Raises TableError if the table does
    not exist, a column is missing, or a row cannot be read.
    """
    table = read_table(path)
    if entry_ids is not None and "entry_id" in table.column_names:
        ids = table.column("entry_id").to_pylist()
        places = [place for place, entry_id in enumerate(ids) if entry_id in entry_ids]
        table = table.take(pa.array(places, pa.int64()))
    return responses_in(path, table)


def responses_in(path: Path, table: pa.Table) -> list[Response]:
    """The responses in rows of the table at `path`, under the same conditions as `read_responses`."""
    for field in RESPONSES:
        if not field.nullable and field.name not in table.column_names:
            raise TableError(f"{path}: column {field.name!r} is missing; this is not a table of responses.")
    return [response_of(path, row) for row in with_types(path, table, RESPONSES).to_pylist()]


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
            f"{path}: the response to {row['entry_id']!r} cannot be read ({error}). Create it again."
        ) from error


@dataclass(frozen=True, slots=True)
class RecordedSession:
    """One completed session."""

    response: Response
    scenario: str  # customer, finance, healthcare, notetaker or student
    snapshot: Json  # the memory after it; None if the session failed


def write_sessions(path: Path, sessions: Iterable[tuple[Entry, Response, Json]]) -> None:
    """Writes sessions with the columns of `schemas.SESSIONS`, atomically, in the order given.

    sessions: the entry, the response to it, and the memory after it (None if the session failed).
    """
    rows = [
        {
            **asdict(response),
            "scenario": entry.scenario,
            "snapshot_json": None if snapshot is None else json.dumps(snapshot, ensure_ascii=False),
        }
        for entry, response, snapshot in sessions
    ]
    write_table(path, pa.Table.from_pylist(rows, schema=SESSIONS))


def read_sessions(path: Path) -> list[RecordedSession]:
    """The sessions at `path`, in order. Raises TableError if they cannot be read."""
    sessions = []
    for row in read_table(path, SESSIONS.names).to_pylist():
        scenario, snapshot = row.pop("scenario"), row.pop("snapshot_json")
        try:
            after = None if snapshot is None else json.loads(snapshot)
        except (ValueError, RecursionError) as error:
            raise TableError(f"{path}: a memory snapshot is not JSON ({error}).") from error
        sessions.append(RecordedSession(response_of(path, row), scenario, after))
    return sessions
