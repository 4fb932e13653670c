"""The simulated travel agency."""

from bfcl_pipeline.tools.travel.api import TravelAPI

__all__ = ["TravelAPI"]
