"""The simulated car."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random

import pytest

from bfcl_pipeline.benchmark.records import Call
from bfcl_pipeline.world.tools import APIS, World, effects

DOORS = ["driver", "passenger", "rear_left", "rear_right"]
LOCKED = dict.fromkeys(DOORS, "locked")
UNLOCKED = dict.fromkeys(DOORS, "unlocked")


class Car:
    """A world with only a car."""

    def __init__(self, setting, **initial):
        self.world = World.of(["VehicleControlAPI"], {"VehicleControlAPI": initial}, setting, "test")

    def __call__(self, name, **arguments):
        text = self.world.run(Call(name, arguments))
        return json.loads(text) if text.startswith("{") else text

    @property
    def state(self):
        return self.world.states()["VehicleControlAPI"]


@pytest.fixture
def car(setting):
    return Car(setting)


@pytest.fixture
def long_setting(setting):
    return replace(setting, long_context=True)


def ready(setting, **initial):
    """A car that is locked, with the brake fully pressed."""
    car = Car(setting, **{"doorStatus": LOCKED, "fuelLevel": 10.0, **initial})
    car("pressBrakePedal", pedalPosition=1)
    return car


def test_the_start(car):
    """Without an initial state a car is empty, unlocked and stopped."""
    state = car.state
    assert (state.fuelLevel, state.engine_state, state.remainingUnlockedDoors) == (0.0, "stopped", 4)
    assert (state.doorStatus, state.destination, state.long_context) == (UNLOCKED, "None", False)


def test_names_of_entries(setting):
    """Entries use engineState and parkingBrakeForce; the names of the state have no effect in them."""
    car = Car(setting, engineState="running", engine_state=3, parkingBrakeForce=4.5, _slopeAngle=9)
    assert car("displayCarStatus", option="engine") == {"engineState": "running"}
    assert car("displayCarStatus", option="parkingBrake") == {
        "parkingBrakeStatus": "released",
        "parkingBrakeForce": 4.5,
        "slopeAngle": 0.0,
    }


def test_unlocked_doors_are_counted(setting):
    """The number of unlocked doors is counted; an entry's value is ignored."""
    car = Car(setting, doorStatus={**UNLOCKED, "driver": "locked"}, remainingUnlockedDoors=0)
    assert car.state.remainingUnlockedDoors == 3


def test_an_engine_starts_locked_and_braked(setting):
    """The engine reports what is missing: locked doors, then the brake, then the full brake."""
    car = Car(setting, doorStatus={**LOCKED, "rear_left": "unlocked"})
    start = {"ignitionMode": "START"}
    assert car("startEngine", **start)["error"].endswith("Here are the unlocked doors: rear_left")
    car("lockDoors", unlock=False, door=["rear_left"])
    assert car("startEngine", **start) == {
        "error": "Brake pedal needs to be pressed when starting the engine."
    }
    car("pressBrakePedal", pedalPosition=0.5)
    assert car("startEngine", **start) == {
        "error": "Must press the brake fully before starting the engine."
    }
    car("pressBrakePedal", pedalPosition=1.0)
    assert car("startEngine", **start) == {
        "engineState": "running",
        "fuelLevel": 0.0,
        "batteryVoltage": 12.6,
    }


def test_stop_is_an_invalid_mode(setting):
    """STOP stops the engine, and its result is an invalid mode."""
    car = ready(setting, engineState="running")
    assert car("startEngine", ignitionMode="STOP") == {"error": "Invalid ignition mode."}
    assert car.state.engine_state == "stopped"


def test_the_tank_is_bounded(setting):
    """A tank holds 50 gallons; an amount that does not fit changes nothing."""
    car = Car(setting, fuelLevel=10.0)
    assert car("fillFuelTank", fuelAmount=40.5) == {"error": "Cannot fill gas above the tank capacity."}
    assert car("fillFuelTank", fuelAmount=-1) == {"error": "Fuel amount cannot be negative."}
    assert car("fillFuelTank", fuelAmount=40) == {"fuelLevel": 50.0}
    assert car("estimate_drive_feasibility_by_mileage", distance=1000) == {"canDrive": True}
    assert car("estimate_drive_feasibility_by_mileage", distance=1000.1) == {"canDrive": False}


def test_doors_listed_before_an_unknown_door_change(car):
    """An unknown door fails the call, but earlier doors stay changed."""
    call = car("lockDoors", unlock=False, door=["driver", "trunk", "passenger"])
    assert call == "Error during execution: 'trunk'"
    assert car.state.doorStatus == {**UNLOCKED, "driver": "locked"}
    assert car.state.remainingUnlockedDoors == 3


def test_a_door_counts_once(car):
    """Locking a locked door does not change the count."""
    answer = car("lockDoors", unlock=False, door=["driver", "driver"])
    assert answer == {"lockStatus": "locked", "remainingUnlockedDoors": 3}


