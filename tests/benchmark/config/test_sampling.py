"""Samples: sizes in proportion, the same entries for the same seed."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.config import RunSample, SampleBy, allocate, by_weight, divide, pick
from bfcl_pipeline.benchmark.definition import CATEGORIES, GROUPS
from bfcl_pipeline.benchmark.definition.leaderboard import category_weights
from bfcl_pipeline.benchmark.definition.scatter import assumed_scatter

SIZES = {name: CATEGORIES[name].entries for name in GROUPS["single_turn"]}

sizes = st.dictionaries(st.text(max_size=3), st.integers(0, 60), min_size=1, max_size=6)


@settings(deadline=None)
@given(sizes, st.integers(0, 400))
def test_all_places_are_assigned_and_none_beyond_a_size(sizes: dict[str, int], total: int) -> None:
    """The counts add up to the sample, or to all entries, and no stratum has more than its size."""
    counts = allocate(sizes, total)
    assert counts.keys() == sizes.keys()
    assert sum(counts.values()) == min(total, sum(sizes.values()))
    assert all(0 <= counts[name] <= sizes[name] for name in sizes)


@settings(deadline=None)
@given(sizes, st.integers(0, 300))
def test_a_larger_sample_takes_nothing_back(sizes: dict[str, int], total: int) -> None:
    """One entry more in the sample is one more in exactly one stratum."""
    before, after = allocate(sizes, total), allocate(sizes, total + 1)
    assert all(after[name] >= before[name] for name in sizes)


@pytest.mark.parametrize("total", [13, 40, 100, 1000])
def test_every_category_is_in_the_sample_in_proportion(total: int) -> None:
    """From 13 entries on each of the 13 categories has one; the others are near their share."""
    counts = allocate(SIZES, total)
    assert min(counts.values()) >= 1
    for name, size in SIZES.items():
        assert counts[name] <= 1 or abs(counts[name] - total * size / sum(SIZES.values())) < 2


def test_few_places_go_to_the_largest() -> None:
    """With fewer entries than categories the largest have one each."""
    assert allocate({"a": 1, "b": 3, "c": 2}, 2) == {"a": 0, "b": 1, "c": 1}


BY_WEIGHT = {
    **{"simple_python": 1, "simple_java": 1, "simple_javascript": 1},
    **{"multiple": 2, "parallel": 2, "parallel_multiple": 2, "irrelevance": 4},
    **{"live_simple": 2, "live_multiple": 6, "live_parallel": 1, "live_parallel_multiple": 1},
    **{"live_irrelevance": 4, "live_relevance": 0, "format_sensitivity": 0},
    **{"multi_turn_base": 8, "multi_turn_miss_func": 8, "multi_turn_miss_param": 8},
    **{"multi_turn_long_context": 8, "memory_kv": 7, "memory_vector": 7, "memory_rec_sum": 7},
    **{"web_search_base": 10, "web_search_no_snippet": 10},
}


def weighted(total: int, *names: str) -> dict[str, int]:
    """The division by weight of these categories or groups."""
    categories = [category for name in names for category in GROUPS.get(name, (name,))]
    return divide(RunSample(total, SampleBy.WEIGHT), categories)


def test_by_weight_is_the_best_division() -> None:
    """No other division of ten entries has a smaller variance."""
    shares = {"multi_turn_base": 0.6, "live_simple": 0.3, "parallel": 0.1}
    found = assumed_scatter(False).deviation(shares, by_weight(shares, 10))
    others = [
        dict(zip(shares, counts, strict=True))
        for counts in product(range(1, 9), repeat=3)
        if sum(counts) == 10
    ]
    assert found == min(assumed_scatter(False).deviation(shares, counts) for counts in others)


def test_a_larger_sample_by_weight_contains_the_smaller_ones() -> None:
    """No category has fewer entries when the total grows, and none more than the release has."""
    before = dict.fromkeys(GROUPS["all"], 0)
    for total in (*range(1, 300, 7), *range(300, 5200, 211), 6000):
        counts = weighted(total, "all")
        assert sum(counts.values()) == min(total, 5090)
        assert all(before[name] <= counts[name] <= CATEGORIES[name].entries for name in counts)
        before = counts


def test_by_weight_is_the_same_on_every_machine() -> None:
    """The counts of 100 entries; those of equal categories differ by at most one, the first has more."""
    counts = weighted(100, "all")
    assert counts == BY_WEIGHT
    for names in (GROUPS["multi_turn"], GROUPS["memory"], GROUPS["web_search"], ("multiple", "parallel")):
        ordered = [counts[name] for name in names]
        assert ordered == sorted(ordered, reverse=True)
        assert ordered[0] - ordered[-1] <= 1


def test_the_order_of_the_categories_does_not_matter() -> None:
    """Equal categories are served in the benchmark's order."""
    names = list(GROUPS["all"])
    for total in (7, 100, 1001):
        assert weighted(total, *names) == weighted(total, *reversed(names))


