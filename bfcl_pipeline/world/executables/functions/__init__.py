"""The 32 functions without network, by name.

Their values equal those of the official functions bit for bit, which fixes the order of their operations.
Until a bound is exceeded they raise the same exceptions. Source: gorilla, executable_python_function.py at
commit 4d05b53f.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from inspect import Parameter
from math import pi
from typing import Any

from bfcl_pipeline.world.executables.binding import RAISED, bound, failure, parameters_of
from bfcl_pipeline.world.executables.functions import bodies, lambdas
from bfcl_pipeline.world.executables.functions.work import EvaluationWork


@dataclass(frozen=True, slots=True)
class Function:
    """One function of the benchmark."""

    name: str
    body: Callable[..., Any]  # its first parameter may be `work`
    parameters: tuple[Parameter, ...] = field(init=False)  # in order

    def __post_init__(self) -> None:
        """Reads the parameters at once, so that a call only looks them up."""
        object.__setattr__(self, "parameters", parameters_of(self.body))

    def run(self, arguments: Mapping[str | None, Any], work: EvaluationWork | None = None) -> Any:
        """What the function returns. `arguments` are not changed.

        work: what may still be done for the call that this one is a part of; None: it is the whole call.
        Raises ExecutionFailed with the error that Python would report, or with the bound that is exceeded.
        """
        work = work or EvaluationWork()
        values = bound(self.name, self.parameters, arguments)
        work.check_arguments(values)
        counts_work = self.body.__code__.co_varnames[:1] == ("work",)
        try:
            value = self.body(work, *values) if counts_work else self.body(*values)
        except RAISED as error:
            raise failure(error) from error
        return work.checked(value)


_BODIES: Mapping[str, Callable[..., Any]] = {
    "add_binary_numbers": lambda a, b: bin(int(a, 2) + int(b, 2))[2:],
    "book_room": bodies.book_room,
    "calc_binomial_probability": bodies.calc_binomial_probability,
    "calculate_cosine_similarity": bodies.calculate_cosine_similarity,
    "calculate_density": lambda mass, volume: mass / volume,
    "calculate_displacement": lambda work, initial_velocity, acceleration, time: (
        work.times(initial_velocity, time) + 0.5 * acceleration * time**2
    ),
    "calculate_electrostatic_potential_energy": lambda work, charge, voltage: work.times(charge, voltage),
    "calculate_final_velocity": lambda work, initial_velocity, acceleration, time: (
        initial_velocity + work.times(acceleration, time)
    ),
    "calculate_future_value": lambda work, present_value, interest_rate, periods: work.times(
        present_value, work.power(1 + interest_rate, periods)
    ),
    "calculate_investment_value": bodies.calculate_investment_value,
    "calculate_mean": bodies.calculate_mean,
    "calculate_nutritional_needs": bodies.calculate_nutritional_needs,
    "calculate_permutations": lambda work, n, k: (  # the ordered choices of k among n, as a float
        bodies.math_factorial(work, n) / bodies.math_factorial(work, n - k)
    ),
    "calculate_standard_deviation": bodies.calculate_standard_deviation,
    "calculate_triangle_area": lambda work, base, height: work.times(base, height) / 2,
    "estimate_derivative": lambdas.estimate_derivative,
    "geometry_area_circle": lambda radius: pi * radius**2,
    "get_distance": lambda pointA, pointB: (
        ((pointA[0] - pointB[0]) ** 2 + (pointA[1] - pointB[1]) ** 2) ** 0.5
    ),
    "get_fibonacci_number": bodies.get_fibonacci_number,
    "get_fibonacci_sequence": bodies.get_fibonacci_sequence,
    "get_prime_factors": bodies.get_prime_factors,
    "linear_regression": bodies.linear_regression,
    "mat_mul": bodies.mat_mul,
    "math_factorial": bodies.math_factorial,
    "math_gcd": bodies.math_gcd,
    "math_lcm": lambda work, a, b: work.times(a, b) / bodies.math_gcd(work, a, b),  # as a float
    "maxPoints": bodies.max_points,
    "mortgage_calculator": bodies.mortgage_calculator,
    "order_food": lambda work, item, quantity, price: work.total(
        [work.times(quantity[place], price[place]) for place in range(len(item))]
    ),
    "polygon_area": bodies.polygon_area,
    "quadratic_roots": bodies.quadratic_roots,
    "sort_array": lambda array, reverse=False: sorted(array, reverse=reverse),
}

FUNCTIONS: Mapping[str, Function] = {name: Function(name, body) for name, body in _BODIES.items()}
"""Every function without network."""

__all__ = ["FUNCTIONS", "EvaluationWork", "Function"]
