"""Means, deviations, regressions and probabilities."""

from typing import Any

from bfcl_pipeline.world.executables.functions.integers import math_factorial
from bfcl_pipeline.world.executables.functions.work import EvaluationWork


def calculate_mean(work: EvaluationWork, numbers: Any) -> Any:
    """The arithmetic mean."""
    return work.total(numbers) / len(numbers)


def calculate_standard_deviation(work: EvaluationWork, numbers: Any) -> Any:
    """The standard deviation of the whole population."""
    mean = calculate_mean(work, numbers)
    variance = work.total((number - mean) ** 2 for number in numbers) / len(numbers)
    return variance**0.5


def linear_regression(work: EvaluationWork, x: Any, y: Any, point: Any) -> Any:
    """The value at `point` of the line of least squares through points with the coordinates x and y."""
    count = len(x)
    sum_x, sum_y = work.total(x), work.total(y)
    sum_squares = work.total(value**2 for value in x)
    sum_products = work.total(work.times(x[place], y[place]) for place in range(count))
    slope = (count * sum_products - sum_x * sum_y) / (count * sum_squares - sum_x**2)
    intercept = (sum_y - slope * sum_x) / count
    return slope * point + intercept


def calc_binomial_probability(work: EvaluationWork, n: Any, k: Any, p: Any) -> Any:
    """The probability of k successes in n trials; the order of the operations decides the last bit."""
    ways = math_factorial(work, n) / (math_factorial(work, k) * math_factorial(work, n - k))
    return ways * (work.power(p, k) * work.power(1 - p, n - k))


def calculate_permutations(work: EvaluationWork, n: Any, k: Any) -> Any:
    """The number of ordered choices of k among n, as a float."""
    return math_factorial(work, n) / math_factorial(work, n - k)
