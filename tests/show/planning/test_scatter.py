"""How verdicts scatter: the deviation of a sample, against the clustered statistics and against draws."""

from __future__ import annotations

import math
from itertools import product
from typing import NamedTuple

import numpy as np
import pytest

from bfcl_pipeline.benchmark.definition.scatter import Scatter, assumed_scatter
from bfcl_pipeline.judge.scoring.statistics.clustered import layout, means
from bfcl_pipeline.show.planning.plan import shares_of, whole

SHARES = {"multi_turn_base": 0.5, "multi_turn_miss_func": 0.3, "live_simple": 0.2}
SIZES = {"multi_turn_base": 60, "multi_turn_miss_func": 60, "live_simple": 90}


class EntryValue(NamedTuple):
    """One entry with its verdict."""

    category: str
    cluster: str
    value: float


def measured(outcomes: list[EntryValue]) -> Scatter:
    """The variances of verdicts, and the mean covariances of two different entries."""
    clusters = {name: number for number, name in enumerate(sorted({one.cluster for one in outcomes}))}
    rest, sums = {}, {}
    for name in SHARES:
        rows = [one for one in outcomes if one.category == name]
        values = np.array([one.value for one in rows])
        rest[name] = values - values.mean()
        where = [clusters[one.cluster] for one in rows]
        sums[name] = np.bincount(where, rest[name], len(clusters))
    covariance = {}
    for one, two in product(SHARES, SHARES):
        same = rest[one] @ rest[one] if one == two else 0.0
        pairs = len(rest[one]) * (len(rest[two]) - (one == two))
        covariance[one, two] = float((sums[one] @ sums[two] - same) / pairs)
    return Scatter({name: float(values.var(ddof=1)) for name, values in rest.items()}, covariance)


def planted(seed: int) -> list[EntryValue]:
    """Verdicts with a common part: two variants of 60 scenarios, and 90 entries of 30 docs."""
    random = np.random.default_rng(seed)
    scenarios, docs = random.normal(size=60), random.normal(size=30)
    noise = iter(random.normal(size=1000))
    found = [
        EntryValue(name, f"scenario {number}", float(scenarios[number] + next(noise) > 0))
        for name in ("multi_turn_base", "multi_turn_miss_func")
        for number in range(60)
    ]
    return found + [
        EntryValue("live_simple", f"doc {number % 30}", float(docs[number % 30] + next(noise) > -0.5))
        for number in range(90)
    ]


@pytest.mark.parametrize("seed", range(3))
def test_all_entries_have_the_clustered_standard_error(seed: int) -> None:
    """For the entries themselves the deviation is the cluster-robust standard error."""
    outcomes = planted(seed)
    names, clusters = list(SHARES), sorted({one.cluster for one in outcomes})
    where = layout(
        [names.index(one.category) for one in outcomes], [clusters.index(one.cluster) for one in outcomes]
    )
    of = means(np.array([one.value for one in outcomes]), where)
    few = np.sqrt([60 / 59, 60 / 59, 30 / 29])  # this module has no correction for few clusters
    weights = np.array(list(SHARES.values())) / few
    expected = math.sqrt(weights @ of.covariance @ weights)
    found = measured(outcomes)
    independent = sum(  # nor divides by n - 1 what the clustered variance divides by n
        SHARES[name] ** 2 * found.variance[name] / SIZES[name] ** 2 for name in SHARES
    )
    assert found.deviation(SHARES, SIZES) ** 2 - independent == pytest.approx(expected**2, abs=1e-12)


def test_the_deviation_of_a_sample_is_that_of_drawn_samples() -> None:
    """Samples drawn by category from planted populations scatter as the formula says."""
    sample = {"multi_turn_base": 30, "multi_turn_miss_func": 12, "live_simple": 20}
    random = np.random.default_rng(1)
    scores, stated = [], []
    for seed in range(600):
        outcomes = planted(seed)
        score = 0.0
        for name, share in SHARES.items():
            values = np.array([one.value for one in outcomes if one.category == name])
            score += share * random.choice(values, sample[name], replace=False).mean()
        scores.append(score)
        stated.append(measured(outcomes).deviation(SHARES, sample) ** 2)
    assert np.std(scores) == pytest.approx(math.sqrt(np.mean(stated)), rel=0.1)


def test_no_entry_of_a_category_says_nothing_about_its_score() -> None:
    """The deviation is infinite."""
    assert (
        assumed_scatter(False).deviation({"multiple": 0.5, "parallel": 0.5}, {"multiple": 10}) == math.inf
    )


def test_the_assumed_scatter_gives_the_published_widths() -> None:
    """±2.0 points on the overall score for independent entries, ±2.7 with clusters; live ±2.8."""
    shares, usual = shares_of("overall"), assumed_scatter(False)
    clustered = whole(shares, usual)
    independent = Scatter(usual.variance, {}).deviation(shares, clustered.entries)
    assert 196 * independent == pytest.approx(2.0, abs=0.05)
    assert 100 * clustered.half_width == pytest.approx(2.7, abs=0.05)
    assert usual.design_effect("live_irrelevance", 884) == pytest.approx(3.4)
    assert usual.design_effect("live_irrelevance", 1) == 1
