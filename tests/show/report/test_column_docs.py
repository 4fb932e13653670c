"""The documentation of the tables."""

from __future__ import annotations

from tests.support.column_docs import PAGE, document


def test_the_documentation_is_up_to_date() -> None:
    """docs/tables.md has the tables that `python -m tests.support.column_docs` writes."""
    page = PAGE.read_text(encoding="utf-8")
    assert page == document(page)
