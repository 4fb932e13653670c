"""The simulated travel agency."""

from bfcl_pipeline.world.tools.travel.api import TravelAPI

__all__ = ["TravelAPI"]
