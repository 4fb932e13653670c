"""Ranks with their intervals, and the notes on them beneath the V4 table, for the terminal and the page."""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from bfcl_pipeline.benchmark.definition.leaderboard import categories_of
from bfcl_pipeline.show.report.format import NO_RANK

GROUP_NOTE = "Below a line: shown to be worse than the first model of the group above it."
"""What the lines between groups of models mean."""

RANK_COLUMNS = ("rank", "rank_low", "rank_high", "rank_group", "detectable")
"""The columns of the table `leaderboard` that this module reads; all but the first may be null."""

_POINTS = 100  # points in a share of 1


def rank_interval(row: Mapping[str, Any]) -> str:
    """The ranks that a model may have; empty if they are not known."""
    low, high = row["rank_low"], row["rank_high"]
    if low is None or high is None:
        return ""
    return f"{low:.0f}" if low == high else f"{low:.0f}\N{EN DASH}{high:.0f}"


def rank_cell(row: Mapping[str, Any]) -> str:
    """The rank of a model and, in brackets, the ranks that it may have."""
    if row["rank"] is None:
        return NO_RANK
    allowed = rank_interval(row)
    return f"{row['rank']:.0f} ({allowed})" if allowed else f"{row['rank']:.0f}"


def begins_group(rows: Sequence[Mapping[str, Any]]) -> list[bool]:
    """Whether a line stands above each row: it is the first of a group, and a group stands before it."""
    groups = [row["rank_group"] for row in rows]
    return [
        place > 0 and group is not None and group != groups[place - 1] for place, group in enumerate(groups)
    ]


def rank_notes(rows: Sequence[Mapping[str, Any]], where: str = "In brackets") -> list[str]:
    """What the intervals of the ranks mean, and the smallest difference that the run could show.

    Args:
        rows: of the table `leaderboard`, with its categories, under one rule set.
        where: the place of the intervals, as the beginning of a sentence.
    """
    ranked = [row for row in rows if row["rank_low"] is not None]
    if not ranked:
        return []
    notes = [f"{where}: the ranks that the verdicts allow, at 95 % for all models together."]
    asked = {tuple(name for name in categories_of("overall") if row[name] is not None) for row in ranked}
    if len(asked) > 1:
        notes.append("Ranks compare the overall as shown: categories that a model did not run count 0.")
    points = [row["detectable"] * _POINTS for row in ranked if row["detectable"] is not None]
    return [*notes, _detectable(points)] if points else notes


def _detectable(points: Sequence[float]) -> str:
    """The smallest difference that can be shown between neighbours in rank."""
    found = f"{median(points):.2f} points"
    if len(points) > 1:
        found += f" (median of neighbours; {min(points):.2f} to {max(points):.2f})"
    return f"Smallest overall difference that this run could show (80 % power): {found}."
