"""The functions without network: their values, errors and parameters."""

from __future__ import annotations

import copy
import math
import statistics
from fractions import Fraction

import pytest

from bfcl_pipeline.world.executables import Evaluator, ExecutionFailed, NoApis, read_call
from bfcl_pipeline.world.executables.functions import FUNCTIONS, Function
from tests.support.executable_calls import EXECUTED, NETWORK_NAMES, pure_calls

PLAN = "initial_investment=1000, annual_contribution=100, annual_return=0.5"
ROOM = "room_type={'bed': 'king'}, price=100, check_in_date='1', check_out_date='2', customer_id=3"
BOOKING = {
    "customer_id": 3,
    "room_number": {"bed": "king"},
    "check_in_date": "1",
    "check_out_date": "2",
    "total_price": 100,
}

VALUES = [
    ("add_binary_numbers(a='0011', b='1100')", "1111"),
    ("add_binary_numbers(a='0', b='0')", "0"),
    ("add_binary_numbers(a='-11', b='1')", "b10"),  # as in the release: two characters are cut
    ("calc_binomial_probability(n=3, k=1, p=0.5)", 0.375),
    ("calc_binomial_probability(n=20, k=5, p=1/6)", math.comb(20, 5) * ((1 / 6) ** 5 * (1 - 1 / 6) ** 15)),
    ("calc_binomial_probability(n=-1, k=0, p=2)", -1.0),
    ("calculate_cosine_similarity(vectorA=[3, 0], vectorB=[0, 5])", 0.0),
    ("calculate_cosine_similarity(vectorA=[3], vectorB=[3, 4])", 0.6),
    ("calculate_density(mass=10, volume=4)", 2.5),
    ("calculate_displacement(initial_velocity=20, acceleration=-9.8, time=5)", 100 + 0.5 * -9.8 * 25),
    ("calculate_electrostatic_potential_energy(charge=5.0, voltage=10)", 50.0),
    ("calculate_electrostatic_potential_energy(charge='5', voltage=3)", "555"),
    ("calculate_final_velocity(initial_velocity=5, acceleration=2, time=10)", 25),
    ("calculate_final_velocity(initial_velocity='a', acceleration='b', time=2)", "abb"),
    ("calculate_future_value(present_value=1000, interest_rate=1, periods=3)", 8000),
    ("calculate_future_value(present_value=100, interest_rate=0.1, periods=2)", 100 * 1.1**2),
    ("calculate_mean(numbers=[1, 2, 4])", 7 / 3),
    ("calculate_mean([1, 3, 4, 6, 8])", 4.4),
    ("calculate_mean(numbers=[0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1])", 0.09999999999999999),
    ("calculate_permutations(n=7, k=3)", 210.0),
    ("calculate_permutations(n=3, k=7)", 6.0),
    ("calculate_standard_deviation(numbers=[23, 436, 1231, 123])", statistics.pstdev([23, 436, 1231, 123])),
    ("calculate_triangle_area(base=3, height=5)", 7.5),
    ("estimate_derivative(function='lambda x: 7', x=1)", 0.0),
    ("estimate_derivative(function='lambda x: 4*x', x=0)", 4.0),
    ("geometry_area_circle(radius=2)", 4 * math.pi),
    ("get_distance(pointA=(0, 0), pointB=(8, 15))", 17.0),
    ("get_distance(pointA=[1, 2, 9], pointB=[1, 2])", 0.0),
    ("get_fibonacci_number(n=1)", 0),
    ("get_fibonacci_number(n=2)", 1),
    ("get_fibonacci_number(n=15)", 377),
    ("get_fibonacci_number(n=0)", "Input should be a positive integer."),
    ("get_fibonacci_sequence(n=-3)", [0, 1]),
    ("get_fibonacci_sequence(n=8)", [0, 1, 1, 2, 3, 5, 8, 13]),
    ("get_prime_factors(number=456)", [2, 2, 2, 3, 19]),
    ("get_prime_factors(number=12.0)", [2, 2, 3]),
    ("get_prime_factors(number=-7)", []),
    ("linear_regression(x=[1, 2, 3], y=[3, 5, 7], point=10)", 21.0),
    ("mat_mul(matA=[[1, 2]], matB=[[3, 4], [5, 6]])", [[13, 16]]),
    ("mat_mul(matA=[], matB=5)", []),
    ("math_factorial(n=12)", math.factorial(12)),
    ("math_factorial(n=-3)", 1),
    ("math_factorial(n=1000)", math.factorial(1000)),
    ("math_gcd(a=1200, b=21406)", math.gcd(1200, 21406)),
    ("math_gcd(a=4.5, b=1.5)", 1.5),
    ("math_gcd(a='any', b=0)", "any"),
    ("math_lcm(a=12, b=18)", 36.0),
    ("maxPoints(points=[[1, 1], [2, 3], [4, 6], [5, 5]])", 2),
    ("maxPoints(points=[[0, 0], [1, 1], [2, 2], [5, 0]])", 3),
    ("maxPoints(points=[[1, 1], [1, 1], [1, 5], [2, 2]])", 3),  # vertical and identical points alike
    ("maxPoints(points=[[1, 1]])", 1),
    ("maxPoints(points=[])", 1),
    ("mortgage_calculator(loan_amount=1200, interest_rate=12, loan_period=1)", 1200 * 4096 / 4095),
    ("order_food(item=['a', 'b'], quantity=[10, 7], price=[5, 2])", 64),
    ("order_food(item=[], quantity=[], price=[])", 0),
    ("polygon_area(vertices=[[0, 0], [4, 0], [4, 3]])", 6.0),
    ("polygon_area(vertices=[[0, 0], [0, 2], [2, 2], [2, 0]])", 4.0),
    ("quadratic_roots(a=1, b=-5, c=6)", [3.0, 2.0]),
    (
        "quadratic_roots(a=1, b=2, c=5)",
        [{"real": -1.0, "imaginary": 2.0}, {"real": -1.0, "imaginary": -2.0}],
    ),
    ("sort_array(array=[3, 1, 2])", [1, 2, 3]),
    ("sort_array(array=[3, 1, 2], reverse=True)", [3, 2, 1]),
    ("sort_array(array='bca')", ["a", "b", "c"]),
    # Each year's return is added; inflation is taken off unless told not to.
    (
        f"calculate_investment_value({PLAN}, years=2, inflation_rate=[], adjust_for_inflation=False)",
        2500.0,
    ),
    (
        f"calculate_investment_value({PLAN}, years=2, inflation_rate=[0.25, 0.5])",
        (1000 * 1.25 + 75) * 1.0 + 50,
    ),
    (f"calculate_investment_value({PLAN}, years=0, inflation_rate=[])", 1000),
    # A booking repeats its arguments; only the one known code lowers the price.
    (f"book_room({ROOM})", BOOKING),
    (f"book_room({ROOM}, discount_code='DISCOUNT20')", BOOKING),
    (f"book_room({ROOM}, discount_code='DISCOUNT10')", BOOKING | {"total_price": 90.0}),
]


