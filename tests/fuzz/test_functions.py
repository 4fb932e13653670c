"""Whatever arguments a model gives to the functions of the executable categories, each call ends.

It ends in a value that can be shown or in a failure with bounded text, after bounded work, and nothing that
a model writes is executed, imported or opened.
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bfcl_pipeline.benchmark.records import Call, Mode
from bfcl_pipeline.dialogue.calls import decode_step
from bfcl_pipeline.world.executables import Evaluator, ExecutionFailed, NoApis
from bfcl_pipeline.world.executables.functions import FUNCTIONS
from tests.fuzz.test_fuzz import _SOUP, _TEXT
from tests.fuzz.watched import run_watched
from tests.support.work import measured

LIMIT_CALLS = 10_000  # of functions, for one lambda

_NUMBERS = (
    st.integers(-3, 40)
    | st.integers()
    | st.floats()
    | st.booleans()
    | st.complex_numbers()
    | st.sampled_from([10**4_000, -(10**4_000), 10**12, 2**61 - 1, 1_500, 10**6])
)
_SCALARS = _NUMBERS | st.none() | _TEXT | st.binary(max_size=9) | st.text("01%sd.x+*", max_size=20)
_LITERALS = st.recursive(
    _SCALARS | st.lists(_NUMBERS, max_size=6) | st.lists(st.lists(_NUMBERS, max_size=3), max_size=4),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(st.integers(0, 3) | _TEXT, inner, max_size=4)
        | st.lists(inner, min_size=1, max_size=2).map(lambda items: items * 40)
    ),
    max_leaves=8,
)
_SIGNS = """
x y t 1 0 2 3.5 1e300 9**9 10**400 + - * / // % ** ( ) , pow( math.pow( ^ ~ [ ] 'a' None True if else lambda
: := . __class__ .real f( for in and not ==
"""
_PARTS = st.sampled_from(_SIGNS.split())
_LAMBDAS = st.lists(_PARTS, max_size=25).map(lambda parts: "lambda x: " + " ".join(parts)) | _SOUP | _TEXT
_NAMES = st.sampled_from([*FUNCTIONS, "sorted", "math.factorial", "x"])


@st.composite
def _calls(draw: st.DrawFn, levels: int = 2) -> Call:
    """A call of any function with any arguments, a few of them missing, unknown or calls themselves."""
    name = draw(_NAMES)
    parameters = [one.name for one in FUNCTIONS[name].parameters] if name in FUNCTIONS else ["a"]
    values = _LITERALS if levels == 0 or draw(st.integers(0, 5)) else _calls(levels - 1)
    arguments = {key: draw(_LAMBDAS if key == "function" else values) for key in parameters}
    odd = draw(st.integers(0, 20))
    if odd == 0 and arguments:
        del arguments[draw(st.sampled_from(sorted(arguments)))]
    if odd == 1:
        arguments[draw(st.none() | _TEXT)] = draw(_LITERALS)
    return Call(name, arguments)


def _run(call: Call) -> None:
    try:
        shown, most = repr(Evaluator(NoApis()).value(call)), 20_000_000
    except ExecutionFailed as failed:
        shown, most = str(failed), 3_000
        assert shown.isprintable()  # most calls fail, and some do not
    assert len(shown) < most


@given(_calls())
def test_any_call_ends(call):
    """Any call has a value that Python can print, or fails with a bounded text."""
    _run(call)


@given(_LAMBDAS, _NUMBERS)
def test_any_lambda_ends(text, x):
    """Any text in the place of a lambda has a derivative or fails, after bounded work."""
    with measured() as work:
        _run(Call("estimate_derivative", {"function": text, "x": x}))
    assert work.calls < LIMIT_CALLS


@given(_NAMES, st.lists(st.tuples(st.text("abnxk", max_size=2), _SCALARS.map(repr) | _SOUP), max_size=3))
def test_any_decoded_call_ends(name, written):
    """What the decoders read from any text of calls is run to an end."""
    text = f"[{name}({', '.join(f'{key}={value}' for key, value in written)})]"
    calls = decode_step(text, Mode.PROMPT)
    for call in calls if isinstance(calls, tuple) else ():
        _run(call)


def test_nothing_is_executed(tmp_path):
    """While lambdas and hostile names are run, Python executes, imports, opens and starts nothing.

    Watched from inside by an audit hook, in a process of its own; the syntax trees that parsing makes
    (`compile` events) are all that may happen.
    """
    program = """
import sys
from bfcl_pipeline.world.executables import Evaluator, ExecutionFailed, NoApis
from bfcl_pipeline.benchmark.records import Call
from tests.fuzz.hostile import EXPRESSIONS

evaluator = Evaluator(NoApis())

def run(name, **arguments):
    try:
        evaluator.value(Call(name, arguments))
    except ExecutionFailed:
        pass

run("estimate_derivative", function="lambda x: x + pow(x, 2)", x=1)
run("math_gcd", a="%s", b=1)
run("math_gcd", a=1, b=1, c=1)
events = set()
sys.addaudithook(lambda name, arguments: events.add(name))
for expression in EXPRESSIONS:
    for form in ("{}", "lambda x: {}", "lambda x: x + {}", "lambda x: pow({}, x)", "(lambda x={}: x)"):
        run("estimate_derivative", function=form.format(expression), x=5)
    run(expression, a=1)
    run("math_gcd", a=expression, b=expression)
    run("add_binary_numbers", a=expression, b="1")
print(len(EXPRESSIONS), sorted(events - {"compile", "object.__getattr__"}))
"""
    count, events = run_watched(program, tmp_path)
    assert count > 15
    assert events == "[]"
