"""The 19 functions that ask web APIs, by name: each has the request that it makes and reads the answer.

Source: the official functions until they were retired (gorilla, commit 4d05b53f). They ask again where an
answer lacks a product; here that is left to whatever records the answer.
"""

from typing import Any

from bfcl_pipeline.world.executables.apis import PLACEHOLDERS, ApiAnswer, ApiRequest
from bfcl_pipeline.world.executables.network.function import (
    OK,
    NetworkFunction,
    Otherwise,
    Reading,
    failed_with,
    get,
    json_of,
    rapid_get,
)

__all__ = ["NETWORK_FUNCTIONS", "NetworkFunction"]

_FINANCE = "https://yahoo-finance15.p.rapidapi.com/api/v1/markets"
_CANDLES = 10
_MAX_REPEATED = 100_000


def _ask_weather(coordinates: Any) -> ApiRequest:
    latitude, longitude = coordinates
    place = {"latitude": latitude, "longitude": longitude}
    wanted = {"current": "temperature_2m", "temperature_unit": "fahrenheit"}
    return get("https://api.open-meteo.com/v1/forecast", place | wanted)


def _ask_city(city_name: Any) -> ApiRequest:
    key = PLACEHOLDERS["GEOCODE_API_KEY"]
    return get("https://geocode.maps.co/search", {"q": city_name, "api_key": key})


def _ask_ip(ip_address: Any) -> ApiRequest:
    return get("http://ip-api.com/json", segments=[ip_address])


def _ask_time_zone(long: Any, lat: Any) -> ApiRequest:
    asked = {"lat": lat, "lon": long, "c": "1", "s": "0"}
    return rapid_get("https://timezone-by-location.p.rapidapi.com/timezone", asked)


def _ask_rates(amount: Any, from_currency: Any, to_currency: Any) -> ApiRequest:
    del amount, to_currency
    key = PLACEHOLDERS["EXCHANGERATE_API_KEY"]
    return get(f"https://v6.exchangerate-api.com/v6/{key}/latest", segments=[from_currency])


def _read_converted(answer: ApiAnswer, amount: Any, from_currency: Any, to_currency: Any) -> Any:
    """The amount times the rate of the target currency."""
    del from_currency
    if answer.status != OK:
        return failed_with(answer)
    rates = json_of(answer).get("conversion_rates", {})
    if to_currency not in rates:
        return "Target currency code not found."
    rate = rates[to_currency]
    if not isinstance(rate, int | float):
        raise TypeError("the rate is not a number")
    if isinstance(amount, str | bytes | list | tuple) and len(amount) * abs(rate) > _MAX_REPEATED:
        raise ValueError(f"the amount is not a number and would be repeated {rate} times")
    return amount * rate


def _ask_history(stock_name: Any, interval: Any, diffandsplits: Any = "true") -> ApiRequest:
    """The past prices of a stock.

    The API accepts the texts "true" and "false" for `diffandsplits`. Either adds the same candles, so the
    request is the same; anything else is refused by the API, so it stays in the request.
    """
    params = {"symbol": stock_name, "interval": interval}
    if diffandsplits not in ("true", "false"):
        params["diffandsplits"] = diffandsplits
    return rapid_get(f"{_FINANCE}/stock/history", params)


def _last_candles(history: Any) -> Any:
    return {key: history[key] for key in list(history)[-_CANDLES:]}


def _ask_covid(country: Any) -> ApiRequest:
    return rapid_get("https://covid-193.p.rapidapi.com/statistics", {"country": country})


def _ask_product(ASIN: Any) -> ApiRequest:
    host = "https://real-time-amazon-data.p.rapidapi.com"
    return rapid_get(f"{host}/product-details", {"asin": ASIN, "country": "US"})


def _ask_film(movie_name: Any) -> ApiRequest:
    return get("https://www.omdbapi.com/", {"t": movie_name, "apikey": PLACEHOLDERS["OMDB_API_KEY"]})


_BODY, _MESSAGE, _NOTHING = Otherwise.BODY, Otherwise.MESSAGE, Otherwise.NOTHING

_ALL = (
    NetworkFunction(
        "get_weather_data", _ask_weather, Reading((("current", "temperature_2m"),), only_ok=True)
    ),
    NetworkFunction(
        "get_coordinates_from_city",
        _ask_city,
        Reading(((0, "lat"), (0, "lon")), only_ok=True, if_empty="No data found for the given city name."),
    ),
    NetworkFunction("get_coordinate_by_ip_address", _ask_ip, Reading((("lat",), ("lon",)), _MESSAGE)),
    NetworkFunction("get_zipcode_by_ip_address", _ask_ip, Reading((("zip",),), _MESSAGE)),
    NetworkFunction(
        "retrieve_city_based_on_zipcode",
        lambda zipcode: get("http://ziptasticapi.com", segments=[zipcode]),
        Reading((("city",),), _BODY),
    ),
    NetworkFunction(
        "get_time_zone_by_coord", _ask_time_zone, Reading((("Zones", 0, "TimezoneId"),), _BODY)
    ),
    NetworkFunction("convert_currency", _ask_rates, _read_converted),
    NetworkFunction(
        "get_company_name_by_stock_name",
        lambda stock_name: rapid_get(f"{_FINANCE}/search", {"search": stock_name}),
        Reading((("body", 0, "name"),), _BODY),
    ),
    NetworkFunction(
        "get_stock_price_by_stock_name",
        lambda stock_name: rapid_get(f"{_FINANCE}/stock/quotes", {"ticker": stock_name}),
        Reading((("body", 0, "regularMarketPrice"),), _BODY, convert=float),
    ),
    NetworkFunction("get_stock_history", _ask_history, Reading((("body",),), _BODY, convert=_last_candles)),
    NetworkFunction(
        "find_term_on_urban_dictionary",
        lambda term: rapid_get(
            "https://mashape-community-urban-dictionary.p.rapidapi.com/define", {"term": term}
        ),
        Reading((("list", 0, "definition"),)),
    ),
    NetworkFunction(
        "get_covid_death_by_country", _ask_covid, Reading((("response", 0, "deaths", "total"),), _BODY)
    ),
    NetworkFunction(
        "get_active_covid_case_by_country",
        _ask_covid,
        Reading((("response", 0, "cases", "active"),), _BODY),
    ),
    NetworkFunction(
        "get_rating_by_amazon_ASIN", _ask_product, Reading((("data", "product_star_rating"),), _NOTHING)
    ),
    NetworkFunction(
        "get_price_by_amazon_ASIN", _ask_product, Reading((("data", "product_price"),), _NOTHING)
    ),
    NetworkFunction(
        "get_product_name_by_amazon_ASIN", _ask_product, Reading((("data", "product_title"),), _NOTHING)
    ),
    NetworkFunction(
        "retrieve_holiday_by_year",
        lambda country, year: get("https://date.nager.at/api/v3/publicholidays", segments=[year, country]),
        Reading(((),)),
    ),
    NetworkFunction("get_movie_rating", _ask_film, Reading((("Rated",),))),
    NetworkFunction("get_movie_director", _ask_film, Reading((("Director",),))),
)

NETWORK_FUNCTIONS: dict[str, NetworkFunction] = {function.name: function for function in _ALL}
"""Every function that uses the network."""
