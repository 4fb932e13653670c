"""Accuracies and their composites where entries come in clusters: covariances, design effects, intervals.

Covers entries of several categories, some of which share clusters. A composite is a weighted sum of the
means of categories. Not covered: which entries are a cluster (`definition.clusters`) and the weights
(`definition.leaderboard`). docs/statistics.md derives the formulas.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import scipy  # loads `scipy.special`, which is slow, where it is first used
from numpy.typing import NDArray

from bfcl_pipeline.judge.scoring.statistics.normal import Z_95

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]

_UPPER = 0.975
"""The probability below the upper limit of an interval."""


@dataclass(frozen=True, slots=True)
class Limits:
    """A 95 % interval."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Layout:
    """Which category and cluster each entry belongs to; shared by all models that ran the same entries."""

    category: Integers  # of each entry, 0 to categories - 1
    cluster: Integers  # of each entry, 0 to clusters - 1; over all categories
    sizes: Integers  # entries of each category
    clusters: int  # number of clusters
    correction: Floats  # of each cluster: G / (G - 1), with G the clusters of its block; infinite for one
    cluster_counts: Integers  # clusters of each category
    kish: Floats  # of each category: effective entries if all entries of a cluster agreed
    powers: Floats  # sums over clusters of (entries of the category)^1 to ^5; by power, then category
    shared: NDArray[np.bool_]  # category by category: whether they have a cluster in common

    @property
    def categories(self) -> int:
        """The number of categories."""
        return len(self.sizes)


@dataclass(frozen=True, slots=True)
class Means:
    """The means of each category, and how much they vary together."""

    mean: Floats  # of each category
    covariance: Floats  # of the means, category by category; infinite where there is one cluster only
    independent: Floats  # variance of each mean if the entries were independent
    effect: Floats  # design effect of each category; nan where the values do not vary
    degrees: Floats  # degrees of freedom of the variance of each mean; nan likewise
    effective: Floats  # effective number of entries of each category: 1 to its entries


def total(values: Floats) -> float:
    """The sum of an array, with the same bits on every processor.

    Products of matrices (`@`) and `einsum` add in an order that depends on the processor; NumPy's `sum`
    over adjacent numbers does not.
    """
    return float(np.ascontiguousarray(values).sum())


def quadratic(vector: Floats, matrix: Floats) -> float:
    """vector' matrix vector, with the same bits on every processor."""
    return total(vector[:, None] * matrix * vector)


def number_keys(keys: Sequence[str]) -> Integers:
    """A number for each key, equal for equal keys: from 0 without gaps, in the order of the keys."""
    return np.asarray(np.unique(np.array(keys, np.str_), return_inverse=True)[1], np.int64)


def layout(category: Sequence[int] | Integers, cluster: Sequence[int] | Integers) -> Layout:
    """The layout of entries, given the category and the cluster of each as numbers from 0 without gaps.

    Raises ValueError if there is no entry, or a number is missing.
    """
    of_category, of_cluster = np.asarray(category, np.int64), np.asarray(cluster, np.int64)
    if not len(of_category) or len(of_category) != len(of_cluster):
        raise ValueError("expected a category and a cluster for each of one or more entries")
    sizes, clusters = np.bincount(of_category), int(of_cluster.max()) + 1
    if not sizes.all() or not np.bincount(of_cluster).all():
        raise ValueError("expected numbers of categories and clusters without gaps")
    flat = np.bincount(of_category * clusters + of_cluster, minlength=len(sizes) * clusters)
    members = flat.reshape(len(sizes), clusters).astype(np.float64)  # entries by category and cluster
    shared = members @ members.T > 0
    return Layout(
        category=of_category,
        cluster=of_cluster,
        sizes=sizes,
        clusters=clusters,
        correction=_correction(members > 0, shared),
        cluster_counts=np.count_nonzero(members, axis=1),
        kish=sizes**2 / (members**2).sum(axis=1),
        powers=np.array([(members**power).sum(axis=1) for power in range(1, 6)]),
        shared=shared,
    )


