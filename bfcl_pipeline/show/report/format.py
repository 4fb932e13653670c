"""Formats numbers for people: per cent, intervals, missing values; for the page and the terminal.

Functions `as_...` show the value of a column in a row of a table.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from bfcl_pipeline.base.text import signed_points
from bfcl_pipeline.benchmark.definition.leaderboard import GROUP, categories_of
from bfcl_pipeline.runs.web_label import mark

MISSING = "N/A"
"""Shown instead of a missing number."""

NO_RANK = "\N{EN DASH}"
"""Shown instead of the rank of a model without any verdict."""

PARTIAL = "*"
"""The mark of a score with categories that were not evaluated and count 0."""

NOTHING = "\N{EN DASH}"
"""Shown for a count of 0."""


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


class Shown(NamedTuple):
    """A value as people see it."""

    text: str
    value: float | str | None  # by which rows are sorted; those without one are last
    note: str = ""  # small text beneath
    title: str = ""  # tooltip


Cell = Callable[[Mapping[str, Any], str], Shown]
"""How the value of a column, by its name, is shown in a row."""


def as_text(row: Mapping[str, Any], name: str) -> Shown:
    """The text itself."""
    return Shown(MISSING if row[name] is None else str(row[name]), row[name])


def as_category(row: Mapping[str, Any], name: str) -> Shown:
    """A category with the mark of its web."""
    text = row[name] + mark(row.get("web"))
    return Shown(text, text)


def as_count(row: Mapping[str, Any], name: str) -> Shown:
    """A count, with a dash for 0."""
    return Shown(count(row[name]) if row[name] else NOTHING, row[name])


def _by(text: Callable[[float], str]) -> Cell:
    return lambda row, name: Shown(text(row[name]), row[name])


as_number = _by(two_digits)
"""A number with two digits."""

as_percent = _by(percent)
"""A share in per cent."""

as_points = _by(signed_points)
"""A difference of two shares in points, with its sign."""


def above(title: str, beneath: str) -> Cell:
    """A number with that of another column, after its title, beneath it, if that is known."""

    def cell(row: Mapping[str, Any], name: str) -> Shown:
        other = row.get(beneath)
        return as_number(row, name)._replace(note="" if other is None else f"{title} {two_digits(other)}")

    return cell


def as_part_of(whole: str) -> Cell:
    """A count as its share of another column, with the count beneath."""

    def cell(row: Mapping[str, Any], name: str) -> Shown:
        if not row[name]:
            return as_count(row, name)
        part = row[name] / row[whole]
        return Shown(f"{percent(part)} %", part, count(row[name]))

    return cell
