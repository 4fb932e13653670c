"""VehicleControlAPI: the controls of a car.

Covers engine, doors, brakes, climate, lights, cruise control, navigation and instruments; the known places
are in `state`. Names and quirks are the benchmark's: "STOP" stops the engine but its result is an error, an
engine starts with an empty tank, and a result repeats a temperature in the unit of the argument.
Source: the function docs and the behaviour of the release's vehicle_control.
"""

from collections.abc import Mapping
from random import Random
from typing import Any, Self

from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.world.tools.api import WorldConfig, changes, reads, refuse_call
from bfcl_pipeline.world.tools.state import copy_value
from bfcl_pipeline.world.tools.vehicle.state import (
    VehicleInternals,
    VehicleState,
    distance_km,
    instruments,
    start,
    zip_code,
)

Status = dict[str, Any]

_MODULE = "vehicle_control"
_FULL_BRAKE_FORCE = 1000  # newtons
_GALLONS_PER_LITER = 0.264172
_LITERS_PER_GALLON = 3.78541


class VehicleControlAPI:
    """The car."""

    def __init__(self, state: VehicleState, internals: VehicleInternals, config: WorldConfig) -> None:
        self.state = state
        self._internals = internals
        self._constants = config.constants
        self._random = Random(internals.random_seed)  # noqa: S311  # the release's generator
        self._weather: Status = {}  # weather report of a long context, updated by each call
        if state.long_context:
            self._weather = copy_value(config.constants.table("long_context", "LONG_WEATHER_EXTENSION"))

    @classmethod
    def load(cls, initial: Mapping[str, Json], config: WorldConfig) -> Self:
        """The initial car of an entry, completed from the release's defaults."""
        return cls(*start(initial, config), config)

    @changes
    def activateParkingBrake(self, mode: str) -> Status:
        """Engages or releases the parking brake; in both cases the slope becomes 10 degrees."""
        if mode not in ("engage", "release"):
            return refuse_call("Invalid mode")
        engage = mode == "engage"
        self.state.parkingBrakeStatus = "engaged" if engage else "released"
        self._internals.parkingBrakeForce = 500.0 if engage else 0.0
        self._internals.slopeAngle = 10.0
        return {
            **self._filler("parkingBrakeInstruction", "PARKING_BRAKE_INSTRUCTION"),
            "parkingBrakeStatus": self.state.parkingBrakeStatus,
            "_parkingBrakeForce": self._internals.parkingBrakeForce,
            "_slopeAngle": self._internals.slopeAngle,
        }

    @changes
    def adjustClimateControl(
        self, temperature: float, unit: str = "celsius", fanSpeed: int = 50, mode: str = "auto"
    ) -> Status:
        """Sets temperature, fan and mode; the temperature is set even if its conversion fails."""
        if not 0 <= fanSpeed <= 100:
            return refuse_call("Fan speed must be between 0 and 100.")
        state = self.state
        state.acTemperature = temperature
        if unit == "fahrenheit":
            state.acTemperature = (temperature - 32) * 5 / 9
        state.fanSpeed = fanSpeed
        state.acMode = mode
        return {
            "currentACTemperature": temperature,
            "climateMode": mode,
            "humidityLevel": state.humidityLevel,
        }

    @reads
    def check_tire_pressure(self) -> Status:
        """The pressure of each tire, and whether the mean is between 30 and 35 psi."""
        state = self.state
        front = state.frontLeftTirePressure + state.frontRightTirePressure
        mean = (front + state.rearLeftTirePressure + state.rearRightTirePressure) / 4
        return {
            "frontLeftTirePressure": state.frontLeftTirePressure,
            "frontRightTirePressure": state.frontRightTirePressure,
            "rearLeftTirePressure": state.rearLeftTirePressure,
            "rearRightTirePressure": state.rearRightTirePressure,
            "healthy_tire_pressure": 30 <= mean <= 35,
            "car_info": {},
            **self._filler("car_info", "CAR_STATUS_METADATA_EXTENSION"),
        }

    @reads
    def displayCarStatus(self, option: str) -> Status:
        """The instrument readings for one part of the car."""
        shown = instruments(self.state, self._internals).get(option) if isinstance(option, str) else None
        metadata = self._filler("metadata", "CAR_STATUS_METADATA_EXTENSION")
        return {**metadata, **(shown or refuse_call("Invalid option"))}

    @reads
    def display_log(self, messages: list[str]) -> Status:
        """The messages, unchanged."""
        return {"log": messages}

    @reads
    def estimate_distance(self, cityA: str, cityB: str) -> Status:
        """Kilometers between two zip codes; a long context adds cities on the way in any case."""
        distance = distance_km(cityA, cityB)
        result: Status = {"distance": distance}
        if distance is None:
            result = refuse_call("distance not found in database.")
        if self.state.long_context:
            result["intermediaryCities"] = self._constants.items("long_context", "INTERMEDIARY_CITIES")
        return result

    @reads
    def estimate_drive_feasibility_by_mileage(self, distance: float) -> Status:
        """Whether the fuel is sufficient for that many miles."""
        too_far = self.state.fuelLevel * self._figure("MILE_PER_GALLON") < distance
        return {"canDrive": not too_far}

    @changes
    def fillFuelTank(self, fuelAmount: float) -> Status:
        """Adds that many gallons if they fit into the tank."""
        if fuelAmount < 0:
            return refuse_call("Fuel amount cannot be negative.")
        level = self.state.fuelLevel + fuelAmount
        if level > self._figure("MAX_FUEL_LEVEL"):
            return refuse_call("Cannot fill gas above the tank capacity.")
        if level < self._figure("MIN_FUEL_LEVEL"):
            return refuse_call("Fuel tank is empty. Min fuel level is 0 gallons.")
        self.state.fuelLevel = level
        return {"fuelLevel": level}

    @reads
    def find_nearest_tire_shop(self) -> Status:
        """The address of the only tire shop."""
        return {"shopLocation": "456 Oakwood Avenue, Rivermist, 83214"}

    @reads
    def gallon_to_liter(self, gallon: float) -> Status:
        """Gallons in liters."""
        return {"liter": gallon * _LITERS_PER_GALLON}

    @changes
    def get_current_speed(self) -> Status:
        """A new random speed, 0 to 120 km/h, even if the engine is off."""
        return {"currentSpeed": self._random.uniform(0.0, 120.0)}

    @changes
    def get_outside_temperature_from_google(self) -> Status:
        """A new random temperature, -10 to 40 degrees Celsius."""
        report = self._weather if self.state.long_context else {}
        report["outsideTemperature"] = self._random.uniform(-10.0, 40.0)
        return report

    @reads
    def get_outside_temperature_from_weather_com(self) -> Status:
        """An error: this service is always down."""
        return {"error": 404}

    @reads
    def get_zipcode_based_on_city(self, city: str) -> Status:
        """The zip code of a city; zeros for an unknown city."""
        return {"zipcode": zip_code(city)}

    @reads
    def liter_to_gallon(self, liter: float) -> Status:
        """Liters in gallons."""
        return {"gallon": liter * _GALLONS_PER_LITER}

    @changes
    def lockDoors(self, unlock: bool, door: list[str]) -> Status:
        """Locks or unlocks doors; the doors before an unknown one stay changed."""
        state = self.state
        wanted, step = ("unlocked", 1) if unlock else ("locked", -1)
        for name in door:
            if state.doorStatus[name] != wanted:
                state.doorStatus[name] = wanted
                state.remainingUnlockedDoors += step
        return {"lockStatus": wanted, "remainingUnlockedDoors": state.remainingUnlockedDoors}

    @changes
    def pressBrakePedal(self, pedalPosition: float) -> Status:
        """Presses the brake pedal by 0 (released) to 1 (full)."""
        if not 0 <= pedalPosition <= 1:
            return refuse_call("Pedal position must be between 0 and 1.")
        if pedalPosition == 0:
            return self._set_brake("released", 0.0)
        return self._set_brake("pressed", pedalPosition * _FULL_BRAKE_FORCE)

    @changes
    def releaseBrakePedal(self) -> Status:
        """Releases the brake pedal."""
        return self._set_brake("released", 0.0)

    @changes
    def setCruiseControl(self, speed: float, activate: bool, distanceToNextVehicle: float) -> Status:
        """Switches cruise control; needs a speed of 0 to 120 in steps of 5. Numbers may be text."""
        distance = float(distanceToNextVehicle)
        speed = float(speed)
        if self.state.engine_state == "stopped":
            return refuse_call("Start the engine before activating the cruise control.")
        self.state.distanceToNextVehicle = distance
        if activate and (speed < 0 or speed > 120 or speed % 5 != 0):
            return refuse_call("Invalid speed")
        self.state.cruiseStatus = "active" if activate else "inactive"
        return {
            "cruiseStatus": self.state.cruiseStatus,
            "currentSpeed": speed,
            "distanceToNextVehicle": distance,
        }

    @changes
    def setHeadlights(self, mode: str) -> Status:
        """Switches the headlights; "auto" means off."""
        if mode not in ("on", "off", "auto"):
            return refuse_call("Invalid headlight mode.")
        self.state.headLightStatus = "on" if mode == "on" else "off"
        return {"headlightStatus": self.state.headLightStatus}

    @changes
    def set_navigation(self, destination: str) -> Status:
        """Sets the destination, even if it is not text and the result fails."""
        self.state.destination = destination
        return {"status": "Navigating to " + destination}

    @changes
    def startEngine(self, ignitionMode: str) -> Status:
        """Starts the engine if the doors are locked and the brake is pressed; "STOP" always stops it."""
        state = self.state
        if ignitionMode == "STOP":
            state.engine_state = "stopped"
        if state.remainingUnlockedDoors > 0:
            unlocked = [door for door, status in state.doorStatus.items() if status == "unlocked"]
            return refuse_call(
                "All doors must be locked before starting the engine. "
                f"Here are the unlocked doors: {', '.join(unlocked)}"
            )
        if state.brakePedalStatus != "pressed":
            return refuse_call("Brake pedal needs to be pressed when starting the engine.")
        if self._internals.brakePedalForce != _FULL_BRAKE_FORCE:
            return refuse_call("Must press the brake fully before starting the engine.")
        if state.fuelLevel < self._figure("MIN_FUEL_LEVEL"):
            return refuse_call("Fuel tank is empty.")
        if ignitionMode != "START":
            return refuse_call("Invalid ignition mode.")
        state.engine_state = "running"
        return {
            "engineState": state.engine_state,
            "fuelLevel": state.fuelLevel,
            "batteryVoltage": state.batteryVoltage,
        }

    def _set_brake(self, status: str, force: float) -> Status:
        self.state.brakePedalStatus = status
        self._internals.brakePedalForce = force  # unconverted: the display shows an int as an int
        return {"brakePedalStatus": status, "brakePedalForce": float(force)}

    def _figure(self, name: str) -> float:
        return self._constants.number(_MODULE, name)

    def _filler(self, key: str, name: str) -> Status:
        """The filler text `name` under `key`, in a long context only."""
        return {key: self._constants.text("long_context", name)} if self.state.long_context else {}
