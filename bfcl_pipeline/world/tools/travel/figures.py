"""Airports, fares and exchange rates of the travel agency, which do not depend on its state.

Arguments come from a model and may have any type; exceptions that Python raises become results.
"""

from typing import Any

from bfcl_pipeline.benchmark.constants import Constants
from bfcl_pipeline.world.tools.api import BoundExceeded

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
