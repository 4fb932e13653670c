"""Lambdas are read by a small interpreter that equals Python where it computes, and refuses all else."""

from __future__ import annotations

import pytest

from bfcl_pipeline.world.executables import ExecutionFailed
from bfcl_pipeline.world.executables.functions import FUNCTIONS, EvaluationWork
from bfcl_pipeline.world.executables.functions.lambdas import MAX_LEVELS, MAX_TEXT, read_lambda

FUNCTION_TEXTS = {
    "lambda x: 3*x**2 + 2*x - 1": lambda x: 3 * x**2 + 2 * x - 1,
    "lambda t:3*(t**2) + 2*t + 1": lambda t: 3 * (t**2) + 2 * t + 1,
    "lambda x: 2*x*x + (-3)*x + 5": lambda x: 2 * x * x + (-3) * x + 5,
    " \tlambda x : -x**2 / 3 // 1e-3 % 7": lambda x: -(x**2) / 3 // 1e-3 % 7,
    "lambda x: 2**-x**2": lambda x: 2 ** -(x**2),
    "(lambda x: +x - -x)": lambda x: +x - -x,
    "lambda x, /: 0x1F*x + 1_000": lambda x, /: 0x1F * x + 1_000,
    "lambda x: pow(x, 3) + math.pow(x, 2.0)": lambda x: pow(x, 3) + x**2.0,
    "lambda \u00e9: \u00e9*2": lambda x: x * 2,
    "lambda x: x*1j": lambda x: x * 1j,
    "lambda x: True*x": lambda x: True * x,
    "lambda x: 6 ^ 3": lambda x: 6 ^ 3,
}


@pytest.mark.parametrize("text", FUNCTION_TEXTS)
@pytest.mark.parametrize("x", [0, 1, 5, -2, 0.1, -7.25, 1e10, True])
def test_lambdas_equal_those_of_python(text, x):
    """A lambda has the value that Python computes, in the same type, or none because Python has none."""
    theirs = FUNCTION_TEXTS[text]
    found, expected = _outcome(lambda: read_lambda(text)(x, EvaluationWork())), _outcome(lambda: theirs(x))
    assert found == expected
    assert type(found) is type(expected)


def _outcome(compute):
    try:
        return compute()
    except ArithmeticError as error:
        return type(error)


REFUSED = [
    ("x**2", "TypeError"),
    ("3*x**2 + 2*x - 1", "TypeError"),
    ("5", "TypeError"),
    ("f", "TypeError"),
    ("math.sin", "TypeError"),
    ("3x^2 + 2x - 1", "SyntaxError"),
    ("f(x) = x**2", "SyntaxError"),
    ("f = lambda x: x", "SyntaxError"),
    ("def f(x):\n    return x", "SyntaxError"),
    ("(t) -> 3*t", "SyntaxError"),
    ("lambda x: (y := x)", "Bound"),
    ("", "SyntaxError"),
    ("\0", "SyntaxError"),
    ("lambda x: \ud800", "SyntaxError"),
    ("lambda: 5", "TypeError"),
    ("lambda x, y: x", "TypeError"),
    ("lambda *x: x", "TypeError"),
    ("lambda **x: x", "TypeError"),
    ("lambda *, x: x", "TypeError"),
    ("lambda x=5: x", "TypeError"),
    ("lambda t: 3*t**2 + 2*x + 1", "NameError"),
    ("lambda x: math", "NameError"),
    ("lambda x: __import__", "NameError"),
    ("lambda x: x^2", "TypeError"),
    ("lambda x: 'a'", "TypeError"),
    ("lambda x: None", "TypeError"),
    ("lambda x: 1/(x - x)", "ZeroDivisionError"),
    ("lambda x: 10.0**400 * x", "OverflowError"),
    ("lambda x: x if x else 1", "Bound"),
    ("lambda x: [x, x]", "Bound"),
    ("lambda x: x.real", "Bound"),
    ("lambda x: x.__class__.__mro__[1].__subclasses__()", "Bound"),
    ("lambda x: __import__('os').system('touch canary')", "Bound"),
    ("lambda x: open('canary', 'w')", "Bound"),
    ("lambda x: math.sin(x)", "Bound"),
    ("lambda x: math.pow.__self__.pow(x, 2)", "Bound"),
    ("lambda x: pow(x)", "Bound"),
    ("lambda x: pow(x, 2, 3)", "Bound"),
    ("lambda x: pow(*x, x)", "Bound"),
    ("lambda x: pow(x, 2, mod=3)", "Bound"),
    ("lambda x: math.pow('a', x)", "TypeError"),
    ("lambda pow: pow(pow, 2)", "TypeError"),
    ("lambda math: math.pow(math, 2)", "TypeError"),
    ("lambda x:\n x", "SyntaxError"),
    ("lambda x: (lambda y: y)(x)", "Bound"),
    ("lambda f: f(f)", "TypeError"),
    ("lambda x: [y for y in range(10**10)]", "Bound"),
    ("lambda x: f'{x}'", "Bound"),
    ("lambda x: ~5", "Bound"),
    ("lambda x: 1 << 10**10", "Bound"),
    ("lambda x: (yield x)", "Bound"),
    ("lambda x: 9**9**9**9", "Bound"),
    ("lambda x: 2**10**9", "Bound"),
    ("lambda x: " + "-" * (MAX_LEVELS + 1) + "x", "Bound"),
    ("lambda x: " + "(" * 250 + "x" + ")" * 250, "SyntaxError"),
    ("lambda x: " + "x+" * 500 + "x", "Bound"),
    ("lambda x: " + "1" * MAX_TEXT, "Bound"),
    (None, "TypeError"),
    (b"lambda x: x", "TypeError"),
    (5, "TypeError"),
    (["lambda x: x"], "TypeError"),
]


@pytest.mark.parametrize(("text", "error"), REFUSED, ids=[str(text)[:30] for text, _ in REFUSED])
def test_all_else_is_refused(text, error, tmp_path, monkeypatch):
    """What is not arithmetic in one parameter fails with Python's error or a bound; nothing is run."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ExecutionFailed, match=f"^{error}: ") as failed:
        FUNCTIONS["estimate_derivative"].run({"function": text, "x": 5})
    assert len(str(failed.value)) < 2_500
    assert list(tmp_path.iterdir()) == []


def test_derivatives_are_those_of_the_release():
    """The derivative is the difference quotient with the release's step, which shows in its digits."""
    derivative = FUNCTIONS["estimate_derivative"].run
    assert derivative({"function": "lambda x: 3*x**2 + 2*x + 1", "x": 5}) == 32.00000264769187
    assert derivative({"function": "lambda x:x**2", "x": 5}) == 10.00000082740371
