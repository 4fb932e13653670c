"""Samples: their division among categories, and the smallest one that is precise enough."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from bfcl_pipeline.benchmark.config import SampleBy, by_weight, load_run
from bfcl_pipeline.benchmark.definition.scatter import Scatter, assumed_scatter
from bfcl_pipeline.show.planning.plan import (
    Goal,
    config_of,
    half_width,
    make_plan,
    shares_of,
    smallest,
    whole,
)
from tests.benchmark.config.test_run_config import CONFIG, ROWS

OVERALL = shares_of("overall")


def test_a_thousand_entries_by_weight_are_worth_far_more() -> None:
    """As on the published table for independent entries: ±4.5 in proportion, ±2.8 by weight."""
    independent = Scatter(assumed_scatter(False).variance, {})
    assert smallest(OVERALL, independent, 0.0285, SampleBy.WEIGHT).total == pytest.approx(1000, abs=15)
    assert smallest(OVERALL, independent, 0.045, SampleBy.SIZE).total == pytest.approx(1000, abs=15)


@pytest.mark.parametrize("by", SampleBy)
@pytest.mark.parametrize("score", ["overall", "live", "memory", "multiple"])
def test_the_smallest_sample_is_the_smallest(by: SampleBy, score: str) -> None:
    """It is precise enough, and one of one entry less is not."""
    shares, scatter = shares_of(score), assumed_scatter(False)
    found = smallest(shares, scatter, 0.08, by)
    assert found.half_width <= 0.08
    if by is SampleBy.WEIGHT:
        less = by_weight(shares, found.total - 1)
        assert half_width(shares, scatter, less) > 0.08


def test_what_all_entries_cannot_show_no_sample_shows() -> None:
    """None, just below the width of all entries; all entries, just above it."""
    scatter = assumed_scatter(False)
    width = whole(OVERALL, scatter).half_width
    for by in SampleBy:
        assert smallest(OVERALL, scatter, width - 1e-9, by) is None
        assert smallest(OVERALL, scatter, width + 1e-9, by).total <= 5090


@pytest.mark.parametrize(
    "score", ["overall", "live", "multi_turn", "simple_ast", "irrelevance_all", "memory_kv"]
)
@pytest.mark.parametrize("difference", [False, True])
def test_the_printed_config_draws_the_planned_sample(score: str, difference: bool) -> None:
    """A run with these keys asks as many entries of each category as the plan says."""
    plan = make_plan(Goal(score, 0.09, difference), assumed_scatter(difference))
    for by in SampleBy:
        changes: dict[str, Any] = yaml.safe_load(yaml.safe_dump(config_of(plan, by)))
        (job,) = load_run({**CONFIG, "models": ["oracle"], **changes}, ROWS).jobs
        drawn = {name: count for name, count in job.selection.sample.items() if name in plan.shares}
        assert drawn == plan.samples[by].entries
