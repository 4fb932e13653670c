"""Functions of everyday matters: loans, calories, motion and charges, rooms and meals."""

from typing import Any

from bfcl_pipeline.world.executables.functions.work import EvaluationWork


def mortgage_calculator(
    work: EvaluationWork, loan_amount: Any, interest_rate: Any, loan_period: Any
) -> Any:
    """The monthly payment for a loan over years at a yearly rate."""
    rate, months = interest_rate / 12, work.times(loan_period, 12)
    interest = loan_amount * rate
    growth = work.power(1 + rate, months)
    return interest * growth / (growth - 1)


def calculate_future_value(
    work: EvaluationWork, present_value: Any, interest_rate: Any, periods: Any
) -> Any:
    """The value after compound interest."""
    return work.times(present_value, work.power(1 + interest_rate, periods))


def calculate_investment_value(
    work: EvaluationWork,
    initial_investment: Any,
    annual_contribution: Any,
    years: Any,
    annual_return: Any,
    inflation_rate: Any,
    adjust_for_inflation: Any = True,
) -> Any:
    """The value of an investment after years, with the inflation of each year taken off unless told not to.

    Raises IndexError if a year has no rate of inflation, as in the release.
    """
    value = real_value = initial_investment
    for year in range(years):
        value = work.plus(work.times(value, 1 + annual_return), annual_contribution)
        if adjust_for_inflation:
            contribution_left = 1 - inflation_rate[year if year < len(inflation_rate) else -1]
            real_value = work.plus(
                work.times(real_value, 1 + annual_return - inflation_rate[year]),
                work.times(annual_contribution, contribution_left),
            )
    return real_value if adjust_for_inflation else value


_ACTIVITY = (1.2, 1.375, 1.55, 1.725, 1.9)
"""Daily energy by that at rest, for each level of activity from 1."""

_CHANGES = {"lose": -500, "gain": 500}
"""Calories that are added for a goal."""

_NUTRIENTS = {"proteins_g": (0.30, 4), "fats_g": (0.25, 9), "carbohydrates_g": (0.45, 4)}
"""The share of each nutrient in the calories, and its calories per gram."""


def calculate_nutritional_needs(
    weight: Any, height: Any, age: Any, gender: Any, activity_level: Any, goal: Any
) -> Any:
    """Daily calories and grams of nutrients; as in the release, any gender but "male" counts as female."""
    if gender == "male":
        at_rest = 88.362 + (13.397 * weight) + (4.799 * height) - (5.677 * age)
    else:
        at_rest = 447.593 + (9.247 * weight) + (3.098 * height) - (4.330 * age)
    calories = at_rest * _ACTIVITY[activity_level - 1]
    if isinstance(goal, str) and goal in _CHANGES:
        calories += _CHANGES[goal]
    return {
        "calories": calories,
        **{name: (calories * share) / per_gram for name, (share, per_gram) in _NUTRIENTS.items()},
    }


def calculate_final_velocity(
    work: EvaluationWork, initial_velocity: Any, acceleration: Any, time: Any
) -> Any:
    """The velocity after a time of constant acceleration."""
    return initial_velocity + work.times(acceleration, time)


def calculate_displacement(
    work: EvaluationWork, initial_velocity: Any, acceleration: Any, time: Any
) -> Any:
    """The way covered in a time of constant acceleration."""
    return work.times(initial_velocity, time) + 0.5 * acceleration * time**2


def calculate_electrostatic_potential_energy(work: EvaluationWork, charge: Any, voltage: Any) -> Any:
    """Charge times voltage."""
    return work.times(charge, voltage)


def calculate_density(mass: Any, volume: Any) -> Any:
    """Mass by volume."""
    return mass / volume


def book_room(
    room_type: Any,
    price: Any,
    check_in_date: Any,
    check_out_date: Any,
    customer_id: Any,
    discount_code: Any = None,
) -> Any:
    """The booking: its arguments, with the one known discount taken off the price."""
    return {
        "customer_id": customer_id,
        "room_number": room_type,
        "check_in_date": check_in_date,
        "check_out_date": check_out_date,
        "total_price": price * 0.9 if discount_code == "DISCOUNT10" else price,
    }


def order_food(work: EvaluationWork, item: Any, quantity: Any, price: Any) -> Any:
    """The price of all items together."""
    return work.total([work.times(quantity[place], price[place]) for place in range(len(item))])
