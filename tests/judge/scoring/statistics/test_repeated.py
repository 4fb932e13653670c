"""Means over trials and pass^k, against enumeration of all outcomes and of all subsets of trials."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bfcl_pipeline.judge.scoring.statistics.clustered import accuracy_limits, layout, means
from bfcl_pipeline.judge.scoring.statistics.repeated import (
    Repeated,
    all_right,
    all_right_of,
    any_right,
    mean_of,
    score,
)

ONE = np.ones(1)
"""The weights of a score of one category."""


def repeated(marks: object, draw: object = None, cluster: object = None) -> Repeated:
    """Verdicts on one category; without more said, entries are independent."""
    values = np.asarray(marks, np.float64)
    each = np.arange(len(values))
    where = layout(np.zeros(len(values), np.int64), each if cluster is None else np.asarray(cluster))
    return Repeated(values, where, each if draw is None else np.asarray(draw))


@pytest.mark.parametrize(("one_of", "estimate"), [(all, all_right), (any, any_right)])
@given(st.lists(st.booleans(), min_size=1, max_size=7), st.integers(1, 7))
def test_estimates_are_shares_of_subsets_of_trials(
    one_of: Callable[[tuple[bool, ...]], bool],
    estimate: Callable[..., np.ndarray],
    trials: list[bool],
    k: int,
) -> None:
    """pass^k and pass@k are the shares of the subsets of k trials of which all, or any, are right."""
    found = estimate(np.array([sum(trials)]), np.array([len(trials)]), k)[0]
    if k > len(trials):
        assert math.isnan(found)
        return
    subsets = list(itertools.combinations(trials, k))
    assert found == pytest.approx(sum(map(one_of, subsets)) / len(subsets), abs=1e-12)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_the_estimate_of_all_right_is_unbiased(k: int) -> None:
    """Over all outcomes of three trials with 0.7 probability of success its mean is 0.7^k."""
    total = sum(
        0.7**right * 0.3 ** (3 - right) * all_right(np.array([right]), np.array([3]), k)[0] * ways
        for right, ways in enumerate((1, 3, 3, 1))
    )
    assert total == pytest.approx(0.7**k, abs=1e-12)


def outcomes(chances: tuple[float, ...], trials: int) -> Iterator[tuple[float, np.ndarray]]:
    """Every outcome of trials of entries with these chances of success, and its probability."""
    for bits in itertools.product((0, 1), repeat=len(chances) * trials):
        marks = np.array(bits, np.float64).reshape(len(chances), trials)
        chance = np.array(chances)[:, None]
        yield float(np.prod(np.where(marks == 1, chance, 1 - chance))), marks


def test_the_variance_of_trials_is_unbiased() -> None:
    """Over all outcomes its mean is that of p (1 - p) over entries, per verdict and per entry."""
    chances = (0.9, 0.5, 0.2)
    found = sum(
        probability * mean_of(repeated(marks)).within[0] for probability, marks in outcomes(chances, 3)
    )
    assert found == pytest.approx(sum(p * (1 - p) for p in chances) / 3 / 9, abs=1e-12)


def test_entries_that_share_a_draw_vary_together() -> None:
    """Two entries that are right in the same trials have twice the variance that independent ones have."""
    marks = [[1, 0, 1], [1, 0, 1]]
    apart, together = mean_of(repeated(marks)), mean_of(repeated(marks, draw=[0, 0]))
    assert together.within[0] == pytest.approx(2 * apart.within[0], abs=1e-12)
    as_one = mean_of(repeated([[1, 0, 1]]))
    assert together.within[0] == pytest.approx(as_one.within[0], abs=1e-12)
    wider = [score(of, ONE).limits for of in (apart, together)]
    assert wider[1].high - wider[1].low > wider[0].high - wider[0].low


def test_the_variance_of_one_draw_is_that_over_its_means() -> None:
    """It is the sample variance of the trials' means over the number of trials."""
    marks = np.array([[1, 0, 1, 1], [1, 0, 0, 1], [1, 1, 0, 1]], np.float64)
    found = mean_of(repeated(marks, draw=[0, 0, 0])).within[0]
    assert found == pytest.approx(marks.mean(axis=0).var(ddof=1) / 4, abs=1e-12)