@pytest.mark.parametrize(("text", "value"), VALUES, ids=[text for text, _ in VALUES])
def test_values(text, value):
    """A call has the value that mathematics, or a property of the release, gives it, in that type."""
    found = Evaluator(NoApis()).value(read_call(text))
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(("goal", "added"), [("lose", -500), ("gain", 500), ("maintain", 0), (["gain"], 0)])
def test_values_of_nutrition(goal, added):
    """Calories follow weight, height, age, activity and goal, and nutrients are shares of them."""
    person = {"weight": 100, "height": 170, "age": 30, "gender": "male", "activity_level": 1, "goal": goal}
    needs = FUNCTIONS["calculate_nutritional_needs"].run(person)
    exact = (Fraction("88.362") + 1339.7 + Fraction("4.799") * 170 - Fraction("5.677") * 30) * Fraction(
        6, 5
    )
    assert needs["calories"] == pytest.approx(float(exact + added))
    assert 4 * needs["proteins_g"] + 9 * needs["fats_g"] + 4 * needs["carbohydrates_g"] == pytest.approx(
        needs["calories"]
    )
    assert list(needs) == ["calories", "proteins_g", "fats_g", "carbohydrates_g"]
    assert FUNCTIONS["calculate_nutritional_needs"].run({**person, "gender": "other"}) != needs