def _correction(has: NDArray[np.bool_], shared: NDArray[np.bool_]) -> Floats:
    """G / (G - 1) of each cluster, with G the clusters of its block.

    A block is a set of categories that share clusters with one another and with no others: the variants of
    multi-turn are one block, every live category is one by itself.

    Args:
        has: whether a category has entries in a cluster; by category, then cluster.
        shared: whether two categories have a cluster in common.
    """
    block = np.arange(len(has))
    for row, touching in enumerate(shared):
        block[np.isin(block, block[touching])] = row
    factors = np.ones(has.shape[1])
    for number in np.unique(block):
        inside = has[block == number].any(axis=0)
        count = int(inside.sum())
        factors[inside] = count / (count - 1) if count > 1 else math.inf
    return factors


def means(values: Floats, where: Layout, expected: Floats | None = None) -> Means:
    """The mean of each category with its cluster-robust covariance.

    The covariance is sum over clusters of r r' G / (G - 1): r is, by category, the sum of the residuals of
    the cluster's entries over the size of the category (Liang and Zeger 1986; Miller 2024).

    Args:
        values: one number of each entry: 0 or 1 for verdicts, -1 to 1 for differences of them.
        where: the layout of the entries.
        expected: the mean of each category from which they vary; None: that of its values.
    """
    sums = np.bincount(where.category, weights=values, minlength=where.categories)
    mean = np.asarray(sums / where.sizes, np.float64) if expected is None else expected
    residuals = (values - mean[where.category]) / where.sizes[where.category]
    cells = where.category * where.clusters + where.cluster
    flat = np.bincount(cells, weights=residuals, minlength=where.categories * where.clusters)
    by_cluster = np.asarray(flat.reshape(where.categories, where.clusters), np.float64)
    lonely = np.isinf(where.correction)
    scaled = by_cluster * np.where(lonely, 1.0, where.correction)
    covariance = np.zeros((where.categories, where.categories))
    for row, column in np.argwhere(where.shared):
        covariance[row, column] = total(scaled[row] * by_cluster[column])
    alone = where.cluster_counts < 2
    summed = np.bincount(where.category, weights=residuals**2, minlength=where.categories)
    squares = np.asarray(summed, np.float64)
    # The same formula for independent entries: sum of squares / (n (n - 1)).
    independent = squares * where.sizes / np.maximum(where.sizes - 1, 1)
    effect = np.full(where.categories, math.nan)
    np.divide(covariance.diagonal(), independent, out=effect, where=squares > 0)
    effect[(squares > 0) & (where.kish == where.sizes)] = 1.0  # each entry is a cluster: not 0.999...
    effect[alone] = where.sizes[alone]
    degrees = np.where(alone | (squares == 0), math.nan, _degrees(by_cluster, squares, where))
    covariance[np.diag_indices(where.categories)] = np.where(alone, math.inf, covariance.diagonal())
    return Means(mean, covariance, independent, effect, degrees, _effective(effect, degrees, where))


def _degrees(by_cluster: Floats, squares: Floats, where: Layout) -> Floats:
    """The degrees of freedom of the variance of each mean: fewer where few clusters have most entries.

    Satterthwaite's approximation for the variance of a mean (Bell and McCaffrey 2002): (tr M)^2 / tr M^2
    for the quadratic form M of the residuals, whose covariance is that of entries with equal variances and
    one correlation within clusters, estimated from the residuals (Imbens and Kolesar 2016). It is the
    number of clusters - 1 if they are of one size.

    Args:
        by_cluster: sums of the residuals, by category and cluster.
        squares: sums of the squares of the residuals, by category.
        where: the layout of the entries.
    """
    one, two, three, four, five = where.powers
    pairs = (two - one) * squares / where.sizes  # what they sum up to at a correlation of 1
    between = np.array([total(sums**2) for sums in by_cluster]) - squares
    rho = np.clip(np.divide(between, pairs, out=np.zeros_like(pairs), where=pairs > 0), 0.0, 1.0)
    # The sum of a cluster of m entries has the variance v = m (1 + (m - 1) rho); h is m / n.
    v = (1 - rho) * one + rho * two  # sums over clusters: of v,
    vh = ((1 - rho) * two + rho * three) / where.sizes  # of v h,
    vhh = ((1 - rho) * three + rho * four) / where.sizes**2  # of v h^2,
    hh = two / where.sizes**2  # of h^2,
    vv = (1 - rho) ** 2 * two + 2 * rho * (1 - rho) * three + rho**2 * four  # of v^2, of v^2 h
    vvh = ((1 - rho) ** 2 * three + 2 * rho * (1 - rho) * four + rho**2 * five) / where.sizes
    trace = v - 2 * vh + v * hh
    of_square = (v * hh) ** 2 + 2 * v * vhh + 2 * vh**2 - 4 * hh * v * vh + 2 * (hh * vv - 2 * vvh) + vv
    found = np.divide(trace**2, of_square, out=np.ones_like(trace), where=of_square > 0)
    return np.asarray(np.clip(found, 1.0, np.maximum(where.sizes - 1, 1)), np.float64)


