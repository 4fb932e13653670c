"""The interpreter for arithmetic in arguments."""

import ast

import pytest

from bfcl_pipeline.dialogue.calls.arithmetic import MAX_ITEMS, evaluate
from bfcl_pipeline.dialogue.calls.limits import MAX_BITS, Undecodable, Work
from tests.support.work import measured


def compute(source):
    return evaluate(ast.parse(source, mode="eval").body, Work())


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
        ("sum([[1], [2]], [0]) * 2", [0, 1, 2, 0, 1, 2]),
        ("sum([0.1] * 10) - 1", -1.1102230246251565e-16),
        ("round(5, -10 ** 9) + round(15, -1) + round(2.5)", 22),
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


def doubled(levels):
    """A short text whose value has 2**levels numbers, but only one list object at each level."""
    return "[" * levels + "1" + "]*2" * levels


@pytest.mark.parametrize(
    "source",
    [
        doubled(22),
        f"len(max({doubled(22)}, {doubled(22)}))",
        "[[[[['a' * 160] * 12] * 12] * 12] * 12] * 12",
        "len(sum([[1] * 49_999] * 100, []))",
        " + ".join(["len([0] * 50_000)"] * 70),
        "int('9' * 4_300) + 1",
        "int('f' * 4_000, 16) + 1",
        "[0x" + "f" * 4_000 + "] * 2",
    ],
)
def test_items_count_once_for_each_place(source):
    """A value is refused for all its items, also if they are few objects in many places."""
    with pytest.raises(Undecodable):
        compute(source)


def test_refusing_a_value_takes_little_work():
    """A value with 2**90 items is refused before any of them is visited."""
    with measured() as work, pytest.raises(Undecodable):
        compute(doubled(90))
    assert work.calls < 20_000
