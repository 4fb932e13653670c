"""What the simulated network answers to requests of which the release holds no answer.

Weather, exchange rates and ranges of IP addresses are computed; other requests of functions get the form in
which their API says that it found nothing. Values of expected calls are invented: they follow from the
request, numbers from its hash. Texts say that they are simulated. Numbers that are compared within 20 %
differ from each other by more than that, so that a call with other arguments does not have an expected
value by chance.
"""

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from ipaddress import IPv4Address, ip_network
from typing import Any, TypeAlias
from urllib.parse import unquote

from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.world.executables.apis import ApiRequest

Found: TypeAlias = tuple[int, Json]
"""An HTTP status and a body."""

Rates: TypeAlias = Mapping[str, float]
"""What one dollar is worth, by currency."""

_COORDINATE = re.compile(r"-?[0-9]{1,3}(\.[0-9]+)?", re.ASCII)
_RANGES = {
    "private range": ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"),
    "reserved range": (
        "0.0.0.0/8",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "192.0.2.0/24",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/3",
    ),
}
_NETWORKS = [(ip_network(text), name) for name, texts in _RANGES.items() for text in texts]
_META = {"version": "v1.0", "status": 200, "processedTime": "2024-03-19T00:00:00.000000Z"}


def weather(request: ApiRequest, rates: Rates) -> Found:
    """A temperature for any coordinates in range."""
    del rates
    params = dict(request.params)
    latitude, longitude = params.get("latitude", ""), params.get("longitude", "")
    if len(params) < len(request.params) or not (_within(latitude, 90) and _within(longitude, 180)):
        return 400, {"error": True, "reason": "Latitude and longitude must be in range."}
    digest = hashlib.sha256(f"{latitude} {longitude}".encode()).digest()
    temperature = (int.from_bytes(digest[:4]) % 1200 - 200) / 10
    return 200, {
        "latitude": float(latitude),
        "longitude": float(longitude),
        "current_units": {"temperature_2m": "°F"},
        "current": {"temperature_2m": temperature},
    }


def _within(text: str, limit: int) -> bool:
    return _COORDINATE.fullmatch(text) is not None and abs(float(text)) <= limit


def exchange(request: ApiRequest, rates: Rates) -> Found:
    """The rates of a currency, computed from those of the dollar."""
    base = unquote(_segment(request))
    if base not in rates:
        return 404, {"result": "error", "error-type": "unsupported-code"}
    converted = {code: float(f"{rate / rates[base]:.6g}") for code, rate in rates.items()}
    return 200, {"result": "success", "base_code": base, "conversion_rates": converted}


def ip_range(request: ApiRequest, rates: Rates) -> Found:
    """The range of an IP address that belongs to no place."""
    del rates
    text = unquote(_segment(request))
    message = "invalid query"
    try:
        address = IPv4Address(text)
    except ValueError:
        pass
    else:
        message = next((name for network, name in _NETWORKS if address in network), message)
    return 200, {"status": "fail", "message": message, "query": text}


def covid(request: ApiRequest, rates: Rates) -> Found:
    """The form without figures."""
    del rates
    parameters: Json = dict(request.params)
    return 200, {"get": "statistics", "parameters": parameters, "errors": [], "results": 0, "response": []}


def history(request: ApiRequest, rates: Rates) -> Found:
    """The form without prices, or that of a refused parameter."""
    del rates
    if "diffandsplits" not in dict(request.params):
        return 200, {"meta": _META, "body": []}
    message = "The selected diffandsplits is invalid."
    return 422, {"message": message, "errors": {"diffandsplits": [message]}}


def _always(status: int, body: Json) -> Callable[[ApiRequest, Rates], Found]:
    return lambda request, rates: (status, body)  # noqa: ARG005


def _segment(request: ApiRequest) -> str:
    return request.url.rpartition("/")[2]


_NO_PRODUCT = _always(200, {"status": "OK", "request_id": "simulated", "data": {}})
_NO_FILM = _always(200, {"Response": "False", "Error": "Movie not found!"})

COMPUTED: dict[str, Callable[[ApiRequest, Rates], Found]] = {
    "convert_currency": exchange,
    "find_term_on_urban_dictionary": _always(200, {"list": []}),
    "get_active_covid_case_by_country": covid,
    "get_company_name_by_stock_name": _always(200, {"meta": _META, "body": []}),
    "get_coordinate_by_ip_address": ip_range,
    "get_coordinates_from_city": _always(200, []),
    "get_covid_death_by_country": covid,
    "get_movie_director": _NO_FILM,
    "get_movie_rating": _NO_FILM,
    "get_price_by_amazon_ASIN": _NO_PRODUCT,
    "get_product_name_by_amazon_ASIN": _NO_PRODUCT,
    "get_rating_by_amazon_ASIN": _NO_PRODUCT,
    "get_stock_history": history,
    "get_stock_price_by_stock_name": _always(200, {"meta": _META, "body": []}),
    "get_time_zone_by_coord": _always(200, {"Zones": []}),
    "get_weather_data": weather,
    "get_zipcode_by_ip_address": ip_range,
    "retrieve_city_based_on_zipcode": _always(200, {"error": "Zip Code not found!"}),
    "retrieve_holiday_by_year": _always(
        404,
        {
            "type": "https://tools.ietf.org/html/rfc9110#section-15.5.5",
            "title": "Not Found",
            "status": 404,
            "traceId": "simulated",
        },
    ),
}
"""The answer to a request that is not held, by function."""


