"""Definitions, figures of COVID-19, products, holidays and films."""

from typing import Any

from bfcl_pipeline.world.executables.apis import PLACEHOLDERS, ApiRequest
from bfcl_pipeline.world.executables.network.reading import Otherwise, Reading
from bfcl_pipeline.world.executables.network.request import get, rapid_get


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
