"""The state of the simulated car: the compared part, the hidden part, and its start from an entry."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.world.tools.api import WorldConfig
from bfcl_pipeline.world.tools.state import fill

_IN_ENTRIES = {
    "engine_state": "engineState",
    "_parkingBrakeForce": "parkingBrakeForce",
    "_slopeAngle": "slopeAngle",
}
"""Names in entries of the defaults that have another name."""


@dataclass(slots=True)
class VehicleState:
    """The state that the checker compares."""

    fuelLevel: float  # gallons
    batteryVoltage: float
    engine_state: str  # running, stopped
    remainingUnlockedDoors: int  # counted at the start; an entry's value is ignored
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
    destination: str  # "None" without a destination
    frontLeftTirePressure: float  # psi, as the other three
    frontRightTirePressure: float
    rearLeftTirePressure: float
    rearRightTirePressure: float
    long_context: bool  # whether fillers are added


@dataclass(slots=True)
class VehicleInternals:
    """The hidden state: displayed or used for random numbers, never compared. Named as in entries."""

    random_seed: int  # of temperatures and speeds
    parkingBrakeForce: float  # newtons
    slopeAngle: float  # degrees
    brakePedalForce: float  # newtons


def start(initial: Mapping[str, Json], config: WorldConfig) -> tuple[VehicleState, VehicleInternals]:
    """The initial car of an entry, completed from the release's defaults."""
    table = config.constants.table("vehicle_control", "DEFAULT_STATE")
    values = {**{_IN_ENTRIES.get(name, name): value for name, value in table.items()}, **initial}
    own = {
        "engine_state": values["engineState"],
        "remainingUnlockedDoors": 0,  # counted below; the entry's value is ignored
        "long_context": config.long_context,
    }
    state = fill(VehicleState, own, values)
    state.remainingUnlockedDoors = 4 - list(state.doorStatus.values()).count("locked")
    return state, fill(VehicleInternals, values, {})


def instruments(state: VehicleState, internals: VehicleInternals) -> dict[str, dict[str, Any]]:
    """The readings that the car displays, by option."""
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
