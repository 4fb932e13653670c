"""How verdicts scatter: the deviation of a sample, against the clustered statistics and against draws."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bfcl_pipeline.benchmark.definition.scatter import Scatter, assumed_scatter
from bfcl_pipeline.judge.scoring.statistics.clustered import (
    accuracy_limits,
    composite_limits,
    correlation,
    layout,
    means,
)
from bfcl_pipeline.show.planning.plan import half_width, shares_of, whole
from tests.support.scatter import EntryValue, measure_scatter

SHARES = {"multi_turn_base": 0.5, "multi_turn_miss_func": 0.3, "live_simple": 0.2}
SIZES = {"multi_turn_base": 60, "multi_turn_miss_func": 60, "live_simple": 90}


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
    found = measure_scatter(outcomes)
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
        stated.append(measure_scatter(outcomes).deviation(SHARES, sample) ** 2)
    assert np.std(scores) == pytest.approx(math.sqrt(np.mean(stated)), rel=0.1)


def test_the_planned_width_is_the_one_that_a_run_states() -> None:
    """Of planted verdicts; of four categories that share clusters and in which everything is wrong."""
    outcomes = planted(0)
    names = ["multi_turn_base", "multi_turn_miss_func", "multi_turn_miss_param", "multi_turn_long_context"]
    wrong = [EntryValue(name, str(number), 0.0) for name in names for number in range(50)]
    for values, shares in ((outcomes, SHARES), (wrong, dict.fromkeys(names, 0.25))):
        categories, clusters = list(shares), sorted({one.cluster for one in values})
        where = layout(
            [categories.index(one.category) for one in values],
            [clusters.index(one.cluster) for one in values],
        )
        of = means(np.array([one.value for one in values]), where)
        limits = composite_limits(
            of.mean, accuracy_limits(of), np.array(list(shares.values())), correlation(of.covariance, where)
        )
        entries = dict(zip(categories, map(int, where.sizes), strict=True))
        planned = half_width(shares, measure_scatter(values), entries)
        assert planned == pytest.approx((limits.high - limits.low) / 2, rel=0.05)


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
