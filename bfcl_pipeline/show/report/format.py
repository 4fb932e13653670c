"""Formats numbers for people: per cent, intervals, missing values; for the page and the terminal."""

from collections.abc import Mapping
from typing import Any

from bfcl_pipeline.benchmark.definition.leaderboard import GROUP, categories_of

MISSING = "N/A"
"""Shown instead of a missing number."""

NO_RANK = "\N{EN DASH}"
"""Shown instead of the rank of a model without any verdict."""

PARTIAL = "*"
"""The mark of a score with categories that were not evaluated and count 0."""

CORRECTIONS = {"from_rules": "Rules", "from_truths": "Truths", "from_left_out": "Left out"}
"""The columns of the table `corrections` with differences, and their headings."""


def number(cell: str | float | None) -> float | None:
    """The number in a cell of a table, typed or as a text."""
    return None if cell in (None, "") else float(cell)


def percent(share: float | None, digits: int = 2) -> str:
    """A share in per cent, without the sign."""
    return MISSING if share is None else f"{share * 100:.{digits}f}"


def short_percent(share: float) -> str:
    """A share in per cent with one digit; only a share of exactly 1 is shown as 100."""
    return "100" if share == 1 else percent(min(share, 0.999), 1)


def interval(low: float | None, high: float | None) -> str:
    """The limits of an interval in per cent, with one digit."""
    if low is None or high is None:
        return ""
    return f"{low * 100:.1f}\N{EN DASH}{high * 100:.1f}"


def two_digits(number: float | None) -> str:
    """A number with two digits."""
    return MISSING if number is None else f"{number:.2f}"


def count(number: int) -> str:
    """A count with a thousands separator."""
    return f"{number:,}"


def is_partial(row: Mapping[str, Any], name: str) -> bool:
    """True if the group score `name` of a leaderboard row has categories that were not evaluated."""
    if name not in GROUP or row[name] is None:
        return False
    return any(row[category] is None for category in categories_of(name))
