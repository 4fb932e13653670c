"""The simulated car."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from bfcl_pipeline.world.tools import APIS, effects
from tests.world.tools.scenes import OneApi, scene_test, scenes

INITIAL: dict[str, object] = {}

SCENES = scenes(
    r"""
# Without an initial state a car is empty, unlocked and stopped.
state.fuelLevel => 0.0
state.engine_state => 'stopped'
state.remainingUnlockedDoors => 4
state.doorStatus => {'driver': 'unlocked', 'passenger': 'unlocked', 'rear_left': 'unlocked',
    'rear_right': 'unlocked'}
state.destination => 'None'
state.long_context => False

# Entries use engineState and parkingBrakeForce; the names of the state have no effect in them.
given {'engineState': 'running', 'engine_state': 3, 'parkingBrakeForce': 4.5, '_slopeAngle': 9}
displayCarStatus(option='engine') => {"engineState": "running"}
displayCarStatus(option='parkingBrake') => {"parkingBrakeStatus": "released", "parkingBrakeForce": 4.5,
    "slopeAngle": 0.0}

# The number of unlocked doors is counted; an entry's value is ignored.
given {'doorStatus': $ONE, 'remainingUnlockedDoors': 0}
state.remainingUnlockedDoors => 3

# The engine reports what is missing: locked doors, then the brake, then the full brake.
given {'doorStatus': $THREE}
startEngine(ignitionMode='START') => {"error": "All doors must be locked before starting the engine.
    Here are the unlocked doors: rear_left"}
lockDoors(unlock=False, door=['rear_left']) => {"lockStatus": "locked", "remainingUnlockedDoors": 0}
startEngine(ignitionMode='START') => {"error": "Brake pedal needs to be pressed when starting the
    engine."}
pressBrakePedal(pedalPosition=0.5) => {"brakePedalStatus": "pressed", "brakePedalForce": 500.0}
startEngine(ignitionMode='START') => {"error": "Must press the brake fully before starting the engine."}
pressBrakePedal(pedalPosition=1.0) => {"brakePedalStatus": "pressed", "brakePedalForce": 1000.0}
startEngine(ignitionMode='START') => {"engineState": "running", "fuelLevel": 0.0, "batteryVoltage":
    12.6}

# STOP stops the engine, and its result is an invalid mode.
given {'doorStatus': $LOCKED, 'fuelLevel': 10.0, 'engineState': 'running'}
pressBrakePedal(pedalPosition=1) => {"brakePedalStatus": "pressed", "brakePedalForce": 1000.0}
startEngine(ignitionMode='STOP') => {"error": "Invalid ignition mode."}
state.engine_state => 'stopped'

# A tank holds 50 gallons; an amount that does not fit changes nothing.
given {'fuelLevel': 10.0}
fillFuelTank(fuelAmount=40.5) => {"error": "Cannot fill gas above the tank capacity."}
fillFuelTank(fuelAmount=-1) => {"error": "Fuel amount cannot be negative."}
fillFuelTank(fuelAmount=40) => {"fuelLevel": 50.0}
estimate_drive_feasibility_by_mileage(distance=1000) => {"canDrive": true}
estimate_drive_feasibility_by_mileage(distance=1000.1) => {"canDrive": false}

# An unknown door fails the call, but earlier doors stay changed.
lockDoors(unlock=False, door=['driver', 'trunk', 'passenger']) => Error during execution: 'trunk'
state.doorStatus => {'driver': 'locked', 'passenger': 'unlocked', 'rear_left': 'unlocked', 'rear_right':
    'unlocked'}
state.remainingUnlockedDoors => 3

# Locking a locked door does not change the count.
lockDoors(unlock=False, door=['driver', 'driver']) => {"lockStatus": "locked", "remainingUnlockedDoors":
    3}

# A temperature in fahrenheit is stored in celsius, and repeated unchanged in the result.
adjustClimateControl(temperature=68, unit='fahrenheit') => {"currentACTemperature": 68, "climateMode":
    "auto", "humidityLevel": 50.0}
state.acTemperature => 20.0

# A temperature that is text is stored before its conversion fails; fan and mode are not.
adjustClimateControl(temperature='68', unit='fahrenheit', fanSpeed=9, mode='heat') => Error during
    execution: unsupported operand type(s) for -: 'str' and 'int'
state.acTemperature => '68'
state.fanSpeed => 50
state.acMode => 'auto'

# The result has the pedal force as a float, the display has the number that was passed.
pressBrakePedal(pedalPosition=1) => {"brakePedalStatus": "pressed", "brakePedalForce": 1000.0}
displayCarStatus(option='brakePedal') => {"brakePedalStatus": "pressed", "brakePedalForce": 1000}

# Cruise control accepts steps of 5 as numbers or text, and stores the distance of a refused speed.
given {'doorStatus': $LOCKED, 'fuelLevel': 10.0}
pressBrakePedal(pedalPosition=1) => {"brakePedalStatus": "pressed", "brakePedalForce": 1000.0}
setCruiseControl(speed=65, activate=True, distanceToNextVehicle='80') => {"error": "Start the engine
    before activating the cruise control."}
startEngine(ignitionMode='START') => {"engineState": "running", "fuelLevel": 10.0, "batteryVoltage":
    12.6}
setCruiseControl(speed=66, activate=True, distanceToNextVehicle='80') => {"error": "Invalid speed"}
state.cruiseStatus => 'inactive'
state.distanceToNextVehicle => 80.0
setCruiseControl(speed='65', activate=True, distanceToNextVehicle='80') => {"cruiseStatus": "active",
    "currentSpeed": 65.0, "distanceToNextVehicle": 80.0}
state.cruiseStatus => 'active'

# A distance is the same in both directions.
estimate_distance(cityA='94016', cityB='83214') => {"distance": 980.0}
estimate_distance(cityA='83214', cityB='94016') => {"distance": 980.0}

# An unknown place of any type has zip code 00000 and no distance.
get_zipcode_based_on_city(city='Rivermist') => {"zipcode": "83214"}
get_zipcode_based_on_city(city='Nowhere') => {"zipcode": "00000"}
get_zipcode_based_on_city(city=None) => {"zipcode": "00000"}
get_zipcode_based_on_city(city=[]) => {"zipcode": "00000"}
estimate_distance(cityA='Nowhere', cityB='94016') => {"error": "distance not found in database."}
estimate_distance(cityA=None, cityB='94016') => {"error": "distance not found in database."}
estimate_distance(cityA=[], cityB='94016') => {"error": "distance not found in database."}

# A destination that is not text is set although the call fails.
set_navigation(destination=7) => Error during execution: can only concatenate str (not "int") to str
state.destination => 7
""",
    LOCKED="{'driver': 'locked', 'passenger': 'locked', 'rear_left': 'locked', 'rear_right': 'locked'}",
    ONE="{'driver': 'locked', 'passenger': 'unlocked', 'rear_left': 'unlocked', 'rear_right': 'unlocked'}",
    THREE="{'driver': 'locked', 'passenger': 'locked', 'rear_left': 'unlocked', 'rear_right': 'locked'}",
)

test_scenes = scene_test("VehicleControlAPI", INITIAL, SCENES)


def car_of(setting, **initial):
    return OneApi("VehicleControlAPI", initial, setting).shown


@pytest.fixture
def long_setting(setting):
    return replace(setting, long_context=True)


def test_draws_follow_the_seed(setting):
    """Speeds and temperatures come from one generator, seeded by the entry."""
    drawn = Random(7)
    car = car_of(setting, random_seed=7)
    assert car("get_current_speed") == {"currentSpeed": drawn.uniform(0.0, 120.0)}
    assert car("get_outside_temperature_from_google") == {"outsideTemperature": drawn.uniform(-10.0, 40.0)}


def test_fillers_of_a_long_context(constants, long_setting):
    """In a long context, instruments, brake, distances and weather have the release's fillers."""
    car = car_of(long_setting)
    metadata = constants.text("long_context", "CAR_STATUS_METADATA_EXTENSION")
    cities = constants.items("long_context", "INTERMEDIARY_CITIES")
    assert car("displayCarStatus", option="fuel") == {"metadata": metadata, "fuelLevel": 0.0}
    assert car("check_tire_pressure")["car_info"] == metadata
    assert next(iter(car("activateParkingBrake", mode="engage"))) == "parkingBrakeInstruction"
    assert car("estimate_distance", cityA="", cityB="")["intermediaryCities"] == cities


def test_worlds_do_not_share_the_weather(constants, long_setting):
    """The long weather report of one car does not change that of another, nor the release's."""
    one, other = car_of(long_setting, random_seed=1), car_of(long_setting, random_seed=2)
    first = one("get_outside_temperature_from_google")
    assert first != other("get_outside_temperature_from_google")
    assert list(first)[-1] == "outsideTemperature"
    assert "outsideTemperature" not in constants.table("long_context", "LONG_WEATHER_EXTENSION")


def test_the_documented_functions_can_be_called(entries):
    """Every function that entries offer for the car is one of its methods."""
    entry = next(e for e in entries("multi_turn_base") if e.apis == ("VehicleControlAPI",))
    assert set(effects(APIS["VehicleControlAPI"])) == {doc["name"] for doc in entry.functions}
