"""Reads and writes the sessions before memory questions, with the memory after each, as Parquet."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

import pyarrow as pa

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.benchmark.records import Entry, Json, Response
from bfcl_pipeline.benchmark.tables.files import read_table, write_table
from bfcl_pipeline.benchmark.tables.responses import response_of
from bfcl_pipeline.benchmark.tables.schemas import SESSIONS


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
