"""The 32 functions without network, by name."""

from bfcl_pipeline.executables.functions.function import Function
from bfcl_pipeline.executables.functions.geometry import calculate_triangle_area

FUNCTIONS: dict[str, Function] = {
    "calculate_triangle_area": Function.of(calculate_triangle_area),
}
"""Every function without network."""

__all__ = ["FUNCTIONS", "Function"]