ERRORS = [
    ("add_binary_numbers(a='12', b='1')", "ValueError"),
    ("add_binary_numbers(a=11, b='1')", "TypeError"),
    ("calculate_cosine_similarity(vectorA=[1, 2], vectorB=[1])", "IndexError"),
    ("calculate_cosine_similarity(vectorA=[0], vectorB=[1])", "ZeroDivisionError"),
    ("calculate_density(mass=1, volume=0)", "ZeroDivisionError"),
    ("calculate_density(mass='50 kg', volume=2)", "TypeError"),
    ("calculate_future_value(present_value=1, interest_rate=0.5, periods=10**6)", "OverflowError"),
    ("calculate_mean(numbers=[])", "ZeroDivisionError"),
    ("calculate_mean(numbers='1, 2')", "TypeError"),
    (
        "calculate_nutritional_needs(weight=1, height=1, age=1, gender='x', activity_level=6, goal='')",
        "IndexError",
    ),
    ("estimate_derivative(function='lambda x: x', x='5')", "TypeError"),
    ("get_distance(pointA=(1,), pointB=(2, 3))", "IndexError"),
    ("get_fibonacci_sequence(n=5.0)", "TypeError"),
    ("linear_regression(x=[2, 2], y=[1, 3], point=1)", "ZeroDivisionError"),
    ("mat_mul(matA=[[1]], matB=[[1, 2], [3, 4]])", "IndexError"),
    ("math_factorial(n=5.0)", "TypeError"),
    ("math_gcd(a='%999999999d', b=7)", "TypeError"),
    ("math_lcm(a=0, b=0)", "ZeroDivisionError"),
    ("maxPoints(points=['ab', 'cd'])", "TypeError"),
    ("mortgage_calculator(loan_amount=1, interest_rate=0, loan_period=5)", "ZeroDivisionError"),
    ("mortgage_calculator(loan_amount='a', interest_rate=9**999, loan_period=5)", "OverflowError"),
    ("order_food(item=['a', 'b'], quantity=[1], price=[2])", "IndexError"),
    ("polygon_area(vertices=[[1, 2], [3, 4]])", "ValueError"),
    ("polygon_area(vertices=((1, 2), (3, 4), (1, 3)))", "AttributeError"),
    ("quadratic_roots(a=0, b=1, c=1)", "ZeroDivisionError"),
    ("sort_array(array=[1, 'a'])", "TypeError"),
    ("sort_array(array=[1], reverse='yes')", "TypeError"),
    (
        "calculate_investment_value(initial_investment=1, annual_contribution=1, years=2, annual_return=1,"
        "inflation_rate=[0.1])",
        "IndexError",
    ),
]


@pytest.mark.parametrize(("text", "error"), ERRORS, ids=[text for text, _ in ERRORS])
def test_errors(text, error):
    """A call that Python refuses fails with the name of Python's exception."""
    with pytest.raises(ExecutionFailed, match=f"^{error}: "):
        Evaluator(NoApis()).value(read_call(text))


def test_every_function_is_in_the_tables():
    """Each function has a value in the tests above."""
    tested = {text.partition("(")[0] for text, _ in VALUES}
    assert tested | {"calculate_nutritional_needs"} == set(FUNCTIONS)


def test_arguments_are_not_changed():
    """A function leaves the lists that it is given as they are."""
    vertices = [[0, 0], [4, 0], [4, 3]]
    before = copy.deepcopy(vertices)
    assert FUNCTIONS["polygon_area"].run({"vertices": vertices}) == 6.0
    assert vertices == before
    FUNCTIONS["sort_array"].run({"array": vertices})
    assert vertices == before


def test_registry_has_all_functions_of_the_release(entries):
    """The registry has the 32 expected functions without network, with the parameters of their docs."""
    expected = {
        call["call"].partition("(")[0].strip()
        for name in EXECUTED
        for entry in entries(name)
        for call in entry.truth
    }
    assert expected - NETWORK_NAMES == set(FUNCTIONS)
    assert len(FUNCTIONS) == 32
    differing = {
        (entry.entry_id, doc["name"])
        for name in EXECUTED
        for entry in entries(name)
        for doc in entry.functions
        if doc["name"] in FUNCTIONS and _documented(doc) != _parameters(FUNCTIONS[doc["name"]])
    }
    assert differing == {
        ("exec_simple_90", "book_room"),  # the price is documented as optional
        ("exec_simple_91", "book_room"),
        ("exec_multiple_45", "book_room"),  # without a price
        (
            "exec_multiple_43",
            "calculate_future_value",
        ),  # another function of this name, not the expected one
    }


def _documented(doc) -> dict[str, bool]:
    """The parameters in a function's doc, and whether each is required."""
    return {key: key in doc["parameters"]["required"] for key in doc["parameters"]["properties"]}


def _parameters(function: Function) -> dict[str, bool]:
    """The parameters of a function, and whether each is required."""
    return {parameter.name: parameter.default is parameter.empty for parameter in function.parameters}


def test_every_expected_call_without_network_has_a_value(entries):
    """The expected calls of the 134 entries that need no network can be executed, and have JSON values."""
    evaluator = Evaluator(NoApis())
    pure = 0
    for name in EXECUTED:
        for entry in entries(name):
            calls = pure_calls(entry.truth)
            pure += len(calls) == len(entry.truth)
            for call in calls:
                assert isinstance(evaluator.value(call), int | float | str | list | dict)
                assert not evaluator.uses_network(call)
    assert pure == 134
