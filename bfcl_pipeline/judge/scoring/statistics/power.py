"""The smallest true difference that a comparison finds: by its printed interval, or by its exact test.

Covers one score of two models on the same entries, at 95 % confidence and 80 % power. Assumed is that the
models disagree on as many entries as they do, or on as many more as the difference needs, and that every
cluster on which they disagree favours the better one with the same probability. docs/statistics.md derives
it.
"""

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
import scipy  # loads `scipy.special`, which is slow, where it is first used

from bfcl_pipeline.judge.scoring.statistics.clustered import (
    Floats,
    Layout,
    correlation,
    length,
    total,
)
from bfcl_pipeline.judge.scoring.statistics.normal import Z_80, Z_95
from bfcl_pipeline.judge.scoring.statistics.paired import Paired, paired_bounds

POWER = 0.8
"""The usual power: the probability that a true difference of this size is found."""

_DIGITS = 6
"""Digits of a difference: sums may differ by rounding between processors, tables must not."""

_STEPS = 24
"""Steps of the search of a difference."""

_CLOSE = 1e-8
"""Steps of this size end it."""

_KEPT = 65_536
"""Results that are kept: all pairs of many models have few different counts."""


def by_interval(of: Paired, where: Layout, weights: Floats) -> float | None:
    """The smallest true difference whose 95 % interval excludes 0 with 80 % power; None if none does.

    Exact for verdicts on a category whose entries share no clusters, else by the normal approximation.

    weights: of each category in the score; below 1 in sum where categories were not compared.
    """
    if not (scale := total(weights)):
        return None
    members = np.flatnonzero(weights)
    lone = members[0]
    disagree = of.only_first[lone] + of.only_second[lone]
    single = len(members) == 1 and where.cluster_counts[lone] == where.sizes[lone]
    if single and of.squares[lone] * where.sizes[lone] == disagree:
        pairs = int(where.sizes[lone])
        count = np.arange(pairs + 1)
        net = Z_95 * np.sqrt((count + 2) / (1 + Z_95**2 / (pairs + 2)))
        found = _exact(pairs, int(disagree), np.floor((count + net) / 2) + 1)
    else:
        found = _by_normal(of, where, weights / scale)
    return None if found is None else round(found * scale, _DIGITS)


def by_test(of: Paired, place: int, where: Layout, level: float, added: bool = False) -> float | None:
    """The smallest true difference that the sign test over clusters finds with 80 % power; None if none.

    Args:
        of: the pair.
        place: of the category.
        where: the layout of the entries.
        level: largest p-value that shows a difference.
        added: whether the clusters that differ are noise, to which those of a difference are added.
    """
    clusters, differ = int(where.cluster_counts[place]), int(np.count_nonzero(of.by_cluster[place]))
    found = _by_exact_test(clusters, differ, level)
    for _ in range(_STEPS if added and found is not None else 0):
        more = min(clusters, differ + math.ceil((found or 1.0) * clusters))
        found = _by_exact_test(clusters, more, level)
    # A cluster that differs may be worth more or less than its share of the entries.
    net = total(np.abs(of.by_cluster[place])) / where.sizes[place]
    worth = net * clusters / differ if differ else 1.0
    return None if found is None else round(min(found * worth, 1.0), _DIGITS)


@lru_cache(maxsize=_KEPT)
@lru_cache(maxsize=_KEPT)
def _by_exact_test(pairs: int, disagree: int, level: float) -> float | None:
    return _exact(pairs, disagree, _critical(pairs, level))


@lru_cache(maxsize=_KEPT)
def _critical(pairs: int, level: float) -> Floats:
    """By number of disagreements, how many must favour one side in the two-sided sign test."""
    count, fewer = np.arange(pairs + 1), np.full(pairs + 1, -1.0)
    while (more := (fewer < count) & (scipy.special.bdtr(fewer + 1, count, 0.5) <= level / 2)).any():
        fewer += more
    return np.asarray(count - fewer, np.float64)


def _exact(pairs: int, disagree: int, critical: Floats) -> float | None:
    """The smallest difference that is found with 80 % power among so many independent pairs.

    Args:
        pairs: of verdicts.
        disagree: those on which the two disagree.
        critical: by number of disagreements, how many must favour one side to show that it is better.
    """
    count = np.arange(pairs + 1)
    special = scipy.special
    ways = special.gammaln(pairs + 1) - special.gammaln(count + 1) - special.gammaln(pairs - count + 1)

    def power(difference: float) -> float:
        share = min(max(disagree / pairs, difference), 1 - 1e-12)
        likely = np.exp(ways + count * math.log(share) + (pairs - count) * math.log1p(-share))
        favour = (share + min(difference, share)) / (2 * share)
        tail = special.bdtrc(np.minimum(critical, count) - 1, count, favour)
        shows = np.where(critical <= count, tail, 0.0)
        return total(likely * shows)

    low, high = 0.0, 1.0
    if power(high) < POWER:
        return None
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if power(middle) > POWER else (middle, high)
    return high


def _by_normal(of: Paired, where: Layout, weights: Floats) -> float | None:
    """The smallest difference whose interval excludes 0, and 0.84 of its standard errors.

    weights: they sum to 1.
    """
    part = np.flatnonzero(weights)
    weight, size, squares = weights[part], where.sizes[part], of.squares[part]
    equal = of.equal
    if np.isinf(equal.covariance[part, part]).any():
        return None
    correlations = correlation(equal.covariance, where)[np.ix_(part, part)]
    effect = np.where(np.isnan(equal.effect), where.sizes / where.kish, equal.effect)[part]
    # What each category gains if every cluster favours the first model.
    side = np.sign((weight[:, None] / size[:, None] * of.by_cluster[part]).sum(axis=0))
    most = (of.by_cluster[part] * side).sum(axis=1) / size
    largest = total(weight * most)

    def planted(difference: float) -> tuple[Floats, Floats]:
        """The means, and mean squares, of differences with this sum: more disagree where they must."""
        more = max(0.0, difference - largest)
        share = min(1.0, difference / largest) if largest else 0.0
        return np.clip(most * share + more, -1.0, 1.0), np.minimum(1.0, squares + more)

    def to_limit(difference: float) -> float:
        mean, square = planted(difference)
        low = paired_bounds(mean * size, square * size, size, equal.effective[part])[0]
        return min(1.0, length(weight * (mean - low), correlations))

    def found_at(difference: float) -> float:
        mean, square = planted(difference)
        variances = np.maximum(square - mean**2, 0.0) * effect / size
        return min(1.0, least + Z_80 * length(weight * np.sqrt(variances), correlations))

    least = _fixed(to_limit)
    found = _fixed(found_at)
    return found if found < 1 else None


def _fixed(function: Callable[[float], float]) -> float:
    """The number from 0 to 1 that a function with a small slope maps to itself."""
    found = 0.0
    for _ in range(_STEPS):
        before, found = found, function(found)
        if abs(found - before) < _CLOSE:
            break
    return found
