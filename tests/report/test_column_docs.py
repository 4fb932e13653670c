"""The page that documents the tables."""

from __future__ import annotations

from pathlib import Path

from bfcl_pipeline.report.column_docs import document

PAGE = Path(__file__).parents[2] / "docs" / "tables.md"


def test_the_page_is_what_the_schemas_say() -> None:
    """A changed column shows on the page; make it with `python -m bfcl_pipeline.report.column_docs`."""
    assert PAGE.read_text(encoding="utf-8") == document()
