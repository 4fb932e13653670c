"""How much of the first side's score the second recovers: their ratio, with its interval.

The interval is that of the paired difference of the second from the ratio times the first, by the score of
the first: it accounts for the error of both scores, and for what they share (the delta method).
"""

import numpy as np

from bfcl_pipeline.base.text import cut_middle, printable, text_table
from bfcl_pipeline.judge.scoring.statistics.clustered import total
from bfcl_pipeline.judge.scoring.statistics.paired import compare_paired, composite_difference
from bfcl_pipeline.show.compare.compare import Comparer
from bfcl_pipeline.show.compare.sides import Side
from bfcl_pipeline.show.compare.text import percent

_HEADINGS = ("score", "entries", "A", "B", "recovery", "95 % interval")


def recovery_text(comparer: Comparer, first: Side, second: Side) -> str:
    """The ratios as a table of at most 80 columns, as model cards have it.

    The groups from the overall on, then the categories; without those that the first has nothing of.
    """
    scope, one, two = comparer.judged(first, second)
    where, unit = scope.where, np.eye(len(scope.categories))
    accuracies = [np.bincount(where.category, marks) / where.sizes for marks in (one, two)]
    groups = reversed(scope.groups)
    scores = [(each.name + ("" if each.complete else "*"), each.entries, each.weights) for each in groups]
    scores += [(name, int(where.sizes[at]), unit[at]) for at, name in enumerate(scope.categories)]
    rows = []
    for name, entries, weights in scores:
        base, other = (total(weights * accuracy) for accuracy in accuracies)
        if base:
            limits = composite_difference(compare_paired(two, one * (other / base), where), weights)
            low, high = max(0.0, (other + limits.low) / base), (other + limits.high) / base
            shares = map(percent, (base, other, other / base))
            rows.append([name, f"{entries:,}", *shares, f"{percent(low, 1)} to {percent(high, 1)}"])
    a, b = (cut_middle(printable(side.label), 70) for side in (first, second))
    head = f"A: {a}\nB: {b}\nPer cent; recovery is B by A, of entries with a verdict on both.\n"
    partial = any(name.endswith("*") for name, *_ in rows)
    below = "\n* categories without verdicts on both sides count 0 on both." if partial else ""
    return f"{head}\n{text_table(_HEADINGS, rows, range(1, len(_HEADINGS)))}{below}"
