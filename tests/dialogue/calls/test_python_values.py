"""Values and lines of Python, read within bounds: literals, arithmetic, calls. Nothing is evaluated."""

from __future__ import annotations

import ast

import pytest

from bfcl_pipeline.dialogue.calls import read_expression, read_statements, read_value
from bfcl_pipeline.dialogue.calls.arithmetic import MAX_ITEMS, evaluate
from bfcl_pipeline.dialogue.calls.limits import MAX_BITS, MAX_TEXT, Undecodable, Work
from tests.support.work import measured


def compute(source):
    """The value of arithmetic in an argument."""
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


def doubled(levels):
    """A short text whose value has 2**levels numbers, but only one list object at each level."""
    return "[" * levels + "1" + "]*2" * levels


REFUSED = [
    # Results beyond the bounds.
    *(f"2 ** {MAX_BITS + 1} + 1", "10 ** 10 ** 10", "9 ** 9 ** 9 * 1", f"'a' * {MAX_ITEMS + 1}"),
    *("[0] * 10 ** 9", "1 << 10 ** 9", "pow(9, 10 ** 9) + 1", "1 + " * 300 + "1", "1.0e308 ** 2"),
    *("1 / 0", "'a' + 1", "'%099999999d' % 1"),
    # Names, attributes and other calls.
    *("x + 1", "__import__('os').getpid() + 1", "().__class__ + 1", "open('x') + 1", "eval('1') + 1"),
    *("[x for x in 'ab'] + [1]", "(lambda: 1)() + 1", "len(*[[1]]) + 1", "int('1', base=2) + 1"),
    # A value is refused for all its items, also if they are few objects in many places.
    *(
        doubled(22),
        f"len(max({doubled(22)}, {doubled(22)}))",
        "[[[[['a' * 160] * 12] * 12] * 12] * 12] * 12",
    ),
    *("len(sum([[1] * 49_999] * 100, []))", " + ".join(["len([0] * 50_000)"] * 70)),
    *("int('9' * 4_300) + 1", "int('f' * 4_000, 16) + 1", "[0x" + "f" * 4_000 + "] * 2"),
]


@pytest.mark.parametrize("source", REFUSED)
def test_other_expressions_are_refused(source):
    """What is not arithmetic, or too much of it, is rejected at once."""
    with pytest.raises(Undecodable):
        compute(source)


def test_refusing_a_value_takes_little_work():
    """A value with 2**90 items is refused before any of them is visited."""
    with measured() as work, pytest.raises(Undecodable):
        compute(doubled(90))
    assert work.calls < 20_000


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (" {'a': [1, -2.5, (None, True)]}", {"a": [1, -2.5, (None, True)]}),
        ("[2 * 3 + 1, 'a' + 'b', {1: 10**3}]", [7, "ab", {1: 1000}]),
        ("\n'a' 'b'", "ab"),
        ("[round(2.6), max(1, 2)]", [3, 2]),
        ("{'a': 1, 'b': 2} | {'a': 3} | {'c': 4}", {"a": 3, "b": 2, "c": 4}),
    ],
)
def test_values(text, value):
    """Brackets, literals and arithmetic have the value that Python gives them."""
    assert read_value(text) == value


@pytest.mark.parametrize(
    "text",
    [
        *("", "a", "true", "[open('x')]", "{**{}}", "[*[]]", "{1, 2}", "[].append", "f'{1}'", "lambda: 1"),
        *("{'a': 1} | 2", "2 | {'a': 1}", "{'a': 1} | [2]", "[1][0]", "[x for x in 'a']", "{[]: 1}"),
        *("1 / 0", "9**9**9", "'a' * 10**9", "[" * 300 + "]" * 300, "1+" * 3000 + "1"),
        *("1;2", "x = 1", "'\x00'"),
    ],
)
def test_everything_else_is_no_value(text):
    """Nothing is looked up, called or computed beyond the bounds."""
    with pytest.raises((ValueError, TypeError)):
        read_value(text)


def test_expressions_are_parsed_only():
    """One expression of any kind has a syntax tree; statements and what is beyond the bounds have none."""
    assert ast.unparse(read_expression("lambda x: f(x)[0]")) == "lambda x: f(x)[0]"
    for text in ("x = 1", "1;2", "", "\0", "(" * 300 + ")" * 300, "x" * 60_000):
        with pytest.raises(ValueError, match=r"^not a Python expression|at once$|are read$"):
            read_expression(text)


def test_each_line_is_a_call():
    """Names may have dots; what a line does with the value is left out."""
    calls = [("a.f", {"x": 2}), ("g", {"z": [True, (2,)]})]
    assert read_statements("a.f(x=1 + 1)\ny = g(z=[True, (2,)])") == calls
    assert read_statements("") == []


@pytest.mark.parametrize(
    "text",
    [
        *("f(", "f(x=1)\n1 + 1", "import os", "f(x=[y for y in z])", "f(x=9**9**9)", "(" * 300),
        *("f(x='\\777')" * 9, f"f(x='{'y' * MAX_TEXT}')"),
    ],
)
def test_other_text_has_no_calls(text):
    """Text that is broken, not a call, or beyond the bounds is not read, without a warning."""
    assert read_statements(text) is None
