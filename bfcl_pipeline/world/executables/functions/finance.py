"""Loans and investments."""

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
