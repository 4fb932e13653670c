"""Two models on the same entries: intervals of the difference, exact tests, decisions.

Covers verdicts, or their means over trials, as arrays over the same entries in the same order.
docs/statistics.md derives the formulas.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bfcl_pipeline.judge.scoring.statistics.clustered import (
    Floats,
    Layout,
    Limits,
    Means,
    composite_limits,
    correlation,
    means,
)
from bfcl_pipeline.judge.scoring.statistics.power import Z_95

Booleans: TypeAlias = NDArray[np.bool_]


class Decision(StrEnum):
    """What the interval of a difference says about a margin."""

    PASS = "pass"  # noqa: S105, the word; the lower limit is not below minus the margin
    FAIL = "fail"  # the upper limit is below minus the margin: worse by more than the margin
    UNDECIDED = "undecided"  # minus the margin is within the interval


@dataclass(frozen=True, slots=True)
class Paired:
    """The differences of two models, first minus second."""

    of: Means  # of the differences by category
    limits: list[Limits]  # the 95 % interval of each category
    correlations: Floats  # of the differences of the categories
    only_first: NDArray[np.int64]  # entries of each category that only, or more often, the first has right
    only_second: NDArray[np.int64]  # the same of the second
    clusters_p: list[float]  # exact sign test of each category over its clusters


def compare_paired(first: Booleans | Floats, second: Booleans | Floats, where: Layout) -> Paired:
    """The paired comparison of two models on the same entries.

    first, second: the verdict on each entry, or the share of trials that have it right.
    """
    difference = first.astype(np.float64) - second.astype(np.float64)
    of = means(difference, where)
    only_first = np.bincount(where.category[difference > 0], minlength=where.categories)
    only_second = np.bincount(where.category[difference < 0], minlength=where.categories)
    net = np.bincount(where.category, weights=difference, minlength=where.categories)
    squares = np.bincount(where.category, weights=difference**2, minlength=where.categories)
    limits = [
        _limits(float(total), float(square), float(n), float(effective))
        for total, square, n, effective in zip(net, squares, where.sizes, of.effective, strict=True)
    ]
    return Paired(
        of=of,
        limits=limits,
        correlations=correlation(of.covariance, where),
        only_first=only_first,
        only_second=only_second,
        clusters_p=_clusters_p(difference, where),
    )


def composite_difference(of: Paired, weights: Floats) -> Limits:
    """The 95 % interval of the weighted difference; weights of categories, not negative."""
    return composite_limits(of.of.mean, of.limits, weights, of.correlations)


def difference_limits(only_first: float, only_second: float, pairs: float, effective: float) -> Limits:
    """The 95 % interval of the difference of two accuracies on the same entries.

    One pair is added to each kind of disagreement, so that the width stays positive where the two models
    agree on all entries (Bonett and Price 2012); the interval is widened, if needed, to hold the difference
    itself. With clusters, the counts shrink to the effective number of pairs. For no pairs it is the whole
    range.
    """
    return _limits(only_first - only_second, only_first + only_second, pairs, effective)


def _limits(net: float, squares: float, pairs: float, effective: float) -> Limits:
    """`difference_limits` for differences of any size from -1 to 1, by their sum and sum of squares."""
    if pairs <= 0 or effective <= 0:
        return Limits(-1.0, 1.0)
    shrink = effective / pairs
    centre = net * shrink / (effective + 2)
    spread = (squares * shrink + 2) / (effective + 2)
    half = Z_95 * math.sqrt((spread - centre**2) / (effective + 2))
    observed = net / pairs
    return Limits(
        max(-1.0, min(centre - half, observed)),
        min(1.0, max(centre + half, observed)),
    )


def decide(low: float, high: float, margin: float) -> Decision:
    """The decision for a difference with a 95 % interval, all as shares.

    The first side passes if the interval excludes a loss of more than the margin, and fails if it excludes
    a smaller one.
    """
    if low >= -margin:
        return Decision.PASS
    return Decision.FAIL if high < -margin else Decision.UNDECIDED


def mcnemar(only_first: int, only_second: int) -> float:
    """The two-sided p-value of the exact test of McNemar (1947): a sign test on the disagreements.

    It assumes independent entries. For no disagreement it is 1.
    """
    total, fewer = only_first + only_second, min(only_first, only_second)
    if 2 * fewer == total:
        return 1.0
    # P(X <= fewer) of a binomial with probability 1/2: its last term, and the ratios of those before it.
    last = math.lgamma(total + 1) - math.lgamma(fewer + 1) - math.lgamma(total - fewer + 1)
    number = np.arange(fewer, 0, -1, dtype=np.float64)
    ratios = np.cumprod(number / (total - number + 1))
    return min(1.0, 2 * math.exp(last - total * math.log(2)) * (1 + float(ratios.sum())))


def _clusters_p(difference: Floats, where: Layout) -> list[float]:
    """The exact sign test over clusters: which model has more entries of a cluster right.

    Equal to the test of McNemar where each entry is a cluster of its own; it holds where entries of a
    cluster depend on each other.
    """
    net = np.bincount(
        where.category * where.clusters + where.cluster,
        weights=difference,
        minlength=where.categories * where.clusters,
    ).reshape(where.categories, where.clusters)
    ups, downs = (net > 0).sum(axis=1), (net < 0).sum(axis=1)
    return [mcnemar(int(up), int(down)) for up, down in zip(ups, downs, strict=True)]


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values adjusted for their number (Holm 1979), in the same order.

    Rejecting those below 0.05 makes any false rejection at most 5 % probable, however the tests depend.
    """
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    adjusted, largest = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(order):
        largest = max(largest, min(1.0, p_values[place] * (len(p_values) - rank)))
        adjusted[place] = largest
    return adjusted
