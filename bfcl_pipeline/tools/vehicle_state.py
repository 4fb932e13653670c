"""What a simulated car consists of: the state that is compared, what it keeps to itself, what it displays.

Covers the start from an entry.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bfcl_pipeline.records import Json
from bfcl_pipeline.tools.api import Setting
from bfcl_pipeline.tools.state import fill

_IN_ENTRIES = {
    "engine_state": "engineState",
    "_parkingBrakeForce": "parkingBrakeForce",
    "_slopeAngle": "slopeAngle",
}
"""Defaults that have another name than entries give them."""


@dataclass(slots=True)
class VehicleState:
    """The car as far as the checker compares it."""

    fuelLevel: float  # gallons
    batteryVoltage: float
    engine_state: str  # running, stopped
    remainingUnlockedDoors: int  # counted at the start, whatever an entry says
    doorStatus: dict[str, str]  # locked or unlocked, by door
    acTemperature: float  # degrees Celsius
    fanSpeed: int  # 0 to 100
    acMode: str  # auto, cool, heat, defrost
    humidityLevel: float  # percent
    headLightStatus: str  # on, off
    parkingBrakeStatus: str  # engaged, released
    brakePedalStatus: str  # pressed, released
    distanceToNextVehicle: float  # meters
    cruiseStatus: str  # active, inactive
    destination: str  # "None" if there is none
    frontLeftTirePressure: float  # psi, as the other three
    frontRightTirePressure: float
    rearLeftTirePressure: float
    rearRightTirePressure: float
    long_context: bool  # whether fillers are added


@dataclass(slots=True)
class VehicleInternals:
    """What a car keeps to itself: shown or drawn from, never compared. Named as in an entry."""

    random_seed: int  # of temperatures and speeds
    parkingBrakeForce: float  # newtons
    slopeAngle: float  # degrees
    brakePedalForce: float  # newtons


def start(initial: Mapping[str, Json], setting: Setting) -> tuple[VehicleState, VehicleInternals]:
    """The car that an entry starts with; the release's where the entry says nothing."""
    table = setting.constants.table("vehicle_control", "DEFAULT_STATE")
    known = {**{_IN_ENTRIES.get(name, name): value for name, value in table.items()}, **initial}
    own = {
        "engine_state": known["engineState"],
        "remainingUnlockedDoors": 0,  # counted below, whatever the entry says
        "long_context": setting.long_context,
    }
    state = fill(VehicleState, own, known)
    state.remainingUnlockedDoors = 4 - list(state.doorStatus.values()).count("locked")
    return state, fill(VehicleInternals, known, {})


def instruments(state: VehicleState, internals: VehicleInternals) -> dict[str, dict[str, Any]]:
    """What there is to display of a car, by the option that asks for it."""
    return {
        "fuel": {"fuelLevel": state.fuelLevel},
        "battery": {"batteryVoltage": state.batteryVoltage},
        "doors": {"doorStatus": state.doorStatus},
        "climate": {
            "currentACTemperature": state.acTemperature,
            "fanSpeed": state.fanSpeed,
            "climateMode": state.acMode,
            "humidityLevel": state.humidityLevel,
        },
        "headlights": {"headlightStatus": state.headLightStatus},
        "parkingBrake": {
            "parkingBrakeStatus": state.parkingBrakeStatus,
            "parkingBrakeForce": internals.parkingBrakeForce,
            "slopeAngle": internals.slopeAngle,
        },
        "brakePedal": {
            "brakePedalStatus": state.brakePedalStatus,
            "brakePedalForce": internals.brakePedalForce,
        },
        "engine": {"engineState": state.engine_state},
    }
