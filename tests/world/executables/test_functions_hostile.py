"""Hostile arguments: each call ends in a value or a failure, after work that is counted beforehand."""

from __future__ import annotations

import tracemalloc

import pytest

from bfcl_pipeline.benchmark.records import Call
from bfcl_pipeline.world.executables import Evaluator, ExecutionFailed, NoApis
from bfcl_pipeline.world.executables.functions import FUNCTIONS, EvaluationWork
from bfcl_pipeline.world.executables.functions.work import MAX_BITS, MAX_ITEMS, MAX_STEPS
from tests.support.executable_calls import EXECUTED, pure_calls
from tests.support.work import measured

LIMIT_CALLS = 20 * MAX_STEPS  # of functions, for one call
FEW_STEPS = MAX_STEPS // 20

HUGE = 10**4_000
FIBONACCI, FOLLOWING = (FUNCTIONS["get_fibonacci_number"].run({"n": n}) for n in (10_000, 10_001))
STEPS = f"^Bound: the call takes more than {MAX_STEPS:,} steps of work$"
BITS = f"^Bound: the value has a whole number of more than {MAX_BITS:,} bits$"
ITEMS = f"^Bound: the arguments have more than {MAX_ITEMS:,} items and characters$"
PLAN = {"annual_contribution": 1, "years": 10**9, "annual_return": 0, "inflation_rate": []}

ENDLESS = [
    ("get_prime_factors", {"number": 4.5}),
    ("get_prime_factors", {"number": float("inf")}),
    ("get_prime_factors", {"number": 10**15 + 37}),
    ("get_prime_factors", {"number": 2**11_213 - 1}),
    ("math_factorial", {"n": HUGE}),
    ("math_factorial", {"n": 10**6}),
    ("calculate_permutations", {"n": 10**9, "k": 1}),
    ("calc_binomial_probability", {"n": 10**6, "k": 5, "p": 0.5}),
    ("get_fibonacci_number", {"n": 10**9}),
    ("calculate_investment_value", {"initial_investment": 1, **PLAN, "adjust_for_inflation": False}),
    ("mat_mul", {"matA": [[1] * 99] * 150, "matB": [[1] * 99] * 99}),
    ("maxPoints", {"points": [[0, 0]] * 2_000}),
]
"""Calls with more rounds of a loop than any number of steps allows."""

BOUNDED = [
    ("math_factorial", {"n": 2_000}, BITS),
    ("calc_binomial_probability", {"n": 9_000, "k": 9_000, "p": HUGE}, STEPS),
    ("get_fibonacci_number", {"n": 50_000}, BITS),
    ("get_fibonacci_sequence", {"n": HUGE}, STEPS),
    ("get_fibonacci_sequence", {"n": 10_000}, "^Bound: the value has more than"),
    ("get_fibonacci_sequence", {"n": 100_000}, STEPS),
    ("calculate_future_value", {"present_value": 1, "interest_rate": HUGE, "periods": 10**6}, STEPS),
    ("calculate_future_value", {"present_value": 1, "interest_rate": 1, "periods": HUGE}, STEPS),
    ("calculate_future_value", {"present_value": "a", "interest_rate": 1, "periods": 99}, STEPS),
    ("calculate_electrostatic_potential_energy", {"charge": "ab", "voltage": 10**12}, STEPS),
    (
        "calculate_electrostatic_potential_energy",
        {"charge": [[]] * 9, "voltage": 10**5},
        "value has more than",
    ),
    ("calculate_electrostatic_potential_energy", {"charge": HUGE, "voltage": HUGE}, BITS),
    ("calculate_final_velocity", {"initial_velocity": [], "acceleration": 10**12, "time": [1]}, STEPS),
    ("calculate_triangle_area", {"base": (1, 2), "height": 10**12}, STEPS),
    ("calculate_displacement", {"initial_velocity": b"a", "acceleration": 1, "time": 10**12}, STEPS),
    ("quadratic_roots", {"a": "ab", "b": 1, "c": 10**12}, STEPS),
    ("math_lcm", {"a": "ab", "b": 10**12}, STEPS),
    ("mortgage_calculator", {"loan_amount": 1, "interest_rate": 1, "loan_period": "a" * 150_000}, STEPS),
    (
        "calculate_investment_value",
        {
            **PLAN,
            "initial_investment": "a",
            "annual_contribution": "b" * 9_999,
            "adjust_for_inflation": False,
        },
        STEPS,
    ),
    (
        "calculate_investment_value",
        {**PLAN, "initial_investment": HUGE, "annual_return": HUGE, "adjust_for_inflation": False},
        STEPS,
    ),
    ("mat_mul", {"matA": [[]] * 50_000, "matB": [[0] * 50_000]}, STEPS),
    ("mat_mul", {"matA": [["ab"]], "matB": [[10**12]]}, STEPS),
    ("order_food", {"item": "ab", "quantity": ["ab", "ab"], "price": [10**12] * 2}, STEPS),
    ("polygon_area", {"vertices": [["ab", 10**12]] * 3}, STEPS),
    ("calculate_cosine_similarity", {"vectorA": ["ab"], "vectorB": [10**12]}, STEPS),
    ("linear_regression", {"x": [10**12], "y": [[]], "point": 1}, "^TypeError: "),
    ("sort_array", {"array": ["x" * 1_000] * 201}, ITEMS),
    ("sort_array", {"array": [[[[0] * 60] * 60] * 60]}, ITEMS),
    ("add_binary_numbers", {"a": "1" * (MAX_ITEMS + 1), "b": "1"}, ITEMS),
    ("calculate_mean", {"numbers": [HUGE] * 1_000}, ITEMS),
    ("math_gcd", {"a": FOLLOWING, "b": FIBONACCI}, "^RecursionError: "),
    ("math_gcd", {"a": "%*d" * 9, "b": (10**9,) * 9}, "^TypeError: "),
    ("estimate_derivative", {"function": "lambda x: x**x**x**x", "x": 9}, "^(OverflowError|Bound): "),
    ("estimate_derivative", {"function": "lambda x: 0*x + 9**9**9", "x": 9}, STEPS),
    ("estimate_derivative", {"function": "lambda x: x", "x": "a" * 99}, "^TypeError: "),
    ("get_distance", {"pointA": {}, "pointB": {"\u202e\x1b[31m" * 999: 1}}, "^KeyError: 0$"),
    ("add_binary_numbers", {"a": "\u202e\ud800" * 999, "b": ""}, "^ValueError: "),
]