Arguments: TypeAlias = Mapping[str, Any]
"""The arguments of an expected call, defaults included."""

Invention: TypeAlias = Callable[[Arguments, ApiRequest], Any]

_FAR = 1.3
"""Invented numbers differ by at least this factor: more than 1.2 / 0.8 of two values of one recording."""

_ATTEMPTS = 10_000

_SECONDS = {"1d": 86_400, "1wk": 604_800, "1mo": 2_592_000, "3mo": 7_776_000}
_COUNT = 10


def _digest(*parts: Any) -> int:
    """A number of 64 bits that follows from `parts`."""
    return int.from_bytes(hashlib.sha256(repr(parts).encode("utf-8", "backslashreplace")).digest()[:8])


def far_number(taken: Sequence[float], whole: bool, request: ApiRequest, name: str) -> float:
    """A number for the function `name`, far from all `taken`: between 1,000 and 10,000,000 if whole, else
    between 10 and 10,000, with two decimals.

    Raises ValueError if there is none.
    """
    for attempt in range(_ATTEMPTS):
        digest = _digest(attempt, name, request.url, request.params)
        digits = (1_000_000 + digest % 9_000_000) // 10 ** (digest // 9_000_000 % (4 if whole else 3))
        number: float = digits if whole else round(digits / 1000, 2)
        if all(number > other * _FAR or other > number * _FAR for other in taken):
            return number
    raise ValueError(f"no number is far from {len(taken)} others")


def _city(arguments: Arguments, request: ApiRequest) -> tuple[str, str]:
    """The latitude and the longitude of a city, as texts."""
    del arguments
    digest = _digest(request.params)
    latitude = digest % 1_200_000_000 - 600_000_000
    longitude = digest // 2**32 % 3_000_000_000 - 1_500_000_000
    return f"{latitude / 10**7:.7f}", f"{longitude / 10**7:.7f}"


def _candles(arguments: Arguments, request: ApiRequest) -> dict[str, Json]:
    """The past prices of a stock. Its times are its own, so no other stock has the same keys."""
    digest = _digest(request.params)
    start, step = 1_600_000_000 + digest % 50_000_000, _SECONDS.get(str(arguments["interval"]), 3_600)
    return {str(time): _candle(time, digest) for time in range(start, start + _COUNT * step, step)}


def _candle(time: int, digest: int) -> dict[str, Json]:
    price = 10_000 + _digest(time, digest) % 10_000
    day = datetime.fromtimestamp(time, UTC)
    return {
        "date": f"{day.day:02}-{day.month:02}-{day.year}",
        "date_utc": time,
        "open": price / 100,
        "high": (price + 300) / 100,
        "low": (price - 300) / 100,
        "close": (price + 100) / 100,
        "volume": 1000 * price,
        "adjclose": (price + 100) / 100,
    }


def _holidays(arguments: Arguments, request: ApiRequest) -> list[Json]:
    """Two holidays of a country in a year."""
    del request
    days = (("01-01", "New Year's Day"), ("12-25", "Christmas Day"))
    return [
        {
            "date": f"{arguments['year']}-{day}",
            "localName": f"Simulated {name}",
            "name": name,
            "countryCode": arguments["country"],
            "fixed": False,
            "global": True,
            "counties": None,
            "launchYear": None,
            "types": ["Public"],
        }
        for day, name in days
    ]


def _text(form: str) -> Invention:
    return lambda arguments, request: form.format(**arguments)  # noqa: ARG005


INVENTED: dict[str, Invention] = {
    "find_term_on_urban_dictionary": _text("Simulated definition of {term!r}."),
    "get_company_name_by_stock_name": _text("Simulated company {stock_name}"),
    "get_coordinates_from_city": _city,
    "get_movie_director": _text("Simulated director of {movie_name!r}"),
    "get_movie_rating": _text("Simulated rating of {movie_name!r}"),
    "get_price_by_amazon_ASIN": _text("Simulated price of {ASIN}"),
    "get_product_name_by_amazon_ASIN": _text("Simulated product {ASIN}"),
    "get_rating_by_amazon_ASIN": _text("Simulated rating of {ASIN}"),
    "get_stock_history": _candles,
    "get_time_zone_by_coord": _text("Simulated/{lat},{long}"),
    "retrieve_city_based_on_zipcode": _text("SIMULATED CITY {zipcode}"),
    "retrieve_holiday_by_year": _holidays,
}
"""The invented value of an expected call, by function."""

INVENTED_NUMBERS = {
    "get_active_covid_case_by_country": True,
    "get_covid_death_by_country": True,
    "get_stock_price_by_stock_name": False,
}
"""Functions whose values are compared within 20 %, and whether these are whole numbers."""
