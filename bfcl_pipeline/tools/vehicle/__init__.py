"""The simulated car."""

from bfcl_pipeline.tools.vehicle.api import VehicleControlAPI

__all__ = ["VehicleControlAPI"]
