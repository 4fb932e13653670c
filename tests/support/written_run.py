"""What a run has on disk and on its page, for tests of tables and pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.benchmark.tables import read_table
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.report.page.render import render_page
from bfcl_pipeline.show.report.page.run_tables import read_run_tables


def rows(run: Path, table: str, **wanted: object) -> list[dict[str, Any]]:
    """The rows of a table with the given values."""
    found = read_table(run / "tables" / f"{table}.parquet").to_pylist()
    return [row for row in found if all(row[name] == value for name, value in wanted.items())]


def page_of(run: Path, rules: Rules = Rules.OFFICIAL) -> str:
    """The page of a run, without figures and conversations."""
    return render_page(read_run_tables(Run(run), rules))


def section(page: str, name: str) -> str:
    """The HTML of one section of a page; empty without it."""
    return page.partition(f'<section id="{name}">')[2].partition("</section>")[0]
