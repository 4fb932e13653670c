"""Calls are run by look-up, their arguments are bound as in Python, and inner calls run first."""

from __future__ import annotations

import sys

import pytest

from bfcl_pipeline.benchmark.records import Call, Mode
from bfcl_pipeline.dialogue.calls import decode_step
from bfcl_pipeline.world.executables import (
    ApiAnswer,
    ApiRequest,
    Evaluator,
    ExecutionFailed,
    NoApis,
    evaluation,
)
from bfcl_pipeline.world.executables.binding import bound, parameters_of
from bfcl_pipeline.world.executables.functions.work import MAX_STEPS, EvaluationWork
from bfcl_pipeline.world.executables.network import NetworkFunction

PARAMETERS = parameters_of(lambda a, b, c=7: None)


def value(call: Call):
    """The value of a call without network."""
    return Evaluator(NoApis()).value(call)


@pytest.fixture
def asked(monkeypatch) -> list[str]:
    """The addresses that the function `ask` requested; it is the only one with network."""
    seen: list[str] = []

    class Apis:
        def get(self, request):
            seen.append(request.url)
            return ApiAnswer(200, "12")

    ask = NetworkFunction("ask", lambda n: ApiRequest(str(n)), lambda answer, _: int(answer.body))
    monkeypatch.setattr(evaluation, "NETWORK_FUNCTIONS", {"ask": ask})
    monkeypatch.setattr(evaluation, "NoApis", Apis, raising=False)
    return seen


def test_arguments_are_in_the_order_of_the_parameters():
    """Values are bound by name, whatever their order; a default stands in for one that is not given."""
    assert bound("f", PARAMETERS, {"b": 2, "a": 1}) == [1, 2, 7]
    assert bound("f", PARAMETERS, {"c": None, "b": 2, "a": 1}) == [1, 2, None]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"a": 1, "b": 2, "d": 3}, "^TypeError: f\\(\\) has no parameter 'd'$"),
        ({"d": 3}, "has no parameter 'd'"),
        ({"c": 3}, "^TypeError: f\\(\\) lacks 2 arguments: a, b$"),
        ({"a": 1}, "^TypeError: f\\(\\) lacks 1 argument: b$"),
        ({None: {"a": 1}, "b": 2}, "^SyntaxError: "),
        ({"\u202e\x1b" * 999: 1}, r"has no parameter '(\\\\u202e\\\\x1b){1,20}"),
    ],
)
def test_arguments_that_do_not_fit(arguments, message):
    """Unknown, missing and unnamed arguments are named, in bounded printable text."""
    with pytest.raises(ExecutionFailed, match=message) as failed:
        bound("f", PARAMETERS, arguments)
    assert str(failed.value).isprintable()
    assert len(str(failed.value)) < 500


@pytest.mark.parametrize(
    "name",
    [
        *("sorted", "eval", "__import__", "math.factorial", "tools.math_gcd", "requests.get", "os.system"),
        *("", "run", "get_movie_genre", "FUNCTIONS", "math_gcd.__globals__", "x" * 100_000, "\u202e"),
    ],
)
def test_other_names_are_not_defined(name):
    """Built-ins, dotted names, documented functions without code, and any other name are a NameError."""
    with pytest.raises(ExecutionFailed, match=r"^NameError: ") as failed:
        value(Call(name, {"a": Call("math_factorial", {"n": 10**9})}))
    assert str(failed.value).isprintable()
    assert len(str(failed.value)) < 500


def test_inner_calls_run_first():
    """The value of a call among the arguments, also in a list or a mapping, is the argument."""
    three = Call("math_gcd", {"a": 6, "b": 9})
    assert value(Call("math_factorial", {"n": three})) == 6
    assert value(Call("calculate_mean", {"numbers": [three, 5]})) == 4.0
    assert value(Call("get_distance", {"pointA": (three, 0), "pointB": (0, 4)})) == 5.0
    dates = {"check_in_date": "", "check_out_date": ""}
    room = Call("book_room", {"room_type": {"beds": [three]}, "price": 1, **dates, "customer_id": 1})
    assert value(room)["room_number"] == {"beds": [3]}
    assert room.arguments["room_type"] == {"beds": [three]}


def test_inner_calls_of_prompted_answers_run():
    """An answer with a call among the arguments is decoded and run."""
    calls = decode_step("[math_lcm(a=math_factorial(n=3), b=4)]", Mode.PROMPT)
    assert [value(call) for call in calls] == [12.0]


def test_the_depth_of_calls_is_bounded():
    """Calls in calls end at a bound instead of Python's own."""
    call = Call("math_gcd", {"a": 6, "b": 0})
    for _ in range(45):
        call = Call("math_gcd", {"a": call, "b": 0})
    assert value(call) == 6
    for _ in range(sys.getrecursionlimit()):
        call = Call("math_gcd", {"a": call, "b": 0})
    with pytest.raises(ExecutionFailed, match=r"^RecursionError: calls are nested"):
        value(call)
    nested = call
    for _ in range(sys.getrecursionlimit()):
        nested = [nested]
    with pytest.raises(ExecutionFailed, match=r"^RecursionError: calls are nested"):
        value(Call("calculate_mean", {"numbers": nested}))


def test_inner_calls_share_the_bound_on_work():
    """Many inner calls together do no more work than one call may do."""
    inner = [Call("get_prime_factors", {"number": 7919}) for _ in range(200)]
    with pytest.raises(ExecutionFailed, match=f"more than {MAX_STEPS:,} steps"):
        value(Call("sort_array", {"array": inner}))
    assert value(Call("sort_array", {"array": inner[:3]})) == [[7919]] * 3


def test_lists_in_many_places_are_bounded_work():
    """A list that is in many places, also one with a call in it, ends at the bound on items or steps."""
    numbers, calls = [1], [Call("math_gcd", {"a": 6, "b": 9})]
    for _ in range(9):
        numbers, calls = [numbers] * 500, [calls] * 500
    with pytest.raises(ExecutionFailed, match=r"^Bound: the arguments have more than"):
        value(Call("sort_array", {"array": numbers}))
    with pytest.raises(ExecutionFailed, match=r"^Bound: the call takes more than"):
        Evaluator(NoApis()).value(Call("sort_array", {"array": calls}), EvaluationWork(MAX_STEPS // 20))


def test_use_of_the_network_is_known_before_a_call_runs(asked):
    """A call uses the network if it, or a call at any depth of its arguments, is of such a function."""
    evaluator = Evaluator(NoApis())
    ask = Call("ask", {"n": 1})
    assert evaluator.uses_network(ask)
    assert evaluator.uses_network(Call("math_factorial", {"n": ask}))
    assert evaluator.uses_network(Call("calculate_mean", {"numbers": [1, ({"a": Call("f", {"n": ask})},)]}))
    assert not evaluator.uses_network(Call("math_factorial", {"n": Call("other", {"n": "ask"})}))
    assert asked == []


def test_a_call_that_fails_by_its_names_asks_for_nothing(asked):
    """An unknown function, and arguments that do not fit, fail before an inner call sends its request."""
    apis = evaluation.NoApis()
    ask = Call("ask", {"n": 1})
    for call in (
        Call("unknown", {"n": ask}),
        Call("math_factorial", {"n": ask, "m": 1}),
        Call("math_gcd", {"a": ask}),
        Call("ask", {"n": ask, "m": ask}),
    ):
        with pytest.raises(ExecutionFailed):
            Evaluator(apis).value(call)
    assert asked == []
    assert Evaluator(apis).value(Call("math_gcd", {"a": ask, "b": 9})) == 3
    assert asked == ["1"]