def test_equal_trials_have_the_interval_of_one() -> None:
    """A model that answers the same each time teaches nothing new, also with clusters, also at 0 and 1."""
    cluster = np.arange(60) // 3
    for verdicts in (np.arange(60) % 7 < 4, np.ones(60, bool), np.zeros(60, bool)):
        once = accuracy_limits(means(verdicts.astype(float), layout(np.zeros(60, int), cluster)))[0]
        found = score(mean_of(repeated(np.repeat(verdicts[:, None], 3, axis=1), cluster=cluster)), ONE)
        assert (found.limits.low, found.limits.high) == pytest.approx((once.low, once.high), abs=1e-12)
        assert found.within == 0


def test_trials_that_differ_narrow_the_interval() -> None:
    """Where every entry is a toss-up, four trials of it are worth nearly four entries."""
    random = np.random.default_rng(3)
    tosses = (random.random((400, 4)) < 0.5).astype(np.float64)
    one, four = (score(mean_of(repeated(marks)), ONE) for marks in (tosses[:, :1], tosses))
    shrunk = (four.limits.high - four.limits.low) / (one.limits.high - one.limits.low)
    assert 0.5 <= shrunk < 0.6
    assert four.within == pytest.approx(0.5 / math.sqrt(1600), rel=0.1)
    assert one.within is None  # one trial does not show it
    assert four.between is not None
    assert four.between < 0.5 * four.within


def test_both_parts_add_up_to_the_cluster_robust_variance() -> None:
    """The squares of between and within sum to the variance of the entries' means."""
    random = np.random.default_rng(4)
    chance = np.repeat(random.random(50), 2)
    marks = (random.random((100, 3)) < chance[:, None]).astype(np.float64)
    verdicts = repeated(marks, cluster=np.arange(100) // 2)
    found = score(mean_of(verdicts), ONE)
    assert found.between is not None
    assert found.within is not None
    expected = means(marks.mean(axis=1), verdicts.where).covariance[0, 0]
    assert found.between**2 + found.within**2 == pytest.approx(expected, abs=1e-12)


def test_entries_without_some_verdicts_count_with_those_they_have() -> None:
    """An entry with one verdict counts as an entry; its variance is taken from the others."""
    marks = [[1, 0], [1, 1], [0, math.nan]]
    found = mean_of(repeated(marks))
    assert found.mean[0] == pytest.approx((0.5 + 1 + 0) / 3)
    assert found.within[0] == pytest.approx((0.5 / 2 + 0 + 0.25 / 1) / 9)


def test_one_cluster_says_nothing_about_others() -> None:
    """The error from the choice of entries is not known, and the interval that of one entry."""
    found = score(mean_of(repeated([[1, 0], [0, 1]], cluster=[0, 0])), ONE)
    assert found.between is None
    assert found.limits.high - found.limits.low > 0.7


@pytest.mark.parametrize("power", [1, 3])
def test_intervals_hold_the_truth(power: int) -> None:
    """In 600 simulated runs of 150 entries in clusters of 3 with 3 trials, 92 to 98 % of intervals do."""
    random = np.random.default_rng(5)
    cluster = np.arange(150) // 3
    truth = math.prod((0.5 + step) / (0.8 + step) for step in range(power))  # moments of Beta(0.5, 0.3)
    held = 0
    for _ in range(600):
        chance = random.beta(0.5, 0.3, 50)[cluster]
        marks = (random.random((150, 3)) < chance[:, None]).astype(np.float64)
        limits = score(all_right_of(repeated(marks, cluster=cluster), power), ONE).limits
        held += limits.low <= truth <= limits.high
    assert 0.92 <= held / 600 <= 0.98


def test_a_composite_weighs_its_categories() -> None:
    """Mean and errors of a score of two independent categories follow from those of its parts."""
    random = np.random.default_rng(6)
    marks = (random.random((80, 3)) < np.where(np.arange(80) < 40, 0.8, 0.4)[:, None]).astype(np.float64)
    both = Repeated(marks, layout(np.arange(80) // 40, np.arange(80)), np.arange(80))
    of = mean_of(both)
    parts = [score(of, weights) for weights in np.eye(2)]
    whole = score(of, np.array([0.25, 0.75]))
    assert whole.mean == pytest.approx(0.25 * parts[0].mean + 0.75 * parts[1].mean)
    for name in ("between", "within"):
        squares = [getattr(part, name) ** 2 for part in parts]
        expected = 0.25**2 * squares[0] + 0.75**2 * squares[1]
        assert getattr(whole, name) ** 2 == pytest.approx(expected, abs=1e-12)
    assert whole.limits.low < whole.mean < whole.limits.high
