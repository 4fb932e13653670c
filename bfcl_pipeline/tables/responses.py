"""Responses to and from Parquet."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

import pyarrow as pa

from bfcl_pipeline.records import Response
from bfcl_pipeline.tables.files import write_table
from bfcl_pipeline.tables.schemas import RESPONSES


def write_responses(path: Path, responses: Iterable[Response]) -> None:
    """Writes responses with the columns of `schemas.RESPONSES`, atomically, in the order given."""
    rows = [asdict(response) for response in responses]
    write_table(path, pa.Table.from_pylist(rows, schema=RESPONSES))
