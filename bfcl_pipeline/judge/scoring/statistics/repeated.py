"""Several trials of one model on the same entries: means, their two sources of variance, pass^k, pass@k.

Covers the interval of the mean over trials, its variance from the choice of the entries (between) and from
the randomness of trials (within), and the probabilities that all, or any, of k trials are right. An entry
counts with the trials that have a verdict on it. Pure; docs/statistics.md derives the formulas.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from bfcl_pipeline.judge.scoring.statistics.clustered import (
    Floats,
    Integers,
    Layout,
    Limits,
    Means,
    composite_limits,
    correlation,
    means,
    quadratic,
    total,
    wilson,
)


@dataclass(frozen=True, slots=True)
class Repeated:
    """The verdicts of all trials of one model; each entry has one or more."""

    marks: Floats  # by entry, then trial: 1 right, 0 wrong, nan without a verdict
    where: Layout  # of the entries
    draw: Integers  # of each entry; entries of a category with one number share what is random in a trial

    @property
    def judged(self) -> Integers:
        """The trials with a verdict, of each entry."""
        return np.asarray(np.count_nonzero(~np.isnan(self.marks), axis=1), np.int64)

    @property
    def right(self) -> Integers:
        """The trials with a valid answer, of each entry."""
        return np.asarray(np.nansum(self.marks, axis=1), np.int64)


@dataclass(frozen=True, slots=True)
class Estimates:
    """A mean over entries and trials of each category, and how much the means vary."""

    where: Layout
    mean: Floats  # of each category
    limits: list[Limits]  # 95 % interval of each mean
    covariance: Floats  # of the means; infinite where there is one cluster only
    within: Floats  # of each category: the part of its variance from trials; nan if no entry has two


@dataclass(frozen=True, slots=True)
class ScoreEstimate:
    """A weighted sum of such means."""

    mean: float
    limits: Limits
    between: float | None  # standard error from the choice of the entries; None for one cluster
    within: float | None  # standard error from the randomness of trials; None where no entry has two


def all_right(right: Integers, judged: Integers, k: int) -> Floats:
    """The probability that k trials of an entry are all right (pass^k), estimated for each entry.

    It is the share of the subsets of k of its trials that are all right, C(right, k) / C(judged, k), which
    is unbiased (Yao et al. 2024). It is nan for an entry with fewer trials.
    """
    estimate = np.where(judged < k, math.nan, 1.0)
    for taken in range(k):
        estimate *= np.maximum(right - taken, 0) / np.maximum(judged - taken, 1)
    return estimate


def any_right(right: Integers, judged: Integers, k: int) -> Floats:
    """The probability that at least one of k trials of an entry is right (pass@k; Chen et al. 2021)."""
    return np.asarray(1.0 - all_right(judged - right, judged, k), np.float64)


def mean_of(repeated: Repeated) -> Estimates:
    """The mean of each category: each entry counts with its mean over trials."""
    return all_right_of(repeated, 1)


def all_right_of(repeated: Repeated, k: int) -> Estimates:
    """pass^k of each category; each entry must have k trials with a verdict."""
    share = repeated.right / repeated.judged
    # How far the estimate of an entry moves with one trial, to the first order; 1 for the mean.
    slope = k * share ** (k - 1)
    own, together = _variance_of_trials(repeated, slope)
    return _estimates(all_right(repeated.right, repeated.judged, k), repeated.where, own, together)


def score(of: Estimates, weights: Floats) -> ScoreEstimate:
    """The weighted sum of the means of categories, with its interval.

    weights: of each category, not negative; 0: the category is not in the score.
    """
    part = np.flatnonzero(weights)
    if len(part) == 1 and weights[part[0]] == 1:
        limits = of.limits[part[0]]
    else:
        found = composite_limits(of.mean, of.limits, weights, correlation(of.covariance, of.where))
        limits = Limits(max(0.0, found.low), min(1.0, found.high))
    chosen = weights[part]
    variance = quadratic(chosen, of.covariance[np.ix_(part, part)])
    within = total(chosen**2 * of.within[part])
    known = 0.0 if math.isnan(within) else within
    return ScoreEstimate(
        mean=total(weights * of.mean),
        limits=limits,
        between=math.sqrt(max(0.0, variance - known)) if variance < math.inf else None,
        within=None if math.isnan(within) else math.sqrt(within),
    )


def _variance_of_trials(repeated: Repeated, slope: Floats) -> tuple[Floats, Floats]:
    """The variance of the mean of each category from the randomness of trials, in two parts.

    The first is that of entries answered independently; it is nan if no entry of the category has two
    trials. The second is what the entries of one draw add by varying together, and is not below 0.

    Args:
        repeated: the verdicts.
        slope: of each entry: the derivative of its value with respect to its mean over trials.
    """
    where, judged = repeated.where, repeated.judged
    share = repeated.right / judged
    moved = np.nan_to_num((repeated.marks - share[:, None]) * slope[:, None])
    known = judged > 1
    spread = np.where(known, (moved**2).sum(axis=1) / np.maximum(judged - 1, 1), 0.0)
    # The variance of an entry with one trial is taken to be the mean of its category.
    counted = np.bincount(where.category, weights=known, minlength=where.categories)
    summed = np.bincount(where.category, weights=spread, minlength=where.categories)
    typical = np.where(counted > 0, summed / np.maximum(counted, 1), math.nan)
    spread = np.where(known, spread, typical[where.category])
    own = np.bincount(where.category, weights=spread / judged, minlength=where.categories)
    return np.asarray(own / where.sizes**2, np.float64), _shared(repeated, moved / judged[:, None])


def _shared(repeated: Repeated, moved: Floats) -> Floats:
    """The covariances between the different entries of a draw, summed by category.

    moved: by entry, then trial: how far the trial moves the value of the entry.
    """
    where = repeated.where
    draws = int(repeated.draw.max()) + 1
    key, group = np.unique(where.category * draws + repeated.draw, return_inverse=True)
    if len(key) == len(moved):
        return np.zeros(where.categories)
    by_draw = np.zeros((len(key), moved.shape[1]))
    np.add.at(by_draw, group, moved)
    covaried = (by_draw**2).sum(axis=1) - np.bincount(group, weights=(moved**2).sum(axis=1))
    trials = np.zeros(where.categories)
    np.maximum.at(trials, where.category, repeated.judged)
    summed = np.bincount(key // draws, weights=covaried, minlength=where.categories)
    corrected = summed * trials / np.maximum(trials - 1, 1) / where.sizes**2
    return np.asarray(np.maximum(corrected, 0.0), np.float64)


def _estimates(values: Floats, where: Layout, own: Floats, together: Floats) -> Estimates:
    """The means of values between 0 and 1 with intervals.

    The interval is Wilson's for as many independent single verdicts as have the variance of the mean. That
    variance is the cluster-robust one, at least that of independent entries, at least that of trials, and
    what the entries of a draw have in common is added.
    """
    of = means(values, where)
    squares = np.bincount(
        where.category, weights=(values - of.mean[where.category]) ** 2, minlength=where.categories
    )
    independent = squares / (where.sizes * np.maximum(where.sizes - 1, 1))
    variance = np.fmax(np.fmax(of.covariance.diagonal(), independent), own) + together
    covariance = of.covariance.copy()
    np.fill_diagonal(covariance, variance)
    limits = [
        wilson(min(1.0, float(share)), float(entries))
        for share, entries in zip(of.mean, _effective(of, variance, where), strict=True)
    ]
    return Estimates(where, of.mean, limits, covariance, own + together)


def _effective(of: Means, variance: Floats, where: Layout) -> Floats:
    """The number of independent single verdicts whose mean has the variance, of each category.

    It is corrected as in `clustered` for how well the variance is known. If all values are 0, or all 1, the
    entries of a cluster are assumed to agree.
    """
    effect = np.where(np.isfinite(of.effect), np.fmax(of.effect, 1.0), 1.0)
    certainty = np.where(np.isfinite(of.effect), of.effective * effect / where.sizes, 1.0)
    single = of.mean * (1 - of.mean) * where.sizes / np.maximum(where.sizes - 1, 1)
    measured = (single > 0) & np.isfinite(variance)
    ratio = np.divide(single, variance, out=np.zeros_like(single), where=measured)
    return np.where(measured, ratio * certainty, of.effective)