def _effective(effect: Floats, degrees: Floats, where: Layout) -> Floats:
    """The effective number of entries of each category, for intervals that have the normal quantile.

    That is the entries over the design effect, times the ratio of the squared quantiles of Student's t for
    independent entries and for `degrees`, as the variance is itself estimated (Korn and Graubard 1998).
    Values that do not vary count as if all entries of a cluster agreed; one cluster counts as one entry.
    """
    usual = scipy.special.stdtrit(np.maximum(where.sizes - 1, 1), _UPPER)
    widened = scipy.special.stdtrit(
        np.where(np.isnan(degrees), np.maximum(where.sizes - 1, 1), degrees), _UPPER
    )
    found = np.where(np.isnan(effect), where.kish, where.sizes / np.fmax(effect, 1.0))
    return np.asarray(np.clip(found * (usual / widened) ** 2, 1.0, where.sizes), np.float64)


def wilson(share: float, entries: float) -> Limits:
    """The 95 % score interval of a share of `entries`, which may be an effective number (Wilson 1927).

    It stays within 0 and 1, and its width is positive at 0 and 1. For no entries it is the whole range.
    """
    if entries <= 0:
        return Limits(0.0, 1.0)
    shrink = 1 + Z_95**2 / entries
    centre = (share + Z_95**2 / (2 * entries)) / shrink
    half = Z_95 * math.sqrt(share * (1 - share) / entries + Z_95**2 / (4 * entries**2)) / shrink
    return Limits(0.0 if share == 0 else centre - half, 1.0 if share == 1 else centre + half)


def accuracy_limits(of: Means) -> list[Limits]:
    """The interval of the accuracy of each category: Wilson's, with the effective number of entries."""
    return [wilson(float(share), float(n)) for share, n in zip(of.mean, of.effective, strict=True)]


def correlation(covariance: Floats, where: Layout) -> Floats:
    """The correlations of the means of categories.

    Where one of two means does not vary the correlation cannot be measured; 1 is assumed, the widest, if
    the two categories share clusters.
    """
    spread = np.sqrt(np.where(np.isinf(covariance.diagonal()), 0.0, covariance.diagonal()))
    product = np.outer(spread, spread)
    finite = np.where(np.isinf(covariance), 0.0, covariance)
    found = np.where(
        product > 0, finite / np.where(product > 0, product, 1.0), where.shared.astype(np.float64)
    )
    np.fill_diagonal(found, 1.0)
    return np.clip(found, -1.0, 1.0)


def composite_error(of: Means, weights: Floats) -> float:
    """The standard error of a weighted sum of the means; infinite if a category in it has one cluster."""
    part = np.flatnonzero(weights)
    chosen = weights[part]
    return math.sqrt(max(0.0, quadratic(chosen, of.covariance[np.ix_(part, part)])))


def composite_limits(
    estimates: Floats, limits: Sequence[Limits], weights: Floats, correlations: Floats
) -> Limits:
    """The interval of a weighted sum of estimates, from theirs (MOVER, Zou and Donner 2008; Zou 2007).

    The distances from the estimates to their limits take the place of standard errors, separately for each
    side; weights must not be negative. Unlike the usual standard error it keeps the asymmetry at 0 and 1.
    """
    centre = total(weights * estimates)
    below = weights * (estimates - np.array([each.low for each in limits]))
    above = weights * (np.array([each.high for each in limits]) - estimates)
    return Limits(centre - length(below, correlations), centre + length(above, correlations))


def length(distances: Floats, correlations: Floats) -> float:
    """The size of the sum of correlated deviations."""
    return math.sqrt(max(0.0, quadratic(distances, correlations)))
