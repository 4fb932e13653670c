"""The precision of scores: clustered intervals of categories and groups, and scenarios of memory."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.definition.leaderboard import LEADERBOARD, categories_of
from bfcl_pipeline.judge.scoring.aggregate import Count, leaderboard_scores
from bfcl_pipeline.judge.scoring.intervals import Precision, ScoredEntries, precisions
from bfcl_pipeline.judge.scoring.statistics.clustered import wilson

SCENARIOS = ("customer", "finance", "healthcare", "notetaker", "student")


def ids(category: str, number: int) -> list[str]:
    """So many ids in the form of the release; two questions on each function doc."""
    if category.startswith("live_"):
        return [f"{category}_{index}-{index // 2}-{index % 2}" for index in range(number)]
    if category.startswith("memory_"):
        backend = category.removeprefix("memory_")
        return [f"memory_{backend}_{n}-{SCENARIOS[n % 5]}-{n // 5}" for n in range(number)]
    return [f"{category}_{index}" for index in range(number)]


def found(marks: dict[str, list[bool]]) -> dict[str, Precision]:
    """The precision of the scores of verdicts by category."""
    entries = [(category, name) for category, own in marks.items() for name in ids(category, len(own))]
    scored = ScoredEntries(entries)
    valid = np.array([mark for own in marks.values() for mark in own])
    return precisions(valid, scored.scope(np.arange(len(valid))))


def test_entries_on_their_own_have_the_interval_of_wilson() -> None:
    """Categories whose entries share nothing are as precise as so many independent entries."""
    precision = found({"simple_python": [True] * 30 + [False] * 10})["simple_python"]
    limits = wilson(0.75, 40)
    assert (precision.low, precision.high) == pytest.approx((limits.low, limits.high), abs=1e-12)
    assert (precision.entries, precision.clusters, precision.design_effect) == (40, 40, 1.0)
    assert precision.effective_entries == pytest.approx(40)


def test_questions_about_one_function_doc_count_together() -> None:
    """If both questions on each doc have equal verdicts, the design effect is about 2."""
    pairs = [mark for number in range(100) for mark in [number % 4 > 0] * 2]
    precision = found({"live_multiple": pairs})["live_multiple"]
    assert (precision.entries, precision.clusters) == (200, 100)
    assert precision.design_effect == pytest.approx(2 * (199 / 200) / (99 / 100))
    limits = wilson(0.75, 100)
    assert precision.high - precision.low == pytest.approx(limits.high - limits.low, rel=0.02)


def test_variants_of_a_scenario_do_not_narrow_the_group() -> None:
    """If all four variants have equal verdicts, multi-turn is as uncertain as one of them."""
    names = [category for category in CATEGORIES if category.startswith("multi_turn_")]
    same = [number % 3 > 0 for number in range(60)]
    of = found(dict.fromkeys(names, same))
    one, group = of["multi_turn_base"], of["multi_turn"]
    assert (group.low, group.high) == pytest.approx((one.low, one.high), abs=1e-9)
    assert (group.entries, group.clusters) == (240, 60)
    assert group.design_effect == pytest.approx(4)
    assert group.effective_entries == pytest.approx(60)


def test_independent_strata_add_in_squares() -> None:
    """The half width of a mean of three equal strata without common clusters shrinks by sqrt(3)."""
    marks = [True, False] * 120
    of = found({"simple_python": marks, "simple_java": marks, "simple_javascript": marks})
    single, mean = of["simple_python"], of["simple_ast"]
    assert (mean.high - mean.low) == pytest.approx((single.high - single.low) / math.sqrt(3))


def test_categories_without_verdicts_add_no_width() -> None:
    """The overall of one category has its interval times its weight, around the score with zeros."""
    marks = [True, False] * 30
    of = found({"irrelevance": marks})
    single, overall = of["irrelevance"], of["overall"]
    assert overall.high - overall.low == pytest.approx(0.05 * (single.high - single.low))
    assert overall.low < 0.05 * 0.5 < overall.high
    assert "live_irrelevance" not in of
    assert "multi_turn" not in of


def test_memory_has_the_range_without_single_scenarios() -> None:
    """With one of five scenarios all wrong and the rest right, the score is 0.75 to 1 without one."""
    marks = [number % 5 > 0 for number in range(25)]
    of = found(dict.fromkeys(categories_of("memory"), marks))
    for name in (*categories_of("memory"), "memory"):
        scenarios = of[name].scenarios
        assert scenarios is not None
        assert (scenarios.scenarios, scenarios.low, scenarios.high) == (5, pytest.approx(0.75), 1.0)
    assert of["overall"].scenarios is of["agentic"].scenarios is None


def test_memory_without_all_backends_has_no_range_as_a_group() -> None:
    """A range over some backends would not be one of the score, which counts the others as 0."""
    of = found({"memory_kv": [number % 2 > 0 for number in range(25)]})
    assert of["memory_kv"].scenarios is not None
    assert of["memory"].scenarios is None


def test_verdicts_that_are_all_equal_have_no_design_effect() -> None:
    """It cannot be measured: docs then count as one entry each."""
    precision = found({"live_simple": [True] * 40})["live_simple"]
    assert precision.design_effect is None
    assert precision.effective_entries == pytest.approx(20)
    assert precision.high == 1.0
    assert precision.low == pytest.approx(wilson(1.0, 20).low)


def test_restatements_of_an_entry_are_one_cluster() -> None:
    """Nine restatements of three entries are three clusters."""
    names = [("format_sensitivity", f"format_sensitivity_{n}:key:simple_python_{n % 3}") for n in range(9)]
    assert ScoredEntries(names).scope(np.arange(9)).where.clusters == 3


marks_of = st.dictionaries(
    st.sampled_from(list(CATEGORIES)), st.lists(st.booleans(), min_size=1, max_size=30), min_size=1
)


@settings(deadline=None)
@given(marks_of)
def test_every_score_lies_within_its_interval_and_within_zero_and_one(marks: dict[str, list[bool]]) -> None:
    """For any verdicts, 0 <= low <= accuracy <= high <= 1, and precision is known of every such score."""
    scores = leaderboard_scores({name: Count(len(own), sum(own)) for name, own in marks.items()})
    of = found(marks)
    assert set(marks) <= set(of)
    groups = {group.name for group in LEADERBOARD if scores[group.name].evaluated}
    assert set(of) == groups | set(marks)
    for name, precision in of.items():
        assert 0.0 <= precision.low <= scores[name].accuracy + 1e-12
        assert scores[name].accuracy - 1e-12 <= precision.high <= 1.0


def test_scenarios_of_memory_and_apis_widen_the_interval() -> None:
    """If all questions of a scenario have equal verdicts, other scenarios would give other scores."""
    marks = [number % 5 < 2 for number in range(155)]
    own = {f"memory_{name}": marks for name in ("kv", "vector", "rec_sum")}
    found_of = found(own | {"multiple": [True] * 9})
    memory, alone = found_of["memory"], found_of["multiple"]
    assert memory.wide is not None
    assert memory.wide.high - memory.wide.low > 4 * (memory.high - memory.low)
    assert alone.wide is None


def test_a_sample_says_more_of_this_benchmark() -> None:
    """For all 200 entries, 120 of them count as 120 x 199 / 80 independent ones; all leave nothing open."""
    part = found({"multiple": [True] * 90 + [False] * 30})["multiple"]
    assert part.full == wilson(0.75, 120 * 199 / 80)
    whole = found({"multiple": [True] * 150 + [False] * 50})["multiple"]
    assert whole.full is None
    both = found({"multiple": [True] * 150 + [False] * 50, "parallel": [True] * 50})["multiple"]
    assert both.full is not None
    assert (both.full.low, both.full.high) == pytest.approx((0.75, 0.75), abs=1e-4)
