"""The state of the travel agency, its start from an entry, its checks, and figures that stay the same.

Each check returns an error text, or None if it passes. Figures are airports, fares and exchange rates.
Arguments come from a model and may have any type; exceptions that Python raises become results.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from random import Random
from typing import Any

from bfcl_pipeline.benchmark.constants import Constants
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.world.tools.api import BoundExceeded, WorldConfig
from bfcl_pipeline.world.tools.state import copy_value, fill

Record = dict[str, Any]


@dataclass(slots=True)
class TravelState:
    """The state that the checker compares."""

    credit_card_list: dict[str, Record]  # by card id, not by card number
    booking_record: dict[str, Record]  # by booking id
    access_token: str | None
    token_type: str | None
    token_expires_in: int | None  # 0 if expired, None before any authentication
    token_scope: str | None
    user_first_name: str | None
    user_last_name: str | None
    budget_limit: float | None  # US dollars
    long_context: bool  # whether fillers are added


@dataclass(slots=True)
class _Hidden:
    random_seed: int


def start(initial: Mapping[str, Json], config: WorldConfig) -> tuple[TravelState, Random]:
    """The initial state of an entry, and the generator of ids and balances.

    A long context adds cards and bookings with ids that the entry does not use. In the release all
    conversations share them; here each conversation has its own copies.
    """
    defaults = config.constants.table("travel_booking", "DEFAULT_STATE")
    state = fill(TravelState, {**initial, "long_context": config.long_context}, defaults)
    if config.long_context:
        _add_missing(state.credit_card_list, config, "CREDIT_CARD_EXTENSION")
        _add_missing(state.booking_record, config, "BOOKING_RECORD_EXTENSION")
    seed = fill(_Hidden, initial, defaults).random_seed
    return state, Random(seed)  # noqa: S311  # the release's generator; not for secrets


def _add_missing(records: dict[str, Record], config: WorldConfig, filler: str) -> None:
    for key, record in config.constants.table("long_context", filler).items():
        if key not in records:
            records[key] = copy_value(record)


CLASSES = {"economy": 1, "business": 2, "first": 5}
"""The travel classes, each with its factor on the fare of a route."""

MAX_REPEATED = 1_000
"""Length of a text or list as the value to convert; Python repeats it, 110 times for yen."""

_MODULE = "travel_booking"


class Figures:
    """The agency's tables."""

    def __init__(self, constants: Constants) -> None:
        self.airports: list[str] = constants.items(_MODULE, "TravelAPI.list_all_airports.return")
        self._by_city = constants.table(_MODULE, "TravelAPI.get_nearest_airport_by_city.airport_map")
        self._fares = dict(constants.pairs(_MODULE, "TravelAPI.get_flight_cost.base_costs"))
        self._rates = constants.pairs(_MODULE, "TravelAPI.compute_exchange_rate.exchange_rates")

    def airport_of(self, city: Any) -> str:
        """The airport code of a city."""
        code: str = self._by_city.get(city, "Unknown")
        return code

    def fare(self, route: tuple[Any, Any], travel_class: Any, travel_date: Any) -> float:
        """The fare of a flight in US dollars. Raises ValueError for an unknown route or class."""
        factor = self._factor(route, travel_class, travel_date)
        return float(self._fares[route] * factor)

    def fares_of_all(self, route: tuple[Any, Any], travel_class: Any, travel_date: Any) -> list[float]:
        """The fares on all routes in US dollars. Raises ValueError for an unknown `route` or class."""
        factor = self._factor(route, travel_class, travel_date)
        return [float(fare * factor) for fare in self._fares.values()]

    def exchanged(self, base: Any, target: Any, value: Any) -> float:
        """`value` in the target currency. Raises ValueError unless one of the two is the US dollar."""
        for (dollar, other), rate in self._rates:
            if base == dollar and target == other:
                if isinstance(value, str | list | tuple) and len(value) > MAX_REPEATED:
                    raise BoundExceeded("the value to convert is too long")
                return float(value * rate)  # a text of digits is repeated, then read
            if base == other and target == dollar:
                cents: float = round(value / rate, 2)
                return cents
        raise ValueError("No available exchange rate for the given currencies.")

    def _factor(self, route: tuple[Any, Any], travel_class: Any, travel_date: Any) -> int:
        """The factor on a base fare by class and date; it doubles if the date's digit sum is even."""
        if route not in self._fares:
            raise ValueError("No available route for the given airports.")
        of_class = next((factor for name, factor in CLASSES.items() if name == travel_class), None)
        if of_class is None:
            raise ValueError("Invalid travel class. Options are: economy, business, first.")
        is_odd = sum(int(char) for char in travel_date if char.isdigit()) % 2
        return of_class if is_odd else 2 * of_class


_DATE = "%Y-%m-%d"
_ADULT = 18  # years


def token_problem(state: TravelState, access_token: Any) -> str | None:
    """Checks the access token; before any authentication it is None."""
    if state.token_expires_in == 0:
        return "Token expired"
    return "Invalid access token" if access_token != state.access_token else None


def booking_problem(state: TravelState, booking_id: Any) -> str | None:
    """Checks that the booking exists."""
    return None if booking_id in state.booking_record else "Booking not found"


def payment_problem(state: TravelState, card_id: Any) -> str | None:
    """Checks that the card is registered and has a balance."""
    if card_id not in state.credit_card_list:
        return "Card not registered"
    return None if "balance" in state.credit_card_list[card_id] else "Balance not found"


def trip_problem(airports: list[str], day: Any, origin: Any, destination: Any, of_class: Any) -> str | None:
    """Checks airports, date and class of a trip."""
    if origin not in airports:
        return f"Invalid departure airport code: {origin}"
    if destination not in airports:
        return f"Invalid destination airport code: {destination}"
    try:
        datetime.strptime(day, _DATE)
    except ValueError:
        return "Invalid date format. Use YYYY-MM-DD."
    if of_class not in CLASSES:
        # The release prints a set, in an order that differs between processes; here the order is fixed.
        known = ", ".join(map(repr, CLASSES))
        return f"Invalid travel class. Must be one of {{{known}}}"
    return None


def traveler_problem(
    state: TravelState, name: tuple[Any, Any], birthday: Any, passport: Any, today: date
) -> str | None:
    """Checks that a traveler (first and last name) is the user, is an adult, and has a US passport."""
    first, last = name
    if state.user_first_name != first or state.user_last_name != last:
        expected = f"Expected {state.user_first_name} {state.user_last_name}"
        return f"Cannot book flight information for another user.{expected}, got {first} {last}"
    try:
        born = datetime.strptime(birthday, _DATE)
    except ValueError:
        return "Invalid date of birth format. Please use YYYY-MM-DD."
    birthday_is_to_come = (today.month, today.day) < (born.month, born.day)
    if today.year - born.year - birthday_is_to_come < _ADULT:
        return "Traveler must be at least 18 years old."
    return None if passport.startswith("US") else "Passport must be issued by the United States."
