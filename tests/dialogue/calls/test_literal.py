"""Reading values of Python with arithmetic in them."""

from __future__ import annotations

import ast

import pytest

from bfcl_pipeline.dialogue.calls import read_expression, read_value


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
        "",
        "a",
        "true",
        "[open('x')]",
        "{**{}}",
        "[*[]]",
        "{1, 2}",
        "{'a': 1} | 2",
        "2 | {'a': 1}",
        "{'a': 1} | [2]",
        "[].append",
        "f'{1}'",
        "lambda: 1",
        "[1][0]",
        "[x for x in 'a']",
        "{[]: 1}",
        "1 / 0",
        "9**9**9",
        "'a' * 10**9",
        "[" * 300 + "]" * 300,
        "1+" * 3000 + "1",
        "1;2",
        "x = 1",
        "'\x00'",
    ],
)
def test_everything_else_is_refused(text):
    """Nothing is looked up, called or computed beyond the bounds."""
    with pytest.raises((ValueError, TypeError)):
        read_value(text)


def test_expressions_are_parsed_only():
    """One expression of any kind has a syntax tree; statements and what is beyond the bounds have none."""
    assert ast.unparse(read_expression("lambda x: f(x)[0]")) == "lambda x: f(x)[0]"
    for text in ("x = 1", "1;2", "", "\0", "(" * 300 + ")" * 300, "x" * 60_000):
        with pytest.raises(ValueError, match=r"^not a Python expression|at once$|are read$"):
            read_expression(text)
