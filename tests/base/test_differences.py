"""Where two nested values differ."""

from __future__ import annotations

from typing import Any

import pytest

from bfcl_pipeline.base.differences import DEEPEST, MISSING, Difference, differences, items_of, keys_of


@pytest.mark.parametrize(
    ("first", "second", "found"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 3, "c": 2}}, [("a.b", 1, 3)]),
        ({"a": 1}, {"b": 1}, [("a", 1, MISSING), ("b", MISSING, 1)]),
        ({"a": [1, {"b": "x"}]}, {"a": [1, {"b": "y"}]}, [("a[1].b", "x", "y")]),
        ([1], [1, 2], [("[1]", MISSING, 2)]),
        ({"a": 1}, {"a": 1.0}, [("a", 1, 1.0)]),
        ({"a": [True]}, {"a": [1]}, [("a[0]", True, 1)]),
        ({"a": {}}, {"a": []}, [("a", {}, [])]),
        ("x", None, [("", "x", None)]),
    ],
)
def test_the_smallest_parts_that_differ_are_found(first: Any, second: Any, found: list[Any]) -> None:
    """Each has its path and both values, in the order of the first value."""
    assert list(differences(first, second, parts=items_of)) == [Difference(*one) for one in found]


def test_what_counts_as_a_part_and_as_equal_is_the_callers_choice() -> None:
    """A list may be one value, equal numbers may be one, and a missing value may be null."""
    assert list(differences({"a": [1, 2]}, {"a": [1, 3]}, parts=keys_of)) == [
        Difference("a", [1, 2], [1, 3])
    ]
    assert list(differences({"a": 1}, {"a": True}, strict=False)) == []
    assert list(differences({"a": None}, {}, missing=None)) == []


def test_values_that_are_nested_very_deeply_are_followed_to_a_limit() -> None:
    """Below it they are compared as wholes, and shown so."""
    first: Any = "x"
    second: Any = "y"
    for _ in range(DEEPEST + 20):
        first, second = [first], [second]
    (found,) = differences(first, second, parts=items_of)
    assert found.path == "[0]" * DEEPEST
