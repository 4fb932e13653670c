"""The simulated car."""

from bfcl_pipeline.world.tools.vehicle.api import VehicleControlAPI

__all__ = ["VehicleControlAPI"]
