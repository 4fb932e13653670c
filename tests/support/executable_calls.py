"""The expected calls of the executable categories that need no network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bfcl_pipeline.benchmark.definition import CATEGORIES, Check
from bfcl_pipeline.benchmark.records import Call
from bfcl_pipeline.world.executables import read_call

EXECUTED = [
    name
    for name, category in CATEGORIES.items()
    if category.check in (Check.EXECUTION, Check.EXECUTION_SIMPLE)
]
"""The categories whose expected calls are executed."""

NETWORK_NAMES = frozenset(
    {
        "convert_currency",
        "find_term_on_urban_dictionary",
        "get_active_covid_case_by_country",
        "get_company_name_by_stock_name",
        "get_coordinate_by_ip_address",
        "get_coordinates_from_city",
        "get_covid_death_by_country",
        "get_movie_director",
        "get_movie_rating",
        "get_price_by_amazon_ASIN",
        "get_product_name_by_amazon_ASIN",
        "get_rating_by_amazon_ASIN",
        "get_stock_history",
        "get_stock_price_by_stock_name",
        "get_time_zone_by_coord",
        "get_weather_data",
        "get_zipcode_by_ip_address",
        "retrieve_city_based_on_zipcode",
        "retrieve_holiday_by_year",
    }
)
"""The functions that ask web APIs."""


def pure_calls(truth: Sequence[Mapping[str, str]]) -> list[Call]:
    """The expected calls of an entry that need no network, in order."""
    calls = [read_call(expected["call"]) for expected in truth]
    return [call for call in calls if call.name not in NETWORK_NAMES]
