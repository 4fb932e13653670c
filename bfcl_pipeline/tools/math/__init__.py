"""The simulated calculator."""

from bfcl_pipeline.tools.math.api import MathAPI

__all__ = ["MathAPI"]
