"""The roots of quadratic equations."""

from typing import Any

from bfcl_pipeline.world.executables.functions.work import EvaluationWork


def quadratic_roots(work: EvaluationWork, a: Any, b: Any, c: Any) -> Any:
    """Two floats, or two {real, imaginary}; the root with the plus sign is the first."""
    discriminant = b**2 - work.times(work.times(4, a), c)
    if discriminant >= 0:
        root = discriminant**0.5
        return [(-b + root) / (2 * a), (-b - root) / (2 * a)]
    real = -b / (2 * a)
    imaginary = (abs(discriminant) ** 0.5) / (2 * a)
    return [{"real": real, "imaginary": imaginary}, {"real": real, "imaginary": -imaginary}]
