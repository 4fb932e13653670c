"""The columns of every table of a run in docs/tables.md, whose other text is written by hand.

The schemas describe the columns; those of entries are in data/README.md.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator

import pyarrow as pa

from bfcl_pipeline.benchmark.tables.schemas import FINDINGS, RESPONSES, SESSIONS, VERDICTS
from bfcl_pipeline.show.report.tables.all_tables import TABLES
from tests.support import ROOT
from tests.support.docs_parts import rewrite, table

PAGE = ROOT / "docs/tables.md"

WIDTH = 108
"""Columns of a line of text."""

_RECORDS = {
    "responses/&lt;model&gt;/&lt;category&gt;.parquet": (
        RESPONSES,
        "One row per entry that was run, in the release's order.",
    ),
    "memory/&lt;model&gt;/&lt;category&gt;.parquet": (
        SESSIONS,
        "One row per session before the questions of a memory category.",
    ),
    "verdicts/&lt;model&gt;.parquet": (VERDICTS, "One row per response and rule set."),
    "audit": (
        FINDINGS,
        "What `bfcl-pipeline audit --out FILE` writes: one row per suspected defect of an entry.",
    ),
}


def document(page: str) -> str:
    """The page with the sections of all tables as the schemas are; those it lacks follow the one before."""
    end = 0
    for title, text in _sections():
        old = re.search(rf"## {re.escape(title)}\n.*?(?=\n## |\Z)", page, re.DOTALL)
        start, stop = old.span() if old else (end, end)
        page = page[:start] + (text if old else f"\n{text}") + page[stop:]
        end = start + len(text) + (not old)
    return page


def _sections() -> Iterator[tuple[str, str]]:
    """The title and the section of each table."""
    tables = {f"tables/{table.name}": (table.schema, table.about) for table in TABLES.values()}
    for title, (schema, about) in (tables | _RECORDS).items():
        rows = ((f"`{field.name}`", f"{field.type}", _description(field)) for field in schema)
        columns = table(("column", "type", "what it holds"), rows)
        yield title, f"## {title}\n\n{textwrap.fill(about, WIDTH)}\n\n{columns}"


def _description(field: pa.Field[pa.DataType]) -> str:
    return (field.metadata or {})[b"description"].decode()


if __name__ == "__main__":
    rewrite(PAGE, document)
