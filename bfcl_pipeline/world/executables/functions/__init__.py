"""The 32 functions without network, by name.

Their values equal those of the official functions bit for bit, which fixes the order of their operations.
Until a bound is exceeded they raise the same exceptions. Source: gorilla, executable_python_function.py at
commit 4d05b53f.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import Parameter, signature
from typing import Any

from bfcl_pipeline.world.executables.binding import RAISED, bound, failure, parameters_of
from bfcl_pipeline.world.executables.functions import everyday, lambdas, numbers
from bfcl_pipeline.world.executables.functions.work import EvaluationWork


@dataclass(frozen=True, slots=True)
class Function:
    """One function of the benchmark."""

    name: str
    body: Callable[..., Any]  # its first parameter may be `work`

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters, in order."""
        return parameters_of(self.body)

    def run(self, arguments: Mapping[str | None, Any], work: EvaluationWork | None = None) -> Any:
        """What the function returns. `arguments` are not changed.

        work: what may still be done for the call that this one is a part of; None: it is the whole call.
        Raises ExecutionFailed with the error that Python would report, or with the bound that is exceeded.
        """
        work = work or EvaluationWork()
        values = bound(self.name, self.parameters, arguments)
        work.check_arguments(values)
        counts_work = len(self.parameters) < len(signature(self.body).parameters)
        try:
            value = self.body(work, *values) if counts_work else self.body(*values)
        except RAISED as error:
            raise failure(error) from error
        return work.checked(value)


_BODIES: Mapping[str, Callable[..., Any]] = {
    "add_binary_numbers": numbers.add_binary_numbers,
    "book_room": everyday.book_room,
    "calc_binomial_probability": numbers.calc_binomial_probability,
    "calculate_cosine_similarity": numbers.calculate_cosine_similarity,
    "calculate_density": everyday.calculate_density,
    "calculate_displacement": everyday.calculate_displacement,
    "calculate_electrostatic_potential_energy": everyday.calculate_electrostatic_potential_energy,
    "calculate_final_velocity": everyday.calculate_final_velocity,
    "calculate_future_value": everyday.calculate_future_value,
    "calculate_investment_value": everyday.calculate_investment_value,
    "calculate_mean": numbers.calculate_mean,
    "calculate_nutritional_needs": everyday.calculate_nutritional_needs,
    "calculate_permutations": numbers.calculate_permutations,
    "calculate_standard_deviation": numbers.calculate_standard_deviation,
    "calculate_triangle_area": numbers.calculate_triangle_area,
    "estimate_derivative": lambdas.estimate_derivative,
    "geometry_area_circle": numbers.geometry_area_circle,
    "get_distance": numbers.get_distance,
    "get_fibonacci_number": numbers.get_fibonacci_number,
    "get_fibonacci_sequence": numbers.get_fibonacci_sequence,
    "get_prime_factors": numbers.get_prime_factors,
    "linear_regression": numbers.linear_regression,
    "mat_mul": numbers.mat_mul,
    "math_factorial": numbers.math_factorial,
    "math_gcd": numbers.math_gcd,
    "math_lcm": numbers.math_lcm,
    "maxPoints": numbers.max_points,
    "mortgage_calculator": everyday.mortgage_calculator,
    "order_food": everyday.order_food,
    "polygon_area": numbers.polygon_area,
    "quadratic_roots": numbers.quadratic_roots,
    "sort_array": numbers.sort_array,
}

FUNCTIONS: Mapping[str, Function] = {name: Function(name, body) for name, body in _BODIES.items()}
"""Every function without network."""

__all__ = ["FUNCTIONS", "EvaluationWork", "Function"]
