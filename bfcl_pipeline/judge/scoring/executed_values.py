"""Compares the value of an executed call with that of the expected call, in one of three ways.

`exact_match` compares the values, `real_time_match` allows 20 % for figures that change, and
`structural_match` compares type, keys and length only.
Source: the official checker of executed calls until it was retired (gorilla, commit 4d05b53f).
"""

import math
from typing import Any

from bfcl_pipeline.benchmark.records import Json, Rules
from bfcl_pipeline.judge.scoring.findings import Finding, shorten

REAL_TIME_DIFFERENCE = 0.2
"""The part of the expected figure by which a figure of now may differ from it."""

ROUNDING = 1e-12
"""The part of a number by which rounding may change it, under the corrected rules."""

_CHECKER = "executable_checker"
_STRUCTURE = f"{_CHECKER}:wrong_result_type"


def compare_values(match: str, expected: Json, value: Any, rules: Rules) -> Finding | None:
    """The error in `value`; match: the release's term for how it is compared with `expected`."""
    if isinstance(value, tuple):
        value = list(value)  # as the expected value, which was JSON
    if match == "real_time_match":
        return _compare_figures(expected, value, rules)
    if match == "structural_match":
        return _compare_structures(expected, value)
    if equal_values(expected, value, rules):
        return None
    return Finding(f"{_CHECKER}:wrong_result", f"Expected {shorten(expected)}, got {shorten(value)}.")


def equal_values(expected: Json, value: Any, rules: Rules) -> bool:
    """Rule `float-rounding`: official compares numbers to the last bit.

    Corrected accepts numbers that differ by `ROUNDING` of their size or less, unless both are whole.
    """
    try:
        return bool(value == expected) or (rules is not Rules.OFFICIAL and _nearly_equal(expected, value))
    except RecursionError:
        return False


def _nearly_equal(expected: Json, value: Any) -> bool:
    if _is_number(expected) and _is_number(value):
        return value == expected or _is_close(expected, value)
    if isinstance(expected, list) and isinstance(value, list) and len(expected) == len(value):
        return all(map(_nearly_equal, expected, value))
    if isinstance(expected, dict) and isinstance(value, dict) and expected.keys() == value.keys():
        return all(_nearly_equal(item, value[key]) for key, item in expected.items())
    return bool(value == expected)


def _is_close(expected: float, value: float) -> bool:
    if isinstance(expected, int) and isinstance(value, int):
        return False
    try:
        return math.isclose(expected, value, rel_tol=ROUNDING)
    except OverflowError:  # an integer that no float can hold
        return False


def _compare_figures(expected: Json, value: Any, rules: Rules) -> Finding | None:
    if not _is_number(expected) or not _is_number(value):
        found = f"Expected a number like {shorten(expected)}, got {shorten(value)}."
    elif in_range(expected, value, rules):
        return None
    else:
        part = f"{REAL_TIME_DIFFERENCE:.0%}"
        found = f"Expected {shorten(expected)}, within {part}, got {shorten(value)}."
    return Finding(f"{_CHECKER}:wrong_result_real_time", found)


def in_range(expected: float, value: float, rules: Rules) -> bool:
    """Rule `negative-real-time`: official accepts no figure where the expected one is negative, since its
    bounds are in the wrong order. Corrected accepts a figure between the bounds.
    """
    try:
        bounds = [expected * (1 - REAL_TIME_DIFFERENCE), expected * (1 + REAL_TIME_DIFFERENCE)]
    except OverflowError:  # an integer that no float can hold
        return value == expected
    low, high = bounds if rules is Rules.OFFICIAL else sorted(bounds)
    return low <= value <= high


def _compare_structures(expected: Json, value: Any) -> Finding | None:
    if type(value) is not type(expected):
        kinds = f"{type(expected).__name__}, got {type(value).__name__}"
        return Finding(_STRUCTURE, f"Expected a value of type {kinds}: {shorten(value)}.")
    if isinstance(value, dict):
        for key in expected:
            if key not in value:
                return Finding(f"{_STRUCTURE}:dict_key_not_found", f"The key {shorten(key)} is missing.")
        for key in value:
            if key not in expected:
                return Finding(f"{_STRUCTURE}:dict_extra_key", f"The key {shorten(key)} is not expected.")
    if isinstance(value, list) and len(value) != len(expected):
        counts = f"Expected a list of {len(expected)} items, got {len(value)}."
        return Finding(f"{_STRUCTURE}:list_length", counts)
    return None


def _is_number(value: Any) -> bool:
    return type(value) in (int, float)  # not bool
