"""Reading values of Python with arithmetic in them."""

from __future__ import annotations

import pytest

from bfcl_pipeline.calls import read_value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (" {'a': [1, -2.5, (None, True)]}", {"a": [1, -2.5, (None, True)]}),
        ("[2 * 3 + 1, 'a' + 'b', {1: 10**3}]", [7, "ab", {1: 1000}]),
        ("\n'a' 'b'", "ab"),
        ("[round(2.6), max(1, 2)]", [3, 2]),
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
