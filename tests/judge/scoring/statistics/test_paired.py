"""Paired comparisons, against planted cases."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bfcl_pipeline.judge.scoring.statistics.clustered import Limits, layout
from bfcl_pipeline.judge.scoring.statistics.paired import (
    compare_paired,
    composite_difference,
    difference_limits,
    holm,
    mcnemar,
)


def test_holm_of_nothing_is_nothing() -> None:
    """Without tests there is nothing to adjust."""
    assert holm([]) == []


def test_disagreements_are_counted_by_category() -> None:
    """Each category has the number of entries that only one of the models has right."""
    first = np.array([1, 1, 0, 0, 1, 1], bool)
    second = np.array([1, 0, 1, 0, 0, 0], bool)
    found = compare_paired(first, second, layout([0, 0, 0, 1, 1, 1], range(6)))
    assert found.only_first.tolist() == [1, 2]
    assert found.only_second.tolist() == [1, 0]
    assert found.of.mean == pytest.approx([0, 2 / 3])
    assert found.clusters_p == [mcnemar(1, 1), mcnemar(2, 0)]


def test_a_cluster_counts_once_in_the_sign_test() -> None:
    """Ten entries about one function doc that flip together are one disagreement."""
    first, second = np.ones(10, bool), np.zeros(10, bool)
    assert compare_paired(first, second, layout([0] * 10, [0] * 10)).clusters_p == [1.0]
    assert compare_paired(first, second, layout([0] * 10, range(10))).clusters_p == [mcnemar(10, 0)]


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
    shared = compare_paired(*both, layout(np.repeat([0, 1], 200), np.tile(np.arange(200), 2)))
    apart = compare_paired(*both, layout(np.repeat([0, 1], 200), range(400)))
    halves = np.array([0.5, 0.5])
    wide, narrow = composite_difference(shared, halves), composite_difference(apart, halves)
    assert (wide.low, wide.high) == pytest.approx((shared.limits[0].low, shared.limits[0].high))
    assert (narrow.high - narrow.low) == pytest.approx((wide.high - wide.low) / 2**0.5)
