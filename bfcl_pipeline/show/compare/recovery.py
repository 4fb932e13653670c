"""How much of the first side's score the second recovers: their ratio, with its interval.

The interval is that of the paired difference of the second from the ratio times the first, by the score of
the first: it accounts for the error of both scores, and for what they share (the delta method).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bfcl_pipeline.base.text import cut_middle, printable, text_table
from bfcl_pipeline.judge.scoring.statistics.clustered import total
from bfcl_pipeline.judge.scoring.statistics.paired import compare_paired, composite_difference
from bfcl_pipeline.show.compare.compare import Comparer
from bfcl_pipeline.show.compare.sides import Side


@dataclass(frozen=True, slots=True)
class Recovery:
    """One score of two sides, over the entries with a verdict on both. Shares."""

    score: str  # a group of the leaderboard, or a category; with * if categories of it count 0 on both
    entries: int
    first: float  # above 0
    second: float
    low: float  # of the 95 % interval of the ratio, clustered and paired
    high: float

    @property
    def ratio(self) -> float:
        """The second by the first."""
        return self.second / self.first


def recoveries(comparer: Comparer, first: Side, second: Side) -> Iterator[Recovery]:
    """The groups from the overall on, then the categories; without those that the first has nothing of."""
    scope, one, two = comparer.judged(first, second)
    where, unit = scope.where, np.eye(len(scope.categories))
    accuracies = [np.bincount(where.category, marks) / where.sizes for marks in (one, two)]
    groups = reversed(scope.groups)
    scores = [(each.name + ("" if each.complete else "*"), each.entries, each.weights) for each in groups]
    scores += [(name, int(where.sizes[at]), unit[at]) for at, name in enumerate(scope.categories)]
    for name, entries, weights in scores:
        base, other = (total(weights * accuracy) for accuracy in accuracies)
        if base:
            limits = composite_difference(compare_paired(two, one * (other / base), where), weights)
            low, high = ((other + limit) / base for limit in (limits.low, limits.high))
            yield Recovery(name, entries, base, other, max(0.0, low), high)


def recovery_text(comparer: Comparer, first: Side, second: Side) -> str:
    """The ratios as a table of at most 80 columns, as model cards have it."""
    found = list(recoveries(comparer, first, second))
    rows = [
        [
            each.score,
            f"{each.entries:,}",
            *(f"{share * 100:.2f}" for share in (each.first, each.second, each.ratio)),
            f"{each.low * 100:.1f} to {each.high * 100:.1f}",
        ]
        for each in found
    ]
    a, b = (cut_middle(printable(side.label), 70) for side in (first, second))
    headings = ["score", "entries", "A", "B", "recovery", "95 % interval"]
    head = f"A: {a}\nB: {b}\nPer cent; recovery is B by A, of entries with a verdict on both.\n"
    partial = any(each.score.endswith("*") for each in found)
    below = "\n* categories without verdicts on both sides count 0 on both." if partial else ""
    return f"{head}\n{text_table(headings, rows, range(1, len(headings)))}{below}"
