"""The 19 functions that ask web APIs, by name: each has the request that it makes and reads the answer.

Source: the official functions until they were retired (gorilla, commit 4d05b53f). They ask again where an
answer lacks a product; here that is left to whatever records the answer.
"""

from collections.abc import Callable
from typing import Any

from bfcl_pipeline.world.executables.apis import ApiRequest
from bfcl_pipeline.world.executables.binding import BoundParameter
from bfcl_pipeline.world.executables.network import services
from bfcl_pipeline.world.executables.network.function import NetworkFunction, Reading


def _function(
    name: str,
    parameters: str,
    request: Callable[..., ApiRequest],
    read: Reading | Callable[..., Any],
    **defaults: Any,
) -> NetworkFunction:
    own = tuple(
        BoundParameter(parameter, defaults[parameter])
        if parameter in defaults
        else BoundParameter(parameter)
        for parameter in parameters.split()
    )
    return NetworkFunction(name, own, request, read)


_ALL = (
    _function("get_weather_data", "coordinates", services.weather_request, services.read_temperature),
    _function("get_coordinates_from_city", "city_name", services.city_request, services.read_city),
    _function(
        "get_coordinate_by_ip_address", "ip_address", services.ip_request, services.read_ip_coordinates
    ),
    _function("get_zipcode_by_ip_address", "ip_address", services.ip_request, services.read_ip_zipcode),
    _function(
        "retrieve_city_based_on_zipcode", "zipcode", services.zipcode_request, services.read_zipcode_city
    ),
    _function("get_time_zone_by_coord", "long lat", services.time_zone_request, services.read_time_zone),
    _function(
        "convert_currency",
        "amount from_currency to_currency",
        services.rates_request,
        services.read_converted,
    ),
    _function(
        "get_company_name_by_stock_name", "stock_name", services.company_request, services.read_company
    ),
    _function("get_stock_price_by_stock_name", "stock_name", services.quote_request, services.read_price),
    _function(
        "get_stock_history",
        "stock_name interval diffandsplits",
        services.history_request,
        services.read_history,
        diffandsplits="true",
    ),
    _function("find_term_on_urban_dictionary", "term", services.term_request, services.read_definition),
    _function("get_covid_death_by_country", "country", services.covid_request, services.read_deaths),
    _function(
        "get_active_covid_case_by_country", "country", services.covid_request, services.read_active_cases
    ),
    _function("get_rating_by_amazon_ASIN", "ASIN", services.product_request, services.read_rating),
    _function("get_price_by_amazon_ASIN", "ASIN", services.product_request, services.read_product_price),
    _function(
        "get_product_name_by_amazon_ASIN", "ASIN", services.product_request, services.read_product_name
    ),
    _function("retrieve_holiday_by_year", "country year", services.holiday_request, services.read_holidays),
    _function("get_movie_rating", "movie_name", services.film_request, services.read_film_rating),
    _function("get_movie_director", "movie_name", services.film_request, services.read_director),
)

NETWORK_FUNCTIONS: dict[str, NetworkFunction] = {function.name: function for function in _ALL}
"""Every function that uses the network."""

__all__ = ["NETWORK_FUNCTIONS", "NetworkFunction"]
