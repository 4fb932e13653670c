"""Cells of the page's tables: which sort keys they have, and which are read from their text."""

from __future__ import annotations

import pytest
from markupsafe import Markup

from bfcl_pipeline.show.report.page.table import Cell, Table, isolate


@pytest.mark.parametrize(
    "cell",
    [
        Cell.count(0),
        Cell.count(1_234_567),
        Cell.number("N/A", None),
        Cell.heat(None, "N/A"),
        Cell.sortable("simple_python†"),
        Cell.code("a<b&c"),
        Cell(isolate("<script>"), "<script>"),
        Cell(1, 1, style="rank"),  # type: ignore[arg-type]
        Cell(""),
    ],
)
def test_a_text_that_is_its_own_key_has_no_other(cell: Cell) -> None:
    """A count, a name and a gap are not repeated in an attribute."""
    assert cell.key is None


@pytest.mark.parametrize(
    ("cell", "key"),
    [
        (Cell.number("97.00", 0.97), "0.97"),
        (Cell.number("95.5", 0.9548387096774194), "0.954839"),
        (Cell.number("2.00", 2.0), "2.0"),
        (Cell.number("37/40", 37), "37"),
        (Cell.sortable("–"), "–"),
        (Cell(Markup("<bdi>A</bdi><span>embedded</span>"), "A"), "A"),
        (Cell("–", style="rank"), ""),
        (Cell("verified", 2), "2"),
    ],
)
def test_a_text_that_sorts_otherwise_has_a_key(cell: Cell, key: str) -> None:
    """A share, a part of a whole, a marked name and a text without value have one."""
    assert cell.key == key


def test_a_table_is_numeric_if_most_cells_are_plain_numbers() -> None:
    """Headings of rows and cells with another style are not counted."""
    numbers = [Cell.count(1), Cell.count(2)]
    assert Table("", [], [[Cell("m", style="name", scope="row"), Cell("x"), *numbers]]).is_numeric
    assert not Table("", [], [[Cell("x"), Cell("y"), *numbers]]).is_numeric
