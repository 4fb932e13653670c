"""Accuracies and their composites where entries come in clusters: covariances, design effects, intervals.

Covers entries of several categories, some of which share clusters. A composite is a weighted sum of the
means of categories. Not covered: which entries are a cluster (`benchmark.clusters`) and the weights
(`benchmark.leaderboard`). docs/statistics.md derives the formulas.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]

Z_95 = 1.959963984540054
"""The 97.5 % point of the normal distribution."""


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
    effect: Floats  # design effect of each category; nan where the values do not vary
    effective: Floats  # effective number of entries of each category; at most its entries


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


def means(values: Floats, where: Layout) -> Means:
    """The mean of each category with its cluster-robust covariance.

    The covariance is sum over clusters of r r' G / (G - 1): r is, by category, the sum of the residuals of
    the cluster's entries over the size of the category (Liang and Zeger 1986; Miller 2024).

    Args:
        values: one number of each entry: 0 or 1 for verdicts, -1 to 1 for differences of them.
        where: the layout of the entries.
    """
    sums = np.bincount(where.category, weights=values, minlength=where.categories)
    mean = np.asarray(sums / where.sizes, np.float64)
    residuals = (values - mean[where.category]) / where.sizes[where.category]
    by_cluster = np.bincount(
        where.category * where.clusters + where.cluster,
        weights=residuals,
        minlength=where.categories * where.clusters,
    ).reshape(where.categories, where.clusters)
    lonely = np.isinf(where.correction)
    scaled = by_cluster * np.where(lonely, 1.0, where.correction)
    # Not `@`: its threads cost more than this small product, and thousands of pairs may be compared.
    covariance = np.asarray(np.einsum("ig,jg->ij", scaled, by_cluster), np.float64)
    alone = where.cluster_counts < 2
    plain = np.bincount(where.category, weights=residuals**2, minlength=where.categories)
    varies = plain > 0
    # The same formula for independent entries: sum of squares / (n (n - 1)).
    independent = plain * where.sizes / np.maximum(where.sizes - 1, 1)
    effect = np.full(where.categories, math.nan)
    effect[varies] = covariance.diagonal()[varies] / independent[varies]
    covariance[np.diag_indices(where.categories)] = np.where(alone, math.inf, covariance.diagonal())
    effect = np.where(alone, where.sizes, effect)
    effective = np.where(np.isnan(effect), where.kish, where.sizes / np.fmax(effect, 1.0))
    return Means(mean, covariance, effect, effective)


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
    return math.sqrt(max(0.0, float(chosen @ of.covariance[np.ix_(part, part)] @ chosen)))


def composite_limits(
    estimates: Floats, limits: Sequence[Limits], weights: Floats, correlations: Floats
) -> Limits:
    """The interval of a weighted sum of estimates, from theirs (MOVER, Zou and Donner 2008; Zou 2007).

    The distances from the estimates to their limits take the place of standard errors, separately for each
    side; weights must not be negative. Unlike the usual standard error it keeps the asymmetry at 0 and 1.
    """
    total = float(weights @ estimates)
    below = weights * (estimates - np.array([each.low for each in limits]))
    above = weights * (np.array([each.high for each in limits]) - estimates)
    return Limits(total - _length(below, correlations), total + _length(above, correlations))


def _length(distances: Floats, correlations: Floats) -> float:
    return math.sqrt(max(0.0, float(distances @ correlations @ distances)))
