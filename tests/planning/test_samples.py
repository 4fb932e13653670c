"""Samples: their division among categories, and the smallest one that is precise enough."""

from __future__ import annotations

from itertools import product

import pytest

from bfcl_pipeline.benchmark import CATEGORIES
from bfcl_pipeline.planning import Method, Scatter, assumed, by_weight, shares_of, smallest, whole

OVERALL = shares_of("overall")


def test_by_weight_is_the_best_division() -> None:
    """No other division of eight entries has a smaller variance."""
    shares = {"multiple": 0.6, "simple_java": 0.3, "parallel": 0.1}
    scatter = Scatter(
        {"multiple": 0.25, "simple_java": 0.09, "parallel": 0.16}, {("multiple", "multiple"): 0.01}
    )
    found = scatter.deviation(shares, by_weight(shares, scatter, 8))
    others = [
        dict(zip(shares, counts, strict=True))
        for counts in product(range(1, 7), repeat=3)
        if sum(counts) == 8
    ]
    assert found == min(scatter.deviation(shares, counts) for counts in others)


def test_a_larger_sample_contains_the_smaller_ones() -> None:
    """No category has fewer entries when the total grows, and none more than the release has."""
    before = dict.fromkeys(OVERALL, 0)
    for total in (*range(0, 300, 7), *range(300, 5200, 211), 6000):
        counts = by_weight(OVERALL, assumed(False), total)
        assert sum(counts.values()) == min(total, 5090)
        assert all(before[name] <= counts[name] <= CATEGORIES[name].entries for name in OVERALL)
        before = counts


def test_a_thousand_entries_by_weight_are_worth_far_more() -> None:
    """As on the published table for independent entries: ±4.5 in proportion, ±2.8 by weight."""
    independent = Scatter(assumed(False).variance, {})
    assert smallest(OVERALL, independent, 0.0285, Method.WEIGHT).total == pytest.approx(1000, abs=15)
    assert smallest(OVERALL, independent, 0.045, Method.PROPORTIONAL).total == pytest.approx(1000, abs=15)


@pytest.mark.parametrize("method", Method)
@pytest.mark.parametrize("score", ["overall", "live", "memory", "multiple"])
def test_the_smallest_sample_is_the_smallest(method: Method, score: str) -> None:
    """It is precise enough, and one of one entry less is not."""
    shares, scatter = shares_of(score), assumed(False)
    found = smallest(shares, scatter, 0.08, method)
    assert found.half_width <= 0.08
    if method is Method.WEIGHT:
        less = by_weight(shares, scatter, found.total - 1)
        assert 1.96 * scatter.deviation(shares, less) > 0.08


def test_what_all_entries_cannot_show_no_sample_shows() -> None:
    """None, just below the width of all entries; all entries, just above it."""
    scatter = assumed(False)
    width = whole(OVERALL, scatter).half_width
    for method in Method:
        assert smallest(OVERALL, scatter, width - 1e-9, method) is None
        assert smallest(OVERALL, scatter, width + 1e-9, method).total <= 5090
