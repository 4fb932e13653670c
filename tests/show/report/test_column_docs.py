"""The documentation of the tables."""

from __future__ import annotations

from pathlib import Path

from tests.support.column_docs import document

PAGE = Path(__file__).parents[3] / "docs" / "tables.md"


def test_the_documentation_is_up_to_date() -> None:
    """docs/tables.md is what `python -m tests.support.column_docs` prints."""
    assert PAGE.read_text(encoding="utf-8") == document()
