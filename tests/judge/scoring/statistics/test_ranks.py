"""Rank intervals, groups and paired errors of many models, against the comparison of two."""

from __future__ import annotations

import math
import os
import subprocess
import sys

import numpy as np
import pytest

from benchmarks.rank_coverage import Design, simulate
from bfcl_pipeline.judge.scoring.statistics.clustered import Layout, composite_error, layout
from bfcl_pipeline.judge.scoring.statistics.normal import Z_95
from bfcl_pipeline.judge.scoring.statistics.paired import compare_paired, holm
from bfcl_pipeline.judge.scoring.statistics.ranks import (
    RankInterval,
    groups,
    pairs,
    rank_intervals,
    shown_better,
)


def drawn(models: int, seed: int = 0) -> tuple[np.ndarray, Layout, np.ndarray]:
    """Verdicts of models on three categories, of which two share clusters, and weights."""
    random = np.random.default_rng(seed)
    category = np.repeat([0, 1, 2], [120, 120, 90])
    cluster = np.concatenate([np.arange(120) % 40, np.arange(120) % 40, 40 + np.arange(90) % 45])
    hard = random.normal(size=85)[cluster]
    verdicts = (random.normal(size=(models, 330)) + hard > -0.2).astype(np.float64)
    return verdicts, layout(category, cluster), np.tile([0.5, 0.3, 0.2], (models, 1))


def of_one_category(*rows: list[int]) -> tuple[np.ndarray, Layout, np.ndarray]:
    """Verdicts on one category of independent entries."""
    entries = len(rows[0])
    return (
        np.array(rows, np.float64),
        layout([0] * entries, range(entries)),
        np.ones((len(rows), 1)),
    )


def test_differences_and_errors_of_all_pairs_equal_those_of_two_models() -> None:
    """The difference is over the paired, clustered error of `compare`, or a larger one."""
    verdicts, where, weights = drawn(4)
    of = pairs(verdicts, where, weights)
    for first in range(4):
        for second in range(first):
            alone = compare_paired(verdicts[first] > 0, verdicts[second] > 0, where)
            assert of.difference[first, second] == pytest.approx(weights[0] @ alone.of.mean, abs=1e-12)
            shares = (weights[0] / where.sizes)[where.category]
            added = np.bincount(where.cluster, (verdicts[first] - verdicts[second]) * shares)
            error = max(composite_error(alone.of, weights[0]), (added**2).sum() ** 0.5)
            assert of.z[first, second] == pytest.approx(of.difference[first, second] / error, abs=1e-12)


def test_on_independent_entries_it_is_the_test_of_mcnemar() -> None:
    """One category: z is the difference of the two kinds of disagreements over the root of their sum."""
    of = pairs(*of_one_category([1] * 9 + [0] * 11, [0] * 6 + [1] * 5 + [0] * 9))
    assert of.z[0, 1] == pytest.approx((6 - 2) / math.sqrt(8))
    assert of.z[1, 0] == -of.z[0, 1]


def test_equal_verdicts_cannot_be_told_apart() -> None:
    """The difference and its test are 0."""
    verdicts, where, weights = drawn(1)
    of = pairs(np.repeat(verdicts, 3, axis=0), where, np.repeat(weights, 3, axis=0))
    assert not of.z.any()
    assert not shown_better(of).any()


@pytest.mark.parametrize("entries", [1, 4, 400])
def test_one_cluster_shows_nothing(entries: int) -> None:
    """However many entries a cluster has, a model that is right on all is not shown to be better."""
    where = layout([0] * entries, [0] * entries)
    of = pairs(np.array([[1.0] * entries, [0.0] * entries]), where, np.ones((2, 1)))
    assert abs(of.z[0, 1]) <= 1
    assert not shown_better(of).any()


def test_two_models_are_compared_as_by_one_interval() -> None:
    """With two models, one is better if z exceeds 1.96, and the interval of `compare` does not object."""
    for right in range(20):
        verdicts, where, weights = of_one_category([1] * 20, [0] * right + [1] * (20 - right))
        of = pairs(verdicts, where, weights)
        assert shown_better(of)[0, 1] == (of.z[0, 1] > Z_95)
        assert not shown_better(of)[1, 0]
        assert not shown_better(of, lambda first, second: False)[0, 1]


