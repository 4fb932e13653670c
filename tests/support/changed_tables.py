"""The tables of a run with other rows, for pages and figures of what no run here has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bfcl_pipeline.show.report.page.run_tables import Row, RunTables


def with_rows(tables: RunTables, **rows: Sequence[Row]) -> RunTables:
    """The tables with these rows in place of those of the tables named."""
    return replace(tables, rows={**tables.rows, **rows}, every={**tables.every, **rows})
