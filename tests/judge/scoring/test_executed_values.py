"""Values of executed calls beside the expected ones."""

from __future__ import annotations

import math

import pytest

from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.judge.scoring.executed_values import compare_values

BOTH = (Rules.OFFICIAL, Rules.CORRECTED)


def error_type(match, expected, value, rules=Rules.OFFICIAL):
    """The error type without the name of the checker; None if the value is accepted."""
    finding = compare_values(match, expected, value, rules)
    return None if finding is None else finding.error_type.removeprefix("executable_checker:")


@pytest.mark.parametrize(
    ("expected", "value"),
    [
        (1, 1.0),
        (1, True),
        (10**400, 10**400),
        ([1, 2], (1, 2)),
        ({"a": [1, {"b": None}]}, {"a": [1, {"b": None}]}),
        ("private range", "private range"),
        (None, None),
    ],
)
def test_equal_values(expected, value):
    """Exact matches are equal as in Python; a tuple counts as a list."""
    for rules in BOTH:
        assert error_type("exact_match", expected, value, rules) is None


@pytest.mark.parametrize(
    ("expected", "value"),
    [
        (1, "1"),
        (1, 1.000001),
        (10**400, 1.5),
        (1.5, 10**400),
        (10**400, 10**400 + 1),
        ([[1, 2]], [(1, 2)]),
        ([1], [1, 1]),
        ({"a": 1}, {"a": 1, "b": 1}),
        ({"a": 1}, {"b": 1}),
        (math.nan, math.nan),
        (math.inf, -math.inf),
        (0.0, 1e-300),
        (None, {}),
    ],
)
def test_other_values(expected, value):
    """Everything else is a wrong result by both rule sets."""
    for rules in BOTH:
        assert error_type("exact_match", expected, value, rules) == "wrong_result"


def test_float_rounding_rule():
    """Official compares to the last bit; corrected allows rounding, at any depth."""
    for expected, value in (
        (210.1, 210.09999999999997),
        ([1, {"a": 0.3}], [1, {"a": 0.1 + 0.2}]),
        (3, 3.0000000000000004),
    ):
        assert error_type("exact_match", expected, value) == "wrong_result"
        assert error_type("exact_match", expected, value, Rules.CORRECTED) is None


def test_whole_numbers_are_not_rounded():
    """Two whole numbers are equal or not, also under the corrected rules; a float beside one may round."""
    for rules in BOTH:
        assert error_type("exact_match", 2**53, 2**53 + 1, rules) == "wrong_result"
        assert error_type("exact_match", [10**20], [10**20 + 1], rules) == "wrong_result"
    assert error_type("exact_match", 10**20, float(10**20 + 10**5), Rules.CORRECTED) is None


def test_deep_values_end():
    """Values that are nested deeper than Python compares are not equal."""
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    other: list[object] = []
    for _ in range(100_000):
        other = [other]
    for rules in BOTH:
        assert error_type("exact_match", deep, other, rules) == "wrong_result"
        assert error_type("exact_match", [1], deep, rules) == "wrong_result"


@pytest.mark.parametrize(
    ("expected", "value", "accepted"),
    [
        (100, 80, True),
        (100, 120.0, True),
        (100, 79.99, False),
        (100, 120.01, False),
        (0, 0, True),
        (0, 0.1, False),
        (100, True, False),
        (True, True, False),
        (100, "100", False),
        ("100", 100, False),
        ({"message": "x"}, {"message": "x"}, False),
        (100, None, False),
        (100, math.nan, False),
        (100, 10**400, False),
        (10**400, 10**400, True),
        (10**400, 1, False),
        (10**400, 1.5, False),
    ],
)
def test_figures(expected, value, accepted):
    """A figure of now is a number within 20 % of the expected one."""
    for rules in BOTH:
        found = error_type("real_time_match", expected, value, rules)
        assert found == (None if accepted else "wrong_result_real_time")


def test_negative_real_time_rule():
    """Official accepts no figure where a negative one is expected; corrected those within 20 %."""
    for value, accepted in ((-100, True), (-80, True), (-121, False), (100, False)):
        assert error_type("real_time_match", -100, value) == "wrong_result_real_time"
        corrected = error_type("real_time_match", -100, value, Rules.CORRECTED)
        assert corrected == (None if accepted else "wrong_result_real_time")


@pytest.mark.parametrize(
    ("expected", "value", "found"),
    [
        ({"a": 1, "b": 2}, {"b": "x", "a": None}, None),
        ({"a": 1}, {}, "wrong_result_type:dict_key_not_found"),
        ({"a": 1}, {"a": 1, "b": 1}, "wrong_result_type:dict_extra_key"),
        ([1, 2], ["x", None], None),
        ([1, 2], (3, 4), None),
        ([1, 2], [1], "wrong_result_type:list_length"),
        ({"a": 1}, ["a"], "wrong_result_type"),
        (1, 2, None),
        (1, 2.0, "wrong_result_type"),
        (1, True, "wrong_result_type"),
        ("a", "b", None),
        (None, None, None),
    ],
)
def test_structures(expected, value, found):
    """A structural match compares the type, the keys and the length, not the values."""
    for rules in BOTH:
        assert error_type("structural_match", expected, value, rules) == found
