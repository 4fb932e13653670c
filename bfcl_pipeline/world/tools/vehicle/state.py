"""The state of the simulated car, its start from an entry, and the places of its navigation.

The state has a compared part and a hidden one. Places are zip codes by city, and distances between zip
codes, of which some have no city in the directory. Source: the behaviour of the release's vehicle_control.
"""

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


UNKNOWN_ZIP_CODE = "00000"
"""The zip code of an unknown city."""

_ZIP_CODES: Mapping[str, str] = {
    "Autumnville": "51479",
    "Crescent Hollow": "69238",
    "Maplecrest": "56108",
    "Oakendale": "47329",
    "Rivermist": "83214",
    "San Francisco": "94016",
    "Shadowridge": "71354",
    "Silverpine": "62947",
    "Stonebrook": "74532",
    "Sunset Valley": "83462",
    "Willowbend": "52013",
}

_DISTANCES_KM: Mapping[str, Mapping[str, float]] = {
    "08540": {"94016": 1950.0, "94704": 2550.0},
    "47329": {"52013": 290.0, "62947": 1053.0},
    "51479": {"69238": 630.0},
    "56108": {"62947": 320.0},
    "62947": {"94016": 780.0},
    "71354": {"83462": 450.0},
    "74532": {"83214": 750.0, "94016": 880.0},
    "83214": {"94016": 980.0},
    "94016": {"94704": 600.0},
}  # from the lower zip code to the higher ones


def zip_code(city: object) -> str:
    """The zip code of `city`; a value that is not text is an unknown city."""
    return _ZIP_CODES.get(city, UNKNOWN_ZIP_CODE) if isinstance(city, str) else UNKNOWN_ZIP_CODE


def distance_km(first: object, second: object) -> float | None:
    """The distance between two zip codes, the same in both directions; None if it is unknown."""
    if not (isinstance(first, str) and isinstance(second, str)):
        return None
    return _DISTANCES_KM.get(min(first, second), {}).get(max(first, second))
