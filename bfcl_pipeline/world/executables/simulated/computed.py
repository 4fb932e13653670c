"""What the simulated network answers to requests of functions of which it holds no answer.

Weather, exchange rates and ranges of IP addresses are computed; every other request gets the form in which
its API says that it found nothing.
"""

import hashlib
import re
from collections.abc import Callable, Mapping
from ipaddress import IPv4Address, ip_network
from typing import TypeAlias
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
