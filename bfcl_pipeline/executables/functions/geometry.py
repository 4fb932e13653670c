"""Areas and distances."""

from typing import Any


def calculate_triangle_area(base: Any, height: Any) -> Any:
    """Half of base times height."""
    return base * height * 0.5
