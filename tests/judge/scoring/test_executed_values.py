"""Values of executed calls beside the expected ones: one table of both rule sets."""

from __future__ import annotations

import math
from typing import Any

import pytest

from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.judge.scoring.executed_values import compare_values

EXACT, FIGURE, STRUCTURE = "exact_match", "real_time_match", "structural_match"
WRONG, FAR, KIND = "wrong_result", "wrong_result_real_time", "wrong_result_type"
NEXT_INT = 2**53 + 1


def nested(levels: int = 100_000) -> list[Any]:
    """A list that is nested deeper than Python compares."""
    deep: list[Any] = []
    for _ in range(levels):
        deep = [deep]
    return deep


SAME = [
    # Exact matches are equal as in Python; a tuple counts as a list.
    (EXACT, 1, 1.0, None),
    (EXACT, 1, True, None),
    (EXACT, 10**400, 10**400, None),
    (EXACT, [1, 2], (1, 2), None),
    (EXACT, {"a": [1, {"b": None}]}, {"a": [1, {"b": None}]}, None),
    (EXACT, "private range", "private range", None),
    (EXACT, None, None, None),
    (EXACT, 1, "1", WRONG),
    (EXACT, 1, 1.000001, WRONG),
    (EXACT, 10**400, 1.5, WRONG),
    (EXACT, 1.5, 10**400, WRONG),
    (EXACT, 10**400, 10**400 + 1, WRONG),
    (EXACT, [[1, 2]], [(1, 2)], WRONG),
    (EXACT, [1], [1, 1], WRONG),
    (EXACT, {"a": 1}, {"a": 1, "b": 1}, WRONG),
    (EXACT, {"a": 1}, {"b": 1}, WRONG),
    (EXACT, math.nan, math.nan, WRONG),
    (EXACT, math.inf, -math.inf, WRONG),
    (EXACT, 0.0, 1e-300, WRONG),
    (EXACT, None, {}, WRONG),
    # Two whole numbers are equal or not.
    (EXACT, 2**53, NEXT_INT, WRONG),
    (EXACT, [10**20], [10**20 + 1], WRONG),
    # Values that are nested deeper than Python compares are not equal.
    (EXACT, nested(), nested(), WRONG),
    (EXACT, [1], nested(), WRONG),
    # A figure of now is a number within 20 % of the expected one.
    (FIGURE, 100, 80, None),
    (FIGURE, 100, 120.0, None),
    (FIGURE, 0, 0, None),
    (FIGURE, 10**400, 10**400, None),
    *((FIGURE, 100, value, FAR) for value in (79.99, 120.01, True, "100", None, math.nan, 10**400)),
    (FIGURE, 0, 0.1, FAR),
    (FIGURE, True, True, FAR),
    (FIGURE, "100", 100, FAR),
    (FIGURE, {"message": "x"}, {"message": "x"}, FAR),
    (FIGURE, 10**400, 1, FAR),
    (FIGURE, 10**400, 1.5, FAR),
    (FIGURE, -100, -121, FAR),
    (FIGURE, -100, 100, FAR),
    # A structural match compares the type, the keys and the length, not the values.
    (STRUCTURE, {"a": 1, "b": 2}, {"b": "x", "a": None}, None),
    (STRUCTURE, {"a": 1}, {}, f"{KIND}:dict_key_not_found"),
    (STRUCTURE, {"a": 1}, {"a": 1, "b": 1}, f"{KIND}:dict_extra_key"),
    (STRUCTURE, [1, 2], ["x", None], None),
    (STRUCTURE, [1, 2], (3, 4), None),
    (STRUCTURE, [1, 2], [1], f"{KIND}:list_length"),
    (STRUCTURE, {"a": 1}, ["a"], KIND),
    (STRUCTURE, 1, 2, None),
    (STRUCTURE, 1, 2.0, KIND),
    (STRUCTURE, 1, True, KIND),
    (STRUCTURE, "a", "b", None),
    (STRUCTURE, None, None, None),
]
"""How values are compared, the expected one, the given one, and the error type by both rule sets."""

CORRECTED_ONLY = [
    # Rule `float-rounding`, at any depth; a float beside a whole number may round.
    (EXACT, 210.1, 210.09999999999997, WRONG),
    (EXACT, [1, {"a": 0.3}], [1, {"a": 0.1 + 0.2}], WRONG),
    (EXACT, 3, 3.0000000000000004, WRONG),
    (EXACT, 10**20, float(10**20 + 10**5), WRONG),
    # Rule `negative-real-time`
    (FIGURE, -100, -100, FAR),
    (FIGURE, -100, -80, FAR),
]
"""The same, with the error type by official rules; corrected rules accept these values."""


@pytest.mark.parametrize(
    ("match", "expected", "value", "official", "corrected"),
    [*((*row, row[3]) for row in SAME), *((*row, None) for row in CORRECTED_ONLY)],
)
def test_a_value(
    match: str, expected: Any, value: Any, official: str | None, corrected: str | None
) -> None:
    """It is accepted, or has the error type of how it is compared."""
    for rules, error_type in ((Rules.OFFICIAL, official), (Rules.CORRECTED, corrected)):
        finding = compare_values(match, expected, value, rules)
        found = finding and finding.error_type.removeprefix("executable_checker:")
        assert found == error_type
