"""Aligned tables for a terminal or a log, as several commands print them."""

from __future__ import annotations

from collections.abc import Sequence


def print_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Text to the left, numbers to the right; plain, so that it reads the same in a log."""
    lines = [headings, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(headings))]
    numbers = {column for column in range(len(headings)) if all(_is_number(row[column]) for row in rows)}
    for line in lines:
        cells = (
            cell.rjust(width) if column in numbers else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        print("  ".join(cells).rstrip())


def _is_number(cell: str) -> bool:
    return cell == "-" or cell.removesuffix(" %").replace(",", "").replace(".", "").isdigit()
