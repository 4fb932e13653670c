"""The interpreter for arithmetic in arguments."""

import ast

import pytest

from bfcl_pipeline.calls.arithmetic import MAX_BITS, MAX_ITEMS, evaluate
from bfcl_pipeline.calls.limits import Undecodable


def compute(source):
    return evaluate(ast.parse(source, mode="eval").body)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("1 + 2 * 3", 7),
        ("2 ** -1", 0.5),
        ("7 // 2 % 2", 1),
        ("1 << 4 | 1", 17),
        ("-3 ** 2", -9),
        ("True + 1", 2),
        ("1j * 1j", -1),
        ("'ab' * 2", "abab"),
        ("(1,) + (2,)", (1, 2)),
        ("sum([1, 2]) / len('ab')", 1.5),
        ("pow(2, 3) + max(1, 2)", 10),
    ],
)
def test_arithmetic(source, expected):
    """Numbers, text and sequences are combined as in Python."""
    assert compute(source) == expected


@pytest.mark.parametrize(
    "source",
    [
        f"2 ** {MAX_BITS + 1} + 1",
        "10 ** 10 ** 10",
        "9 ** 9 ** 9 * 1",
        f"'a' * {MAX_ITEMS + 1}",
        "[0] * 10 ** 9",
        "1 << 10 ** 9",
        "pow(9, 10 ** 9) + 1",
        "1 + " * 300 + "1",
        "1 / 0",
        "'a' + 1",
        "'%099999999d' % 1",
        "x + 1",
        "__import__('os').getpid() + 1",
        "().__class__ + 1",
        "open('x') + 1",
        "eval('1') + 1",
        "[x for x in 'ab'] + [1]",
        "(lambda: 1)() + 1",
        "len(*[[1]]) + 1",
        "int('1', base=2) + 1",
        "1.0e308 ** 2",
    ],
)
def test_other_expressions_are_refused(source):
    """Names, attributes, other calls, and results beyond the bounds are rejected at once."""
    with pytest.raises(Undecodable):
        compute(source)
