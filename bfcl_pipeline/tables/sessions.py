"""Sessions before memory questions, and what they left in the memory, to Parquet."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

import pyarrow as pa

from bfcl_pipeline.records import Entry, Json, Response
from bfcl_pipeline.tables.files import write_table
from bfcl_pipeline.tables.schemas import SESSIONS


def write_sessions(path: Path, sessions: Iterable[tuple[Entry, Response, Json]]) -> None:
    """Writes sessions with the columns of `schemas.SESSIONS`, atomically, in the order given.

    sessions: the entry, the response to it, and the memory after it (None if it could not be held).
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
