"""How much of the first side's score the second recovers: their ratio, with its interval.

The interval has the ratios r for which the paired interval of `second - r x first` contains 0 (Fieller
1954): it accounts for the error of both scores and for what they share.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bfcl_pipeline.base.text import cut_middle, printable, text_table
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
    limits: Limits  # of the 95 % interval of the ratio; the upper one is infinite if the first may be 0

    @property
    def ratio(self) -> float | None:
        """The second by the first; None if the first is 0."""
        return self.second / self.first if self.first else None


def recoveries(comparer: Comparer, first: Side, second: Side) -> Iterator[Recovery]:
    """The groups from the overall on, then the categories."""
    scope, one, two = comparer.judged(first, second)
    where, unit = scope.where, np.eye(len(scope.categories))
    accuracies = [np.bincount(where.category, marks) / where.sizes for marks in (one, two)]

    def interval(ratio: float, weights: Floats) -> Limits:
        return composite_difference(compare_paired(two, ratio * one, where), weights)

    def edge(inside: float, outside: float, weights: Floats) -> float:
        for _ in range(_STEPS):
            middle = (inside + outside) / 2
            limits = interval(middle, weights)
            within = limits.low <= 0 <= limits.high
            inside, outside = (middle, outside) if within else (inside, middle)
        return inside

    groups = [(one, one.name + ("" if one.complete else "*")) for one in reversed(scope.groups)]
    scores = [(name, group.entries, group.weights) for group, name in groups]
    scores += [(name, int(where.sizes[at]), unit[at]) for at, name in enumerate(scope.categories)]
    for name, entries, weights in scores:
        of_first, of_second = (total(weights * accuracy) for accuracy in accuracies)
        ratio = of_second / of_first if of_first else 0.0
        low = 0.0 if interval(0.0, weights).low <= 0 else edge(ratio, 0.0, weights)
        high = math.inf if interval(_MOST, weights).high >= 0 else edge(ratio, _MOST, weights)
        yield Recovery(name, entries, of_first, of_second, Limits(low, high))


def recovery_text(comparer: Comparer, first: Side, second: Side) -> str:
    """The ratios as a table of at most 80 columns, as model cards have it."""
    found = list(recoveries(comparer, first, second))
    rows = [
        [
            each.score,
            f"{each.entries:,}",
            *("-" if of is None else f"{of * 100:.2f}" for of in (each.first, each.second, each.ratio)),
            f"{each.limits.low * 100:.1f} to {each.limits.high * 100:.1f}",
        ]
        for each in found
    ]
    a, b = (cut_middle(printable(side.label), 70) for side in (first, second))
    headings = ["score", "entries", "A", "B", "recovery", "95 % interval"]
    head = f"A: {a}\nB: {b}\nPer cent; recovery is B by A, of entries with a verdict on both.\n"
    partial = any(each.score.endswith("*") for each in found)
    below = "\n* categories without verdicts on both sides count 0 on both." if partial else ""
    return f"{head}\n{text_table(headings, rows, range(1, len(headings)))}{below}"
