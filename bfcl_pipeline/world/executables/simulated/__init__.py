"""The simulated network: a small deterministic world made from what the release holds.

It is made from recorded_calls.json: the calls with recorded values, the reference requests of the REST
entries with their responses, and the texts of all expected calls, for which it invents what the release
does not hold. Equal requests have equal answers, whether a function or a REST entry makes them. Requests of
functions that it does not hold are computed or get their API's form of having found nothing; of the
category rest, they are not recorded.
"""

import json
import math
from collections.abc import Iterator

from bfcl_pipeline.base.errors import NotRecorded
from bfcl_pipeline.benchmark.records import Call, Json
from bfcl_pipeline.world.executables.apis import ApiAnswer, ApiRequest
from bfcl_pipeline.world.executables.binding import ExecutionFailed, bound
from bfcl_pipeline.world.executables.evaluation import read_call
from bfcl_pipeline.world.executables.network import NETWORK_FUNCTIONS
from bfcl_pipeline.world.executables.network.function import OK, Place, Reading
from bfcl_pipeline.world.executables.rest import reference_request
from bfcl_pipeline.world.executables.simulated.computed import (
    COMPUTED,
    INVENTED,
    INVENTED_NUMBERS,
    far_number,
)

UNKNOWN_COUNTRIES = ("United States",)
"""Countries of expected calls that the API does not have under this name: it answers without figures."""

_IMPLIED = {
    "www.omdbapi.com/": ("get_movie_rating", {"movie_name": "t"}),
    "timezone-by-location.p.rapidapi.com/timezone": (
        "get_time_zone_by_coord",
        {"long": "lon", "lat": "lat"},
    ),
    "geocode.maps.co/search": ("get_coordinates_from_city", {"city_name": "q"}),
}
"""Functions that read the response of a REST entry as well, and their arguments in its request, by API."""


class SimulatedApis:
    """The web APIs of the mode `simulated`."""

    def __init__(self, recorded: Json) -> None:
        """recorded: the content of recorded_calls.json. Raises MalformedRelease if it has other texts."""
        self._bodies: dict[ApiRequest, Json] = {}
        self._references: set[ApiRequest] = set()
        for reference in recorded["requests"]:
            self._add_reference(reference_request(reference["request"]), reference["response"])
        self._rates = self._rates_of("USD")
        for row in recorded["calls"]:
            self._add_value(read_call(row["call"]), row["value"])
        self._recorded = dict(self._bodies)
        for text in recorded["truths"]:
            if text.partition("(")[0] in NETWORK_FUNCTIONS:
                self._invent(read_call(text))

    def get(self, request: ApiRequest) -> ApiAnswer:
        """The answer of the simulated world. Raises NotRecorded for what it does not contain."""
        if request.function is None and request not in self._references:
            raise NotRecorded(
                f"The simulated network has no answer for {request.url}: of the category rest, it contains "
                "the reference requests of the release."
            )
        status, body = self._find(request)
        return ApiAnswer(status, json.dumps(body))

    def is_of_release(self, request: ApiRequest) -> bool:
        """Whether the answer is what the release recorded, with nothing invented."""
        return request in self._recorded and self._recorded[request] is self._bodies[request]

    def _find(self, request: ApiRequest) -> tuple[int, Json]:
        if request in self._bodies:
            return OK, self._bodies[request]
        return COMPUTED[str(request.function)](request, self._rates)

    def _add_reference(self, request: ApiRequest, response: Json) -> None:
        self._references.add(request)
        self._bodies[request] = response
        name, places = _IMPLIED.get(request.url.partition("://")[2], (None, {}))
        params = dict(request.params)
        if name and set(places.values()) <= params.keys():
            function = NETWORK_FUNCTIONS[name]
            implied = function.request_of({argument: params[place] for argument, place in places.items()})
            if isinstance(function.read, Reading) and function.read.is_in(response):
                self._bodies.setdefault(implied, response)

    def _add_value(self, call: Call, value: Json) -> None:
        """Changes the world so that the function returns `value`."""
        function = NETWORK_FUNCTIONS[call.name]
        request = function.request_of(call.arguments)
        if self._returns(call, value):
            return
        _, body = self._find(request)
        if not isinstance(function.read, Reading):
            amount, _, currency = bound(function.name, function.parameters, call.arguments)
            body = _with(body, ("conversion_rates", currency), _factor(value, amount))
        else:
            places = function.read.places
            body = self._bodies.get(request)
            for place, part in zip(places, value if len(places) > 1 else [value], strict=True):
                body = _with(body, place, part)
        self._bodies[request] = body

    def _returns(self, call: Call, value: Json) -> bool:
        try:
            found = NETWORK_FUNCTIONS[call.name].run(call.arguments, self)
        except ExecutionFailed:
            return False
        return bool(json.loads(json.dumps(found)) == value)

    def _invent(self, call: Call) -> None:
        """Adds an invented value of an expected call if the world has none and cannot compute one."""
        function = NETWORK_FUNCTIONS[call.name]
        request = function.request_of(call.arguments)
        values = bound(function.name, function.parameters, call.arguments)
        body = self._bodies.get(request)
        is_known = body is not None and isinstance(function.read, Reading) and function.read.is_in(body)
        if is_known or any(value in UNKNOWN_COUNTRIES for value in values):
            return
        if call.name in INVENTED:
            names = [parameter.name for parameter in function.parameters]
            arguments = dict(zip(names, values, strict=True))
            self._add_value(call, INVENTED[call.name](arguments, request))
        elif call.name in INVENTED_NUMBERS:
            taken = [*self._numbers(request.url)]
            whole = INVENTED_NUMBERS[call.name]
            self._add_value(call, far_number(taken, whole, request, call.name))

    def _numbers(self, url: str) -> Iterator[float]:
        """The values that are compared within 20 % in all answers of one API."""
        for request, body in self._bodies.items():
            for name in INVENTED_NUMBERS:
                read = NETWORK_FUNCTIONS[name].read
                if request.url == url and isinstance(read, Reading) and read.is_in(body):
                    value = read(ApiAnswer(OK, json.dumps(body)))
                    if isinstance(value, int | float):
                        yield value

    def _rates_of(self, currency: str) -> dict[str, float]:
        for request, body in self._bodies.items():
            if request.url.endswith(f"/latest/{currency}"):
                return dict(body["conversion_rates"])
        return {}


def _factor(product: float, amount: float) -> float:
    """The number that gives `product` when multiplied with `amount`."""
    near = product / amount
    for factor in (near, math.nextafter(near, math.inf), math.nextafter(near, -math.inf)):
        if amount * factor == product:
            return factor
    return near


def _with(body: Json, place: Place, value: Json) -> Json:
    """`body` with `value` at `place`; what is missing on the way is added."""
    if not place:
        return value
    first, rest = place[0], place[1:]
    if isinstance(first, int):
        items = list(body or [{}])
        items[first] = _with(items[first], rest, value)
        return items
    body = dict(body or {})
    body[first] = _with(body.get(first), rest, value)
    return body
