"""Suspected defects of executed entries, and of categories of one call."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bfcl_pipeline.judge.audit import Benchmark, find
from bfcl_pipeline.world.tools import Constants

ASKED = ("unpassable", "provenance")
"""The detectors that read executed entries."""


@pytest.fixture
def found(entries):
    """The findings on one entry of the release after some of its fields were changed."""

    def run(entry_id: str, **changes) -> list[tuple[str, str]]:
        category = entry_id.rpartition("_")[0]
        (entry,) = (one for one in entries(category) if one.entry_id == entry_id)
        benchmark = Benchmark({category: [replace(entry, **changes)]}, Constants({}))
        return [(each.detector, f"{each.where}: {each.detail}") for each in find(benchmark, ASKED)]

    return run


def test_an_entry_of_the_release_has_no_finding(found):
    """A truth that the docs allow is not listed."""
    assert found("exec_simple_0") == []


def test_a_call_of_another_function_is_found(found):
    """The truth may call only functions that are offered."""
    detail = "calc_binomial_probability: the truth calls it, but it is not offered"
    assert found("exec_simple_0", functions=()) == [("provenance", detail)]


def test_an_undocumented_argument_is_found(found):
    """A call with it passes, so that the entry is not unpassable."""
    detail = "book_room, price: the truth has this argument, but the function doc lacks it"
    assert found("exec_multiple_45") == [("provenance", detail)]


def test_a_truth_that_cannot_be_read_is_found_once(found):
    """Text that is not a call of a known function is a finding, not an error."""
    truth = [{"call": "print(1)", "match": "exact_match"}]
    ((detector, detail),) = found("exec_simple_0", truth=truth)
    assert detector == "provenance"
    assert "print is not a function of the benchmark" in detail


def test_a_lambda_that_the_question_asks_for_is_not_found(found):
    """The word in the question or in the docs is enough."""
    ((detector, detail),) = found("exec_parallel_12")
    assert (detector, detail[:56]) == (
        "provenance",
        "estimate_derivative, function: nothing states that it is",
    )
    turns = (({"role": "user", "content": "Write Lambda expressions."},),)
    assert found("exec_parallel_12", turns=turns) == []


def test_two_calls_where_one_is_allowed_are_found(found):
    """A category of one call has one expected call."""
    assert ("unpassable", "truth: it has 2 calls, and an answer must have one") in found("sql_15")
