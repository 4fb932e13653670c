"""How much of the first side's score the second recovers: their ratio, with its interval.

The interval has the ratios r for which the paired interval of `second - r x first` contains 0 (Fieller
1954): it accounts for the error of both scores and for what they share.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bfcl_pipeline.base.text import cut_middle, printable, text_table
from bfcl_pipeline.judge.scoring.intervals import Scope
from bfcl_pipeline.judge.scoring.statistics.clustered import Floats, Limits, total
from bfcl_pipeline.judge.scoring.statistics.paired import compare_paired, composite_difference
from bfcl_pipeline.show.compare.compare import Comparer
from bfcl_pipeline.show.compare.sides import Side

_MOST = 4.0  # a ratio above which none is looked for
_STEPS = 20  # of the search of a limit, each of which halves its error


@dataclass(frozen=True, slots=True)
class Recovery:
    """One score of two sides, over the entries with a verdict on both. Shares."""

    score: str  # a group of the leaderboard, or a category; with * if categories of it count 0 on both
    entries: int
    first: float
    second: float
    ratio: float | None  # second by first; None if the first is 0
    low: float  # of the 95 % interval of the ratio
    high: float  # infinite if the first may be 0


def recoveries(comparer: Comparer, first: Side, second: Side) -> list[Recovery]:
    """The groups from the overall on, then the categories."""
    scope, one, two = comparer.judged(first, second)
    where, unit = scope.where, np.eye(len(scope.categories))
    scores = [
        (group.name + ("" if group.complete else "*"), group.weights, group.entries)
        for group in reversed(scope.groups)
    ]
    scores += [(name, unit[place], int(where.sizes[place])) for place, name in enumerate(scope.categories)]
    of_one, of_two = (np.bincount(where.category, marks) / where.sizes for marks in (one, two))
    found = []
    for name, weights, entries in scores:
        a, b = total(weights * of_one), total(weights * of_two)
        limits = _limits(scope, one, two, weights, b / a if a else 0.0)
        found.append(Recovery(name, entries, a, b, b / a if a else None, limits.low, limits.high))
    return found


def _limits(scope: Scope, one: Floats, two: Floats, weights: Floats, ratio: float) -> Limits:
    def interval(of: float) -> Limits:
        return composite_difference(compare_paired(two, of * one, scope.where), weights)

    def edge(inside: float, outside: float) -> float:
        for _ in range(_STEPS):
            middle = (inside + outside) / 2
            limits = interval(middle)
            within = limits.low <= 0 <= limits.high
            inside, outside = (middle, outside) if within else (inside, middle)
        return inside

    low = 0.0 if interval(0.0).low <= 0 else edge(ratio, 0.0)
    return Limits(low, np.inf if interval(_MOST).high >= 0 else edge(ratio, _MOST))


def recovery_text(first: str, second: str, found: Sequence[Recovery]) -> str:
    """The ratios as a table of at most 80 columns, as model cards have it."""
    rows = [
        [
            each.score,
            f"{each.entries:,}",
            *(f"{share * 100:.2f}" for share in (each.first, each.second)),
            "-" if each.ratio is None else f"{each.ratio * 100:.1f}",
            f"{each.low * 100:.1f} to {each.high * 100:.1f}",
        ]
        for each in found
    ]
    sides = [cut_middle(printable(name), 70) for name in (first, second)]
    headings = ["score", "entries", "A", "B", "recovery", "95 % interval"]
    head = f"A: {sides[0]}\nB: {sides[1]}\nPer cent; recovery is B by A, entries with a verdict on both.\n"
    partial = "\n* categories without verdicts on both sides count 0 on both."
    below = partial if any(each.score.endswith("*") for each in found) else ""
    return f"{head}\n{text_table(headings, rows, range(1, len(headings)))}{below}"