def test_fahrenheit_is_repeated(car):
    """A temperature in fahrenheit is stored in celsius, and repeated unchanged in the result."""
    answer = car("adjustClimateControl", temperature=68, unit="fahrenheit")
    assert answer["currentACTemperature"] == 68
    assert car.state.acTemperature == 20.0


def test_a_temperature_that_cannot_be_converted_stays(car):
    """A temperature that is text is stored before its conversion fails; fan and mode are not."""
    answer = car("adjustClimateControl", temperature="68", unit="fahrenheit", fanSpeed=9, mode="heat")
    assert answer == "Error during execution: unsupported operand type(s) for -: 'str' and 'int'"
    assert (car.state.acTemperature, car.state.fanSpeed, car.state.acMode) == ("68", 50, "auto")


def test_the_brake_is_shown_as_pressed(car):
    """The result has the pedal force as a float, the display has the number that was passed."""
    assert car.world.run(Call("pressBrakePedal", {"pedalPosition": 1})).endswith(
        '"brakePedalForce": 1000.0}'
    )
    shown = car.world.run(Call("displayCarStatus", {"option": "brakePedal"}))
    assert shown == '{"brakePedalStatus": "pressed", "brakePedalForce": 1000}'


def test_cruise_control(setting):
    """Cruise control accepts steps of 5 as numbers or text, and stores the distance of a refused speed."""
    car = ready(setting)
    cruise = {"activate": True, "distanceToNextVehicle": "80"}
    stopped = {"error": "Start the engine before activating the cruise control."}
    assert car("setCruiseControl", speed=65, **cruise) == stopped
    car("startEngine", ignitionMode="START")
    assert car("setCruiseControl", speed=66, **cruise) == {"error": "Invalid speed"}
    assert (car.state.cruiseStatus, car.state.distanceToNextVehicle) == ("inactive", 80.0)
    assert car("setCruiseControl", speed="65", **cruise)["currentSpeed"] == 65.0
    assert car.state.cruiseStatus == "active"


@pytest.mark.parametrize("zips", [("94016", "83214"), ("83214", "94016")])
def test_distances_are_symmetric(car, zips):
    """A distance is the same in both directions."""
    assert car("estimate_distance", cityA=zips[0], cityB=zips[1]) == {"distance": 980.0}


@pytest.mark.parametrize("place", ["Nowhere", None, [], {}])
def test_unknown_places(car, place):
    """An unknown place of any type has zip code 00000 and no distance."""
    assert car("get_zipcode_based_on_city", city=place) == {"zipcode": "00000"}
    assert car("estimate_distance", cityA=place, cityB="94016") == {
        "error": "distance not found in database."
    }
    assert car("get_zipcode_based_on_city", city="Rivermist") == {"zipcode": "83214"}


def test_a_destination_that_is_not_text(car):
    """A destination that is not text is set although the call fails."""
    answer = car("set_navigation", destination=7)
    assert answer == 'Error during execution: can only concatenate str (not "int") to str'
    assert car.state.destination == 7


def test_draws_follow_the_seed(setting):
    """Speeds and temperatures come from one generator, seeded by the entry."""
    drawn = Random(7)
    car = Car(setting, random_seed=7)
    assert car("get_current_speed") == {"currentSpeed": drawn.uniform(0.0, 120.0)}
    assert car("get_outside_temperature_from_google") == {"outsideTemperature": drawn.uniform(-10.0, 40.0)}


def test_fillers_of_a_long_context(constants, long_setting):
    """In a long context, instruments, brake, distances and weather have the release's fillers."""
    car = Car(long_setting)
    metadata = constants.text("long_context", "CAR_STATUS_METADATA_EXTENSION")
    cities = constants.items("long_context", "INTERMEDIARY_CITIES")
    assert car("displayCarStatus", option="fuel") == {"metadata": metadata, "fuelLevel": 0.0}
    assert car("check_tire_pressure")["car_info"] == metadata
    assert next(iter(car("activateParkingBrake", mode="engage"))) == "parkingBrakeInstruction"
    assert car("estimate_distance", cityA="", cityB="")["intermediaryCities"] == cities


def test_worlds_do_not_share_the_weather(constants, long_setting):
    """The long weather report of one car does not change that of another, nor the release's."""
    one, other = Car(long_setting, random_seed=1), Car(long_setting, random_seed=2)
    first = one("get_outside_temperature_from_google")
    assert first != other("get_outside_temperature_from_google")
    assert list(first)[-1] == "outsideTemperature"
    assert "outsideTemperature" not in constants.table("long_context", "LONG_WEATHER_EXTENSION")


def test_the_documented_functions_can_be_called(entries):
    """Every function that entries offer for the car is one of its methods."""
    entry = next(e for e in entries("multi_turn_base") if e.apis == ("VehicleControlAPI",))
    assert set(effects(APIS["VehicleControlAPI"])) == {doc["name"] for doc in entry.functions}