def test_statements_are_corrected_for_all_pairs_and_directions() -> None:
    """They are those that all one-sided tests reject with the correction of Holm."""
    verdicts, where, weights = drawn(6, seed=3)
    verdicts[:2, ::5] = 1
    of = pairs(verdicts, where, weights)
    first, second = np.nonzero(~np.eye(6, dtype=bool))
    p_values = [0.5 * math.erfc(z / math.sqrt(2)) for z in of.z[first, second]]
    rejected = np.array(holm(p_values)) <= 0.05
    better = shown_better(of)
    assert list(better[first, second]) == list(rejected)
    assert 0 < better.sum() < 15


def test_an_entry_without_a_verdict_counts_nothing() -> None:
    """The score is over the judged entries; a category without any adds 0 to it."""
    verdicts, where, weights = drawn(2)
    verdicts[0, 7] = math.nan
    verdicts[1, where.category == 2] = math.nan
    means = [np.nanmean(np.where(where.category == number, verdicts, math.nan), 1) for number in (0, 1)]
    third = np.nanmean(verdicts[0, where.category == 2])
    expected = 0.5 * (means[0][0] - means[0][1]) + 0.3 * (means[1][0] - means[1][1]) + 0.2 * third
    assert pairs(verdicts, where, weights).difference[0, 1] == pytest.approx(expected, abs=1e-12)


def test_intervals_and_groups_follow_from_the_statements() -> None:
    """A group begins at the first model that is shown to be worse than the first of the group before.

    The fourth model begins a group although nothing separates it from the third.
    """
    better = np.zeros((5, 5), dtype=np.bool_)
    better[0, 3] = better[0, 4] = better[1, 4] = True
    assert rank_intervals(better) == [
        RankInterval(1, 3),
        RankInterval(1, 4),
        RankInterval(1, 5),
        RankInterval(2, 5),
        RankInterval(3, 5),
    ]
    assert groups(better) == [1, 1, 1, 2, 2]


def planted(levels: list[float]) -> Design:
    """Models on two categories of 60 clusters with four entries each, which they share."""
    cluster = np.tile(np.repeat(np.arange(60), 4), 2)
    where = layout(np.repeat([0, 1], 240), cluster)
    return Design(where, np.array([0.7, 0.3]), np.repeat(np.array(levels)[:, None], 2, axis=1))


@pytest.mark.parametrize("levels", [[0.3] * 6, [0.6, 0.6, 0.5, 0.1, 0.1, 0.0]])
def test_the_intervals_of_all_models_hold_the_true_ranks(levels: list[float]) -> None:
    """In at least 95 % of the draws no interval misses, which fails if clusters are not accounted for."""
    found = simulate(planted(levels), 400)
    assert found.all_true / found.draws >= 0.95


def test_without_clusters_the_intervals_would_miss() -> None:
    """Entries of a cluster agree in these draws, so the same test of entries makes false statements."""
    found = simulate(planted([0.3] * 6), 400, clusters=False)
    assert found.all_true / found.draws < 0.9


def test_large_differences_are_shown() -> None:
    """Models whose true scores differ by 20 points or more are nearly always told apart."""
    found = simulate(planted([1.2, 0.5, -0.2]), 100)
    assert found.shown / found.draws > 0.95
    assert found.width / found.draws < 0.2


_PRINT_ERRORS = """
import hashlib
import numpy as np
from bfcl_pipeline.judge.scoring.statistics.clustered import layout
from bfcl_pipeline.judge.scoring.statistics.ranks import pairs
random = np.random.default_rng(0)
verdicts = (random.random((64, 2000)) < random.random((64, 1))).astype(np.float64)
of = pairs(verdicts, layout([0] * 2000, range(2000)), np.ones((64, 1)))
print(hashlib.sha256(of.z.tobytes()).hexdigest())
"""


def test_errors_do_not_depend_on_the_processor() -> None:
    """They have the same bits if products of matrices are computed as on an old processor."""
    printed = {
        subprocess.run(
            [sys.executable, "-c", _PRINT_ERRORS],
            env={**os.environ, **chosen},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for chosen in ({}, {"OPENBLAS_CORETYPE": "Prescott"})
    }
    assert len(printed) == 1
