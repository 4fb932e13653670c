"""Calls written as lines of Python."""

from __future__ import annotations

import pytest

from bfcl_pipeline.dialogue.calls import read_statements
from bfcl_pipeline.dialogue.calls.limits import MAX_TEXT


def test_each_line_is_a_call():
    """Names may have dots; what a line does with the value is left out."""
    assert read_statements("a.f(x=1 + 1)\ny = g(z=[True, (2,)])") == [
        ("a.f", {"x": 2}),
        ("g", {"z": [True, (2,)]}),
    ]
    assert read_statements("") == []


@pytest.mark.parametrize(
    "text",
    [
        "f(",
        "f(x=1)\n1 + 1",
        "import os",
        "f(x=[y for y in z])",
        "f(x=9**9**9)",
        "(" * 300,
        "f(x='\\777')" * 9,
        f"f(x='{'y' * MAX_TEXT}')",
    ],
)
def test_other_text_has_no_calls(text: str):
    """Text that is broken, not a call, or beyond the bounds is not read, without a warning."""
    assert read_statements(text) is None
