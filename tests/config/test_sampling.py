"""Samples: sizes in proportion, the same entries for the same seed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bfcl_pipeline.benchmark import CATEGORIES, GROUPS
from bfcl_pipeline.config import allocate, pick

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
