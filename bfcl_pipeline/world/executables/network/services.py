"""The requests of the functions, and what they read in the answers: places, money, knowledge."""

from typing import Any

from bfcl_pipeline.world.executables.apis import PLACEHOLDERS, ApiAnswer, ApiRequest
from bfcl_pipeline.world.executables.network.function import (
    OK,
    Otherwise,
    Reading,
    failed_with,
    get,
    json_of,
    rapid_get,
)


def weather_request(coordinates: Any) -> ApiRequest:
    """The temperature now at a latitude and a longitude."""
    latitude, longitude = coordinates
    return get(
        "https://api.open-meteo.com/v1/forecast",
        {
            "latitude": latitude,
            "longitude": longitude,
            "current": "temperature_2m",
            "temperature_unit": "fahrenheit",
        },
    )


read_temperature = Reading((("current", "temperature_2m"),), only_ok=True)


def city_request(city_name: Any) -> ApiRequest:
    """The places of a name."""
    key = PLACEHOLDERS["GEOCODE_API_KEY"]
    return get("https://geocode.maps.co/search", {"q": city_name, "api_key": key})


read_city = Reading(
    ((0, "lat"), (0, "lon")), only_ok=True, if_empty="No data found for the given city name."
)


def ip_request(ip_address: Any) -> ApiRequest:
    """The location of an IP address."""
    return get("http://ip-api.com/json", segments=[ip_address])


read_ip_coordinates = Reading((("lat",), ("lon",)), Otherwise.MESSAGE)
read_ip_zipcode = Reading((("zip",),), Otherwise.MESSAGE)


def zipcode_request(zipcode: Any) -> ApiRequest:
    """The city of a ZIP code."""
    return get("http://ziptasticapi.com", segments=[zipcode])


read_zipcode_city = Reading((("city",),), Otherwise.BODY)


def time_zone_request(long: Any, lat: Any) -> ApiRequest:
    """The time zone of a longitude and a latitude."""
    return rapid_get(
        "https://timezone-by-location.p.rapidapi.com/timezone",
        {"lat": lat, "lon": long, "c": "1", "s": "0"},
    )


read_time_zone = Reading((("Zones", 0, "TimezoneId"),), Otherwise.BODY)


_FINANCE = "https://yahoo-finance15.p.rapidapi.com/api/v1/markets"
_CANDLES = 10
_MAX_REPEATED = 100_000


def rates_request(amount: Any, from_currency: Any, to_currency: Any) -> ApiRequest:
    """The exchange rates of a currency."""
    del amount, to_currency
    key = PLACEHOLDERS["EXCHANGERATE_API_KEY"]
    return get(f"https://v6.exchangerate-api.com/v6/{key}/latest", segments=[from_currency])


def read_converted(answer: ApiAnswer, amount: Any, from_currency: Any, to_currency: Any) -> Any:
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


def company_request(stock_name: Any) -> ApiRequest:
    """The companies of a stock's name."""
    return rapid_get(f"{_FINANCE}/search", {"search": stock_name})


read_company = Reading((("body", 0, "name"),), Otherwise.BODY)


def quote_request(stock_name: Any) -> ApiRequest:
    """The quotes of a stock."""
    return rapid_get(f"{_FINANCE}/stock/quotes", {"ticker": stock_name})


read_price = Reading((("body", 0, "regularMarketPrice"),), Otherwise.BODY, convert=float)


def history_request(stock_name: Any, interval: Any, diffandsplits: Any) -> ApiRequest:
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


read_history = Reading((("body",),), Otherwise.BODY, convert=_last_candles)


def term_request(term: Any) -> ApiRequest:
    """The definitions of a term."""
    return rapid_get("https://mashape-community-urban-dictionary.p.rapidapi.com/define", {"term": term})


read_definition = Reading((("list", 0, "definition"),))


def covid_request(country: Any) -> ApiRequest:
    """The latest figures of a country."""
    return rapid_get("https://covid-193.p.rapidapi.com/statistics", {"country": country})


read_deaths = Reading((("response", 0, "deaths", "total"),), Otherwise.BODY)
read_active_cases = Reading((("response", 0, "cases", "active"),), Otherwise.BODY)


def product_request(asin: Any) -> ApiRequest:
    """A product by its number."""
    return rapid_get(
        "https://real-time-amazon-data.p.rapidapi.com/product-details", {"asin": asin, "country": "US"}
    )


read_rating = Reading((("data", "product_star_rating"),), Otherwise.NOTHING)
read_product_price = Reading((("data", "product_price"),), Otherwise.NOTHING)
read_product_name = Reading((("data", "product_title"),), Otherwise.NOTHING)


def holiday_request(country: Any, year: Any) -> ApiRequest:
    """The public holidays of a country in a year."""
    return get("https://date.nager.at/api/v3/publicholidays", segments=[year, country])


read_holidays = Reading(((),))


def film_request(movie_name: Any) -> ApiRequest:
    """A film by its title."""
    return get("https://www.omdbapi.com/", {"t": movie_name, "apikey": PLACEHOLDERS["OMDB_API_KEY"]})


read_film_rating = Reading((("Rated",),))
read_director = Reading((("Director",),))
