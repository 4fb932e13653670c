"""Paired comparisons, against statsmodels and scipy and against planted cases."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import binomtest
from statsmodels.stats.contingency_tables import mcnemar as reference_mcnemar
from statsmodels.stats.multitest import multipletests

from bfcl_pipeline.scoring.statistics.clustered import Limits, layout
from bfcl_pipeline.scoring.statistics.paired import (
    composite_difference,
    difference_limits,
    holm,
    mcnemar,
    paired,
)


@given(st.integers(0, 3000), st.floats(-5, 5))
def test_mcnemar_equals_scipy(total: int, deviation: float) -> None:
    """The p-value is that of the exact two-sided binomial test, also of thousands of disagreements."""
    only_first = min(total, max(0, round(total / 2 + deviation * total**0.5 / 2)))
    expected = binomtest(only_first, total).pvalue if total else 1.0
    assert mcnemar(only_first, total - only_first) == pytest.approx(expected, rel=1e-9, abs=0)


@pytest.mark.parametrize(
    ("only_first", "only_second"), [(0, 0), (1, 0), (0, 6), (5, 9), (40, 40), (10, 87)]
)
def test_mcnemar_equals_statsmodels(only_first: int, only_second: int) -> None:
    """The p-value is that of the exact test on the table of both models."""
    expected = reference_mcnemar([[30, only_first], [only_second, 20]], exact=True).pvalue
    assert mcnemar(only_first, only_second) == pytest.approx(expected, rel=1e-9, abs=0)


@given(st.lists(st.floats(0, 1) | st.floats(0, 0.04), min_size=1, max_size=25))
@example([0.01, 0.04, 0.03, 0.01, 0.2, 0.011])
def test_holm_equals_statsmodels(p_values: list[float]) -> None:
    """The adjusted p-values are those of the reference, in the same order."""
    expected = multipletests(p_values, method="holm")[1]
    assert holm(p_values) == pytest.approx(list(expected), rel=1e-9, abs=0)


def test_holm_of_nothing_is_nothing() -> None:
    """Without tests there is nothing to adjust."""
    assert holm([]) == []


def test_the_variance_of_a_difference_equals_statsmodels() -> None:
    """It is the cluster-robust variance of a regression of the differences on a constant."""
    random = np.random.default_rng(2)
    first, second = random.random((2, 400)) < 0.6
    cluster = np.append(np.arange(90), random.geometric(0.05, size=310) % 90)
    found = paired(first, second, layout(np.zeros(400, int), cluster))
    difference = first.astype(float) - second.astype(float)
    fit = sm.OLS(difference, np.ones(400)).fit(
        cov_type="cluster", cov_kwds={"groups": cluster, "use_correction": True}
    )
    assert found.of.covariance[0, 0] == pytest.approx(fit.cov_params()[0, 0], rel=1e-9)
    assert found.of.mean[0] == pytest.approx(fit.params[0], abs=1e-12)


def test_disagreements_are_counted_by_category() -> None:
    """Each category has the number of entries that only one of the models has right."""
    first = np.array([1, 1, 0, 0, 1, 1], bool)
    second = np.array([1, 0, 1, 0, 0, 0], bool)
    found = paired(first, second, layout([0, 0, 0, 1, 1, 1], range(6)))
    assert found.only_first.tolist() == [1, 2]
    assert found.only_second.tolist() == [1, 0]
    assert found.of.mean == pytest.approx([0, 2 / 3])
    assert found.clusters_p == [mcnemar(1, 1), mcnemar(2, 0)]


def test_a_cluster_counts_once_in_the_sign_test() -> None:
    """Ten entries about one function doc that flip together are one disagreement."""
    first, second = np.ones(10, bool), np.zeros(10, bool)
    assert paired(first, second, layout([0] * 10, [0] * 10)).clusters_p == [1.0]
    assert paired(first, second, layout([0] * 10, range(10))).clusters_p == [mcnemar(10, 0)]


def test_the_interval_is_the_adjusted_one_of_bonett_and_price() -> None:
    """With 3 and 9 disagreements among 40 pairs: estimate -6/42, error sqrt((14/42 - (6/42)^2) / 42)."""
    estimate, error = -6 / 42, ((14 / 42 - (6 / 42) ** 2) / 42) ** 0.5
    found = difference_limits(3, 9, 40, 40)
    half = 1.959963984540054 * error
    assert (found.low, found.high) == pytest.approx((estimate - half, estimate + half), abs=1e-12)


def test_models_that_agree_on_everything_may_still_differ() -> None:
    """Without a disagreement the interval has a width, and it shrinks with the number of entries."""
    few, many = difference_limits(0, 0, 10, 10), difference_limits(0, 0, 1000, 1000)
    assert few.low == -few.high < 0
    assert many.high < 0.005 < few.high


def test_without_pairs_the_interval_is_the_whole_range() -> None:
    """No pair says nothing."""
    assert difference_limits(0, 0, 0, 0) == Limits(-1.0, 1.0)


@given(st.integers(0, 50), st.integers(0, 50), st.integers(0, 100), st.floats(0.1, 1))
def test_the_interval_holds_the_difference(up: int, down: int, agree: int, shrink: float) -> None:
    """It contains the observed difference and stays within -1 and 1; swapping the models mirrors it."""
    pairs = up + down + agree
    if not pairs:
        return
    found = difference_limits(up, down, pairs, pairs * shrink)
    mirrored = difference_limits(down, up, pairs, pairs * shrink)
    assert -1 <= found.low <= (up - down) / pairs <= found.high <= 1
    assert (mirrored.low, mirrored.high) == pytest.approx((-found.high, -found.low))


def test_shared_scenarios_widen_the_difference_of_a_composite() -> None:
    """If the variants of a scenario flip together, their mean is as uncertain as one variant."""
    random = np.random.default_rng(3)
    first, second = random.random((2, 200)) < 0.5
    both = np.tile(first, 2), np.tile(second, 2)
    shared = paired(*both, layout(np.repeat([0, 1], 200), np.tile(np.arange(200), 2)))
    apart = paired(*both, layout(np.repeat([0, 1], 200), range(400)))
    halves = np.array([0.5, 0.5])
    wide, narrow = composite_difference(shared, halves), composite_difference(apart, halves)
    assert (wide.low, wide.high) == pytest.approx((shared.limits[0].low, shared.limits[0].high))
    assert (narrow.high - narrow.low) == pytest.approx((wide.high - wide.low) / 2**0.5)
