"""Weather, cities, addresses on the internet, ZIP codes and time zones."""

from typing import Any

from bfcl_pipeline.world.executables.apis import PLACEHOLDERS, ApiRequest
from bfcl_pipeline.world.executables.network.reading import Otherwise, Reading
from bfcl_pipeline.world.executables.network.request import get, rapid_get


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
