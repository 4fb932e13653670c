"""How numbers are written for a person: per cent, intervals, what is missing.

Shared by the page and the terminal, so that both show the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bfcl_pipeline.benchmark.leaderboard import GROUP, categories_of
from bfcl_pipeline.report.web_label import note, score_mark

MISSING = "N/A"
"""What stands for a number that there is not."""

PARTIAL = "*"
"""What marks a score some of whose categories were not evaluated and count 0."""

HEAT_LEVELS = 11
"""Steps of the colour scale; the last is for 100 % alone."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table."""

    text: str  # what it shows
    value: float | str | None = None  # what it is sorted by; None comes last
    note: str = ""  # shown small beneath
    title: str = ""  # shown when pointed at
    level: int | None = None  # step of the colour scale; None without colour


def percent(share: float | None, digits: int = 2) -> str:
    """A share as a number of per cent, without the sign."""
    return MISSING if share is None else f"{share * 100:.{digits}f}"


def short_percent(share: float) -> str:
    """A share in per cent with one digit, where 100 stands for all of it and never for nearly all."""
    return "100" if share == 1 else percent(min(share, 0.999), 1)


def interval(low: float | None, high: float | None) -> str:
    """The limits of an interval in per cent, with one digit."""
    if low is None or high is None:
        return ""
    return f"{low * 100:.1f}\N{EN DASH}{high * 100:.1f}"


def plain(number: float | None) -> str:
    """A number that is no share, with two digits."""
    return MISSING if number is None else f"{number:.2f}"


def count(number: int) -> str:
    """A count with thousands apart."""
    return f"{number:,}"


def plural(number: int, one: str, many: str) -> str:
    """A count with its noun."""
    return f"{number:,} {one if number == 1 else many}"


def heat(share: float | None) -> int | None:
    """The step of the colour scale; full colour means all of it, never nearly all."""
    return None if share is None else int(share * (HEAT_LEVELS - 1))


def is_partial(row: Mapping[str, Any], name: str) -> bool:
    """True where a group score of a leaderboard row has categories that count 0 unevaluated."""
    if name not in GROUP or row[name] is None:
        return False
    return any(row[category] is None for category in categories_of(name))


def score_cell(row: Mapping[str, Any], name: str) -> Cell:
    """A score of a row of the leaderboard table; categories have no interval there."""
    share = row[name]
    if share is None:
        return Cell(MISSING, None, title="not evaluated")
    web = score_mark(row, name, row["web"])
    partial = is_partial(row, name)
    missing = [category for category in categories_of(name) if row[category] is None] if partial else []
    titles = [note([row["web"]])] if web else []
    titles += [f"not evaluated, counted as 0: {', '.join(missing)}"] if missing else []
    limits = interval(row.get(f"{name}_ci_low"), row.get(f"{name}_ci_high"))
    return Cell(percent(share) + (PARTIAL if partial else "") + web, share, limits, "; ".join(titles))
