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
    Integers,
    Layout,
    Limits,
    Means,
    composite_limits,
    correlation,
    means,
    total,
)
from bfcl_pipeline.judge.scoring.statistics.normal import Z_95

Booleans: TypeAlias = NDArray[np.bool_]
Numbers: TypeAlias = Floats | Integers


class Decision(StrEnum):
    """What the interval of a difference says about a margin."""

    PASS = "pass"  # noqa: S105, the word; the lower limit is not below minus the margin
    FAIL = "fail"  # the upper limit is below minus the margin: worse by more than the margin
    UNDECIDED = "undecided"  # minus the margin is within the interval


@dataclass(frozen=True, slots=True)
class Paired:
    """The differences of two models, first minus second."""

    of: Means  # of the differences by category
    equal: Means  # the same, as if every cluster favoured either model with probability 1/2
    limits: list[Limits]  # the 95 % interval of each category
    correlations: Floats  # of the differences of the categories
    only_first: NDArray[np.int64]  # entries of each category that only, or more often, the first has right
    only_second: NDArray[np.int64]  # the same of the second
    squares: Floats  # mean square of the differences of each category
    by_cluster: Floats  # sums of the differences, by category and cluster
    clusters_p: list[float]  # exact sign test of each category over its clusters: each counts once


def compare_paired(first: Booleans | Floats, second: Booleans | Floats, where: Layout) -> Paired:
    """The paired comparison of two models on the same entries.

    first, second: the verdict on each entry, or the share of trials that have it right.
    """
    difference = first.astype(np.float64) - second.astype(np.float64)
    of = means(difference, where)
    only_first = np.bincount(where.category[difference > 0], minlength=where.categories)
    only_second = np.bincount(where.category[difference < 0], minlength=where.categories)
    net = np.asarray(
        np.bincount(where.category, weights=difference, minlength=where.categories), np.float64
    )
    squares = np.asarray(
        np.bincount(where.category, weights=difference**2, minlength=where.categories), np.float64
    )
    cells = where.category * where.clusters + where.cluster
    flat = np.bincount(cells, weights=difference, minlength=where.categories * where.clusters)
    by_cluster: Floats = np.asarray(flat, np.float64).reshape(where.categories, where.clusters)
    ups, downs = (by_cluster > 0).sum(axis=1), (by_cluster < 0).sum(axis=1)
    bounds = paired_bounds(net, squares, where.sizes, of.effective)
    return Paired(
        of=of,
        equal=means(difference, where, np.zeros(where.categories)),
        limits=[Limits(float(low), float(high)) for low, high in zip(*bounds, strict=True)],
        correlations=correlation(of.covariance, where),
        only_first=only_first,
        only_second=only_second,
        squares=squares / where.sizes,
        by_cluster=by_cluster,
        clusters_p=[mcnemar(int(up), int(down)) for up, down in zip(ups, downs, strict=True)],
    )


def composite_difference(of: Paired, weights: Floats) -> Limits:
    """The 95 % interval of the weighted difference; weights of categories, not negative."""
    return composite_limits(of.of.mean, of.limits, weights, of.correlations)


_UNSEEN = 1.2
"""How many standard errors a cluster may be worth that could be lost as a whole; by simulation."""


def heaviest(where: Layout, weights: Floats) -> float:
    """The share in a score of the cluster with the largest one, of those with several entries; else 0."""
    cells = where.category * where.clusters + where.cluster
    counts = np.bincount(cells, minlength=where.categories * where.clusters).reshape(-1, where.clusters)
    several = counts[weights > 0].sum(axis=0) > 1
    shares = (counts * (weights / where.sizes)[:, None]).sum(axis=0)
    return float(shares.max(initial=0.0, where=several))


def low_with_loss(of: Paired, where: Layout, weights: Floats, loss: float, share: float) -> float:
    """The lower limit of a weighted difference if the verdicts are to exclude a loss.

    The interval of `composite_difference` is too short if the loss is of few entries, or of one cluster,
    that another sample would not have. So the models disagree on as many entries as the loss has, or more,
    and the distance to the limit is at least that of independent entries with a part for one cluster.

    Args:
        of: the pair.
        where: the layout of the entries.
        weights: of each category.
        loss: a share; 0 for means over trials, of which a loss may be a part of many entries.
        share: of one cluster in the score, as of `heaviest`.
    """
    difference, distances = total(weights * of.of.mean), []
    for used in (of.of.effective, where.sizes.astype(np.float64)):
        squares = np.maximum(of.squares, loss - 2 / used)  # the interval adds two
        sums = np.asarray(squares * where.sizes, np.float64)
        bounds = paired_bounds(of.of.mean * where.sizes, sums, where.sizes, used)
        limits = [Limits(float(low), float(high)) for low, high in zip(*bounds, strict=True)]
        low = composite_limits(of.of.mean, limits, weights, of.correlations).low
        distances.append(difference - low)
    clustered, independent = distances
    return difference - max(clustered, math.hypot(independent, _UNSEEN * share))


def difference_limits(only_first: float, only_second: float, pairs: float, effective: float) -> Limits:
    """The 95 % interval of the difference of two accuracies on the same entries.

    One pair is added to each kind of disagreement, so that the width stays positive where the two models
    agree on all entries (Bonett and Price 2012); the interval is widened, if needed, to hold the difference
    itself. With clusters, the counts shrink to the effective number of pairs. For no pairs it is the whole
    range.
    """
    if pairs <= 0 or effective <= 0:
        return Limits(-1.0, 1.0)
    counts = (only_first - only_second, only_first + only_second, pairs, effective)
    low, high = paired_bounds(*(np.array([count], np.float64) for count in counts))
    return Limits(float(low[0]), float(high[0]))


def paired_bounds(net: Floats, squares: Floats, pairs: Numbers, effective: Floats) -> tuple[Floats, Floats]:
    """The limits of `difference_limits` for sums and sums of squares of differences from -1 to 1."""
    shrink = effective / pairs
    centre = net * shrink / (effective + 2)
    spread = (squares * shrink + 2) / (effective + 2)
    half = Z_95 * np.sqrt((spread - centre**2) / (effective + 2))
    observed = net / pairs
    return (
        np.maximum(-1.0, np.minimum(centre - half, observed)),
        np.minimum(1.0, np.maximum(centre + half, observed)),
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