def test_what_does_not_count_in_the_overall_score_is_not_drawn() -> None:
    """format_sensitivity and live_relevance have no weight."""
    counts = weighted(50, "live_relevance", "format_sensitivity", "multiple")
    assert counts == {"live_relevance": 0, "format_sensitivity": 0, "multiple": 50}
    with pytest.raises(ConfigError, match="format_sensitivity has no weight in the overall score"):
        weighted(50, "format_sensitivity")


def test_some_categories_keep_their_relative_weights() -> None:
    """Multi-turn and web alone: divided as the same number of entries of both within a larger sample."""
    whole = weighted(700, "all")
    names = (*GROUPS["multi_turn"], *GROUPS["web_search"])
    assert weighted(sum(whole[name] for name in names), *names) == {name: whole[name] for name in names}
    assert set(category_weights("overall", {})) == {name for name, count in whole.items() if count}


@settings(deadline=None)
@given(st.lists(st.text(max_size=8), unique=True, max_size=40), st.integers(0, 45), st.integers())
def test_a_pick_is_part_of_every_larger_pick(ids: list[str], count: int, seed: int) -> None:
    """A pick keeps the order of the entries and grows without losing one."""
    picked, larger = pick(ids, count, seed), pick(ids, count + 1, seed)
    assert len(picked) == min(count, len(ids))
    assert list(picked) == [entry for entry in ids if entry in picked]
    assert set(picked) <= set(larger)


PICKED = ("simple_python_42", "simple_python_168", "simple_python_296", "simple_python_345")


def test_a_pick_depends_on_the_seed_alone() -> None:
    """The same seed gives the same entries on every machine; another seed gives others."""
    ids = [f"simple_python_{number}" for number in range(400)]
    assert pick(ids, 4, seed=0) == PICKED
    assert pick(list(reversed(ids)), 4, seed=0) == PICKED[::-1]
    assert pick(ids, 4, seed=1) != PICKED


@pytest.mark.parametrize("entries", [1, 5, 24, 200, 1000])
@pytest.mark.parametrize("by", list(SampleBy))
def test_retired_categories_leave_the_sample_of_the_others_as_it_is(entries: int, by: SampleBy) -> None:
    """With the group executable, the categories of V4 have as many entries of a sample as without it."""
    sample = RunSample(entries, by)
    alone = divide(sample, GROUPS["all"])
    together = divide(sample, [*GROUPS["all"], *GROUPS["executable"]])
    assert {name: together[name] for name in alone} == alone
    beside = sum(together[name] for name in GROUPS["executable"])
    assert beside <= entries
    assert bool(beside) == (by is SampleBy.SIZE and entries > 5)


def test_a_sample_of_retired_categories_alone_has_its_size() -> None:
    """The group executable alone is sampled by size like any other, and has no weight to be sampled by."""
    counts = divide(RunSample(61), GROUPS["executable"])
    assert counts == {
        "exec_simple": 10,
        "exec_multiple": 5,
        "exec_parallel": 5,
        "exec_parallel_multiple": 4,
        "rest": 7,
        "sql": 10,
        "chatable": 20,
    }
    with pytest.raises(ConfigError, match="has no weight in the overall score"):
        divide(RunSample(61, SampleBy.WEIGHT), GROUPS["executable"])
