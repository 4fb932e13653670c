"""Clustered accuracies and composites, against planted cases."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bfcl_pipeline.judge.scoring.statistics.clustered import (
    Limits,
    accuracy_limits,
    composite_error,
    composite_limits,
    correlation,
    layout,
    means,
    wilson,
)
from tests.judge.scoring.statistics.drawn_verdicts import drawn


def test_without_entries_wilson_is_the_whole_range() -> None:
    """No entry says nothing."""
    assert wilson(0.0, 0) == Limits(0.0, 1.0)


def test_entries_that_always_agree_count_as_their_clusters() -> None:
    """If all entries of a cluster have the same verdict, the design effect is about its size."""
    cluster = np.repeat(np.arange(100), 3)
    values = np.repeat((np.arange(100) % 4 == 0).astype(np.float64), 3)
    found = means(values, layout(np.zeros(300, int), cluster))
    assert found.effect[0] == pytest.approx(3 * (299 / 300) / (99 / 100))
    narrower = (1.967930 / 1.984217) ** 2  # quantiles of the t-distribution with 299 and 99 degrees
    assert found.effective[0] == pytest.approx(99.3 * narrower, abs=0.1)


@pytest.mark.parametrize("seed", range(4))
def test_the_degrees_of_freedom_are_those_of_the_quadratic_form(seed: int) -> None:
    """They equal (tr M)^2 / tr M^2, computed with the matrices of entries, for clusters of any sizes."""
    random = np.random.default_rng(seed)
    sizes = np.array([1, 1, 2, 3, 5, 9, 20])
    cluster = np.repeat(np.arange(len(sizes)), sizes)
    values = (random.random(len(cluster)) < 0.2 + 0.6 * (cluster % 2)).astype(np.float64)
    residuals, entries = values - values.mean(), len(values)
    sums = np.bincount(cluster, weights=residuals)
    pairs = (sizes**2 - sizes).sum() * residuals.var()
    rho = float(np.clip((sums @ sums - residuals @ residuals) / pairs, 0, 1))
    same = cluster[:, None] == cluster[None]
    covariance = np.where(same, rho, 0.0) + (1 - rho) * np.eye(entries)
    adding = (np.arange(len(sizes))[:, None] == cluster[None]) @ (np.eye(entries) - 1 / entries)
    form = adding.T @ adding @ covariance
    expected = np.trace(form) ** 2 / np.trace(form @ form)
    assert rho > 0
    found = means(values, layout(np.zeros(entries, int), cluster))
    assert found.degrees[0] == pytest.approx(expected, rel=1e-9)


def test_clusters_of_one_size_have_one_degree_of_freedom_less_than_their_number() -> None:
    """40 clusters of 5 entries have 39 degrees of freedom; 200 entries on their own have 199."""
    values, where = drawn(3, 1, 40, 200)
    assert means(values, where).degrees[0] == pytest.approx(39)
    alone = means(values, layout(np.zeros(200, int), range(200)))
    assert alone.degrees[0] == pytest.approx(199)
    assert (alone.effect[0], alone.effective[0]) == (1, pytest.approx(200))


def test_one_cluster_with_most_entries_widens_the_interval() -> None:
    """The variance then rests on few clusters, so the effective number is below entries / design effect."""
    cluster = np.concatenate([np.zeros(60, int), np.arange(1, 101)])
    values = np.concatenate([np.tile([1.0, 1, 0], 20), np.tile([1.0, 0], 50)])
    found = means(values, layout(np.zeros(160, int), cluster))
    assert 1 < found.degrees[0] < 20
    assert found.effective[0] < 0.95 * 160 / max(1.0, found.effect[0])


def test_a_perfect_category_counts_its_clusters() -> None:
    """Verdicts that do not vary have no design effect; entries of a cluster are then taken to agree."""
    found = means(np.ones(12), layout([0] * 12, np.repeat(np.arange(4), 3)))
    assert math.isnan(found.effect[0])
    assert found.effective[0] == pytest.approx(4)
    (limits,) = accuracy_limits(found)
    assert limits.high == 1
    assert limits.low == pytest.approx(wilson(1, 4).low)


def test_a_single_cluster_has_no_finite_error() -> None:
    """One cluster says nothing about others: it counts as one entry."""
    found = means(np.array([1.0, 0, 1]), layout([0] * 3, [0] * 3))
    assert math.isinf(found.covariance[0, 0])
    assert found.effective[0] == 1
    assert math.isinf(composite_error(found, np.ones(1)))


def test_categories_are_corrected_block_by_block() -> None:
    """Adding a category with clusters of its own changes nothing about the others."""
    values, where = drawn(1, 2, 20, 60)
    more = layout([*where.category, 2, 2, 2], [*where.cluster, 20, 21, 22])
    with_third = means(np.append(values, [1, 0, 1]), more)
    alone = means(values, where)
    np.testing.assert_allclose(with_third.covariance[:2, :2], alone.covariance, rtol=1e-12)
    assert not with_third.covariance[:2, 2].any()
    assert with_third.covariance[2, 2] == pytest.approx(np.var([1, 0, 1], ddof=1) / 3)


def test_a_chain_of_shared_clusters_is_one_block() -> None:
    """Two categories are one block if a third one shares clusters with each."""
    where = layout([0, 0, 1, 1, 2, 2], [0, 1, 1, 2, 2, 3])
    assert where.correction.tolist() == [4 / 3] * 4


def test_a_composite_of_large_independent_categories_has_the_usual_width() -> None:
    """Far from 0 and 1 the interval of a mean of independent accuracies is 1.96 standard errors."""
    random = np.random.default_rng(5)
    values = (random.random(20000) < 0.5).astype(np.float64)
    where = layout(np.repeat([0, 1], 10000), range(20000))
    found, weights = means(values, where), np.array([0.3, 0.7])
    limits = composite_limits(
        found.mean, accuracy_limits(found), weights, correlation(found.covariance, where)
    )
    error = composite_error(found, weights)
    total = float(weights @ found.mean)
    assert (limits.high - total) / error == pytest.approx(1.96, rel=1e-3)
    assert (total - limits.low) / error == pytest.approx(1.96, rel=1e-3)


def test_categories_that_always_agree_do_not_narrow_their_mean() -> None:
    """The mean of two categories with the same verdicts on the same clusters is as uncertain as either."""
    one = np.tile([1.0, 0, 1, 1, 0], 20)
    where = layout(np.repeat([0, 1], 100), np.tile(np.arange(100), 2))
    found = means(np.tile(one, 2), where)
    limits = composite_limits(
        found.mean, accuracy_limits(found), np.array([0.5, 0.5]), correlation(found.covariance, where)
    )
    assert (limits.low, limits.high) == pytest.approx((wilson(0.6, 100).low, wilson(0.6, 100).high))


@given(st.integers(0, 2**31), st.integers(1, 4), st.integers(1, 30), st.sampled_from([0.0, 0.5, 1.0]))
def test_intervals_contain_the_accuracy_and_stay_in_range(
    seed: int, categories: int, clusters: int, share: float
) -> None:
    """Whatever the clusters and the verdicts, each interval and that of the mean are within 0 and 1."""
    random = np.random.default_rng(seed)
    category = np.repeat(np.arange(categories), 30)
    _, cluster = np.unique(random.integers(0, clusters, len(category)), return_inverse=True)
    where = layout(category, cluster)
    found = means((random.random(len(category)) < share).astype(np.float64), where)
    limits = accuracy_limits(found)
    for mean, each in zip(found.mean, limits, strict=True):
        assert 0 <= each.low <= mean <= each.high <= 1
    whole = composite_limits(
        found.mean,
        limits,
        np.full(categories, 1 / categories),
        correlation(found.covariance, where),
    )
    assert -1e-9 <= whole.low <= found.mean.mean() + 1e-12
    assert found.mean.mean() - 1e-12 <= whole.high <= 1 + 1e-9


@pytest.mark.parametrize(("category", "cluster"), [([], []), ([0], [0, 1]), ([0, 2], [0, 1]), ([0], [1])])
def test_numbers_with_gaps_are_refused(category: list[int], cluster: list[int]) -> None:
    """A layout needs a category and a cluster for each entry, numbered without gaps."""
    with pytest.raises(ValueError, match="expected"):
        layout(category, cluster)
