"""The simulated calculator."""

from bfcl_pipeline.world.tools.math.api import MathAPI

__all__ = ["MathAPI"]