@pytest.mark.parametrize(
    ("name", "arguments"), ENDLESS, ids=[f"{place}-{name}" for place, (name, _) in enumerate(ENDLESS)]
)
def test_endless_loops_end_with_the_steps(name, arguments):
    """Each call ends when the steps that are left are done; its work is proportional to them."""
    with measured() as work, pytest.raises(ExecutionFailed, match=STEPS):
        Evaluator(NoApis()).value(Call(name, arguments), EvaluationWork(FEW_STEPS))
    assert work.calls < 20 * FEW_STEPS


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    BOUNDED,
    ids=[f"{place}-{name}" for place, (name, _, _) in enumerate(BOUNDED)],
)
def test_hostile_arguments_end_in_a_failure(name, arguments, message):
    """Each call that is endless, huge or meaningless fails with its reason, in bounded printable text."""
    with measured() as work, pytest.raises(ExecutionFailed, match=message) as failed:
        Evaluator(NoApis()).value(Call(name, arguments))
    assert work.calls < LIMIT_CALLS
    text = str(failed.value)
    assert text.isprintable()
    assert len(text) < 300


def test_steps_are_counted_before_they_are_done():
    """A call never does more steps than are left, and a failed one leaves none to the calls around it."""
    work = EvaluationWork(1_000)
    assert FUNCTIONS["math_factorial"].run({"n": 100}, work) > 0
    assert 1_000 - 112 <= work.steps_left <= 1_000 - 100
    with pytest.raises(ExecutionFailed):
        FUNCTIONS["calculate_electrostatic_potential_energy"].run({"charge": "a", "voltage": 10**30}, work)
    assert work.steps_left == 0
    with pytest.raises(ExecutionFailed):
        FUNCTIONS["math_factorial"].run({"n": 1}, work)


def test_values_in_memory_are_work():
    """A sequence of large numbers ends after a megabyte of them, not after a gigabyte."""
    work = EvaluationWork()
    with pytest.raises(ExecutionFailed, match=STEPS):
        FUNCTIONS["get_fibonacci_sequence"].run({"n": 100_000}, work)
    tracemalloc.start()
    try:
        with pytest.raises(ExecutionFailed):
            FUNCTIONS["get_fibonacci_sequence"].run({"n": 100_000})
        _, most_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most_bytes < 50_000_000


@pytest.mark.parametrize("name", ["sort_array", "book_room"])
def test_passing_a_large_value_on_is_work(name):
    """Calls around a call that makes a large list end at the bound: each one receives and returns it."""
    first, *others = (one.name for one in FUNCTIONS[name].parameters if one.default is one.empty)
    call = Call("calculate_electrostatic_potential_energy", {"charge": [0], "voltage": FEW_STEPS // 7})
    for _ in range(40):
        call = Call(name, {first: call, **dict.fromkeys(others, 1)})
    with measured() as work, pytest.raises(ExecutionFailed, match=STEPS):
        Evaluator(NoApis()).value(call, EvaluationWork(FEW_STEPS))
    assert work.calls < 5 * FEW_STEPS


def test_the_bounds_are_far_above_what_is_expected(entries):
    """The expected call with the most work takes about a thousandth of the steps that it may take."""
    most = 0
    for category in EXECUTED:
        for entry in entries(category):
            for call in pure_calls(entry.truth):
                work = EvaluationWork()
                FUNCTIONS[call.name].run(call.arguments, work)
                most = max(most, MAX_STEPS - work.steps_left)
    assert 1_000 < most < MAX_STEPS // 100


def test_published_large_arguments_have_values():
    """Arguments as large as any that are meant have values."""
    run = {name: function.run for name, function in FUNCTIONS.items()}
    assert run["math_factorial"]({"n": 1_500}) > 10**4_000
    assert run["get_prime_factors"]({"number": 999_983}) == [999_983]
    assert run["get_prime_factors"]({"number": 2**40}) == [2] * 40
    assert run["get_fibonacci_number"]({"n": 20_000}) > 10**4_000
    assert len(run["get_fibonacci_sequence"]({"n": 2_000})) == 2_000
    assert run["calc_binomial_probability"]({"n": 1_000, "k": 500, "p": 0.5}) == pytest.approx(
        0.0252, abs=1e-4
    )
    assert run["mat_mul"]({"matA": [[1] * 50] * 50, "matB": [[1] * 50] * 50}) == [[50] * 50] * 50
    assert run["maxPoints"]({"points": [[n, n] for n in range(1_000)]}) == 1_000
