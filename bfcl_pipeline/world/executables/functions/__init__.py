"""The 32 functions without network, by name.

Their values equal those of the official functions bit for bit, which fixes the order of their operations.
Until a bound is exceeded they raise the same exceptions. Source: gorilla, executable_python_function.py at
commit 4d05b53f.
"""

from collections.abc import Callable, Mapping
from typing import Any

from bfcl_pipeline.world.executables.functions.derivatives import estimate_derivative
from bfcl_pipeline.world.executables.functions.finance import (
    calculate_future_value,
    calculate_investment_value,
    mortgage_calculator,
)
from bfcl_pipeline.world.executables.functions.function import Function
from bfcl_pipeline.world.executables.functions.geometry import (
    calculate_triangle_area,
    geometry_area_circle,
    get_distance,
    max_points,
    polygon_area,
)
from bfcl_pipeline.world.executables.functions.integers import (
    add_binary_numbers,
    get_prime_factors,
    math_factorial,
    math_gcd,
    math_lcm,
)
from bfcl_pipeline.world.executables.functions.nutrition import calculate_nutritional_needs
from bfcl_pipeline.world.executables.functions.orders import book_room, order_food
from bfcl_pipeline.world.executables.functions.physics import (
    calculate_density,
    calculate_displacement,
    calculate_electrostatic_potential_energy,
    calculate_final_velocity,
)
from bfcl_pipeline.world.executables.functions.quadratic import quadratic_roots
from bfcl_pipeline.world.executables.functions.sequences import (
    get_fibonacci_number,
    get_fibonacci_sequence,
    sort_array,
)
from bfcl_pipeline.world.executables.functions.statistics import (
    calc_binomial_probability,
    calculate_mean,
    calculate_permutations,
    calculate_standard_deviation,
    linear_regression,
)
from bfcl_pipeline.world.executables.functions.vectors import calculate_cosine_similarity, mat_mul
from bfcl_pipeline.world.executables.functions.work import EvaluationWork

_BODIES: Mapping[str, Callable[..., Any]] = {
    "add_binary_numbers": add_binary_numbers,
    "book_room": book_room,
    "calc_binomial_probability": calc_binomial_probability,
    "calculate_cosine_similarity": calculate_cosine_similarity,
    "calculate_density": calculate_density,
    "calculate_displacement": calculate_displacement,
    "calculate_electrostatic_potential_energy": calculate_electrostatic_potential_energy,
    "calculate_final_velocity": calculate_final_velocity,
    "calculate_future_value": calculate_future_value,
    "calculate_investment_value": calculate_investment_value,
    "calculate_mean": calculate_mean,
    "calculate_nutritional_needs": calculate_nutritional_needs,
    "calculate_permutations": calculate_permutations,
    "calculate_standard_deviation": calculate_standard_deviation,
    "calculate_triangle_area": calculate_triangle_area,
    "estimate_derivative": estimate_derivative,
    "geometry_area_circle": geometry_area_circle,
    "get_distance": get_distance,
    "get_fibonacci_number": get_fibonacci_number,
    "get_fibonacci_sequence": get_fibonacci_sequence,
    "get_prime_factors": get_prime_factors,
    "linear_regression": linear_regression,
    "mat_mul": mat_mul,
    "math_factorial": math_factorial,
    "math_gcd": math_gcd,
    "math_lcm": math_lcm,
    "maxPoints": max_points,
    "mortgage_calculator": mortgage_calculator,
    "order_food": order_food,
    "polygon_area": polygon_area,
    "quadratic_roots": quadratic_roots,
    "sort_array": sort_array,
}

FUNCTIONS: Mapping[str, Function] = {name: Function.of(name, body) for name, body in _BODIES.items()}
"""Every function without network."""

__all__ = ["FUNCTIONS", "EvaluationWork", "Function"]
