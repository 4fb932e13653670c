"""Functions that use the network: their requests, and what they read from answers."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bfcl_pipeline.benchmark.records import Call
from bfcl_pipeline.world.executables import ApiAnswer, ApiRequest, Evaluator, ExecutionFailed
from bfcl_pipeline.world.executables.apis import HOSTS, PLACEHOLDERS
from bfcl_pipeline.world.executables.network import NETWORK_FUNCTIONS
from bfcl_pipeline.world.executables.network.function import MAX_ARGUMENTS
from tests.support.random_texts import CHARACTERS

ASIN = {"ASIN": "B08PPDJWC8"}
COUNTRY = {"country": "Brazil"}
FILM = {"movie_name": "Avatar"}
IP = {"ip_address": "192.168.1.1"}
RATES = {"amount": 100, "from_currency": "USD", "to_currency": "EUR"}
STOCK = {"stock_name": "AAPL"}


def rapid(host: str, path: str, **params: str) -> ApiRequest:
    host = f"{host}.p.rapidapi.com"
    headers = (("x-rapidapi-host", host), ("x-rapidapi-key", "YOUR-RAPID-API-KEY"))
    return ApiRequest(f"https://{host}/{path}", tuple(sorted(params.items())), headers)


def plain(url: str, **params: str) -> ApiRequest:
    return ApiRequest(url, tuple(sorted(params.items())))


PRODUCT = rapid("real-time-amazon-data", "product-details", asin="B08PPDJWC8", country="US")
FIGURES = rapid("covid-193", "statistics", country="Brazil")
FILM_REQUEST = plain("https://www.omdbapi.com/", t="Avatar", apikey="YOUR-OMDB-API-KEY")
IP_REQUEST = plain("http://ip-api.com/json/192.168.1.1")
MARKETS = "api/v1/markets"

REQUESTS = {
    "convert_currency": (
        RATES,
        plain("https://v6.exchangerate-api.com/v6/YOUR-EXCHANGERATE-API-KEY/latest/USD"),
    ),
    "find_term_on_urban_dictionary": (
        {"term": "lit"},
        rapid("mashape-community-urban-dictionary", "define", term="lit"),
    ),
    "get_active_covid_case_by_country": (COUNTRY, FIGURES),
    "get_company_name_by_stock_name": (STOCK, rapid("yahoo-finance15", f"{MARKETS}/search", search="AAPL")),
    "get_coordinate_by_ip_address": (IP, IP_REQUEST),
    "get_coordinates_from_city": (
        {"city_name": "New York"},
        plain("https://geocode.maps.co/search", q="New York", api_key="YOUR-GEOCODE-API-KEY"),
    ),
    "get_covid_death_by_country": (COUNTRY, FIGURES),
    "get_movie_director": (FILM, FILM_REQUEST),
    "get_movie_rating": (FILM, FILM_REQUEST),
    "get_price_by_amazon_ASIN": (ASIN, PRODUCT),
    "get_product_name_by_amazon_ASIN": (ASIN, PRODUCT),
    "get_rating_by_amazon_ASIN": (ASIN, PRODUCT),
    "get_stock_history": (
        {**STOCK, "interval": "1mo", "diffandsplits": "false"},
        rapid("yahoo-finance15", f"{MARKETS}/stock/history", symbol="AAPL", interval="1mo"),
    ),
    "get_stock_price_by_stock_name": (
        STOCK,
        rapid("yahoo-finance15", f"{MARKETS}/stock/quotes", ticker="AAPL"),
    ),
    "get_time_zone_by_coord": (
        {"long": "-80.75", "lat": "35.220"},
        rapid("timezone-by-location", "timezone", lat="35.22", lon="-80.75", c="1", s="0"),
    ),
    "get_weather_data": (
        {"coordinates": [90.00, -0.1278]},
        plain(
            "https://api.open-meteo.com/v1/forecast",
            latitude="90",
            longitude="-0.1278",
            current="temperature_2m",
            temperature_unit="fahrenheit",
        ),
    ),
    "get_zipcode_by_ip_address": (IP, IP_REQUEST),
    "retrieve_city_based_on_zipcode": ({"zipcode": "08540"}, plain("http://ziptasticapi.com/08540")),
    "retrieve_holiday_by_year": (
        {"year": "2010", "country": "FR"},
        plain("https://date.nager.at/api/v3/publicholidays/2010/FR"),
    ),
}


def test_every_function_of_the_network_is_there():
    """There are 19 functions, each under its own name."""
    assert sorted(NETWORK_FUNCTIONS) == sorted(REQUESTS)
    assert all(name == function.name for name, function in NETWORK_FUNCTIONS.items())


@pytest.mark.parametrize("name", REQUESTS)
def test_the_request_of_a_function(name):
    """A function makes one request, with placeholders where keys belong, and says that it makes it."""
    arguments, expected = REQUESTS[name]
    request = NETWORK_FUNCTIONS[name].request_of(arguments)
    assert request == expected
    assert request.function == name


@pytest.mark.parametrize(
    ("name", "arguments", "same"),
    [
        ("get_weather_data", {"coordinates": ["90", "-0.12780"]}, True),
        ("get_weather_data", {"coordinates": (90, -0.1278)}, True),
        ("get_weather_data", {"coordinates": [-90, -0.1278]}, False),
        ("get_time_zone_by_coord", {"long": -80.75, "lat": 35.22}, True),
        ("get_time_zone_by_coord", {"long": 35.22, "lat": -80.75}, False),
        ("get_stock_history", {**STOCK, "interval": "1mo"}, True),
        ("get_stock_history", {**STOCK, "interval": "1mo", "diffandsplits": "true"}, True),
        ("get_stock_history", {**STOCK, "interval": "1mo", "diffandsplits": True}, False),
        ("get_stock_history", {**STOCK, "interval": "3mo"}, False),
        ("retrieve_holiday_by_year", {"year": 2010, "country": "FR"}, True),
        ("retrieve_holiday_by_year", {"year": "2010", "country": "fr"}, False),
        ("retrieve_city_based_on_zipcode", {"zipcode": 8540}, False),
        ("convert_currency", {**RATES, "amount": 5, "to_currency": "JPY"}, True),
        ("get_coordinates_from_city", {"city_name": ["New York"]}, True),
        ("get_coordinates_from_city", {"city_name": "new york"}, False),
    ],
)
def test_requests_that_are_the_same(name, arguments, same):
    """Coordinates are compared as numbers, other arguments as texts; those that the API ignores are not."""
    assert (NETWORK_FUNCTIONS[name].request_of(arguments) == REQUESTS[name][1]) is same


COVID_UNKNOWN = {"get": "statistics", "errors": [], "results": 0, "response": []}
CANDLES = {str(time): {"close": time} for time in range(12)}


@pytest.mark.parametrize(
    ("name", "body", "value"),
    [
        ("convert_currency", {"conversion_rates": {"EUR": 0.5}}, 50.0),
        ("convert_currency", {"conversion_rates": {"JPY": 0.5}}, "Target currency code not found."),
        ("convert_currency", {"result": "error"}, "Target currency code not found."),
        ("find_term_on_urban_dictionary", {"list": [{"definition": "a"}, {"definition": "b"}]}, "a"),
        ("get_active_covid_case_by_country", {"response": [{"cases": {"active": 3}}]}, 3),
        ("get_active_covid_case_by_country", COVID_UNKNOWN, COVID_UNKNOWN),
        ("get_company_name_by_stock_name", {"body": [{"name": "Apple Inc."}]}, "Apple Inc."),
        ("get_company_name_by_stock_name", {"body": []}, {"body": []}),
        ("get_coordinate_by_ip_address", {"lat": 1.5, "lon": -2}, (1.5, -2)),
        ("get_coordinate_by_ip_address", {"lat": 1.5, "message": "private range"}, "private range"),
        ("get_coordinates_from_city", [{"lat": "1.5", "lon": "2"}, {"lat": "0"}], ("1.5", "2")),
        ("get_coordinates_from_city", [], "No data found for the given city name."),
        ("get_covid_death_by_country", {"response": [{"deaths": {"total": 7}}]}, 7),
        ("get_covid_death_by_country", COVID_UNKNOWN, COVID_UNKNOWN),
        ("get_movie_director", {"Director": "James Cameron"}, "James Cameron"),
        ("get_movie_rating", {"Rated": "PG-13"}, "PG-13"),
        ("get_price_by_amazon_ASIN", {"data": {"product_price": "$7.99"}}, "$7.99"),
        ("get_price_by_amazon_ASIN", {"message": "too many requests"}, None),
        ("get_product_name_by_amazon_ASIN", {"data": {"product_title": "A"}}, "A"),
        ("get_product_name_by_amazon_ASIN", {"data": {}}, None),
        ("get_rating_by_amazon_ASIN", {"data": {"product_star_rating": "4.1"}}, "4.1"),
        ("get_rating_by_amazon_ASIN", {"data": {}}, None),
        ("get_stock_history", {"body": CANDLES}, dict([*CANDLES.items()][2:])),
        ("get_stock_history", {"body": []}, {}),
        ("get_stock_history", {"errors": {}}, {"errors": {}}),
        ("get_stock_price_by_stock_name", {"body": [{"regularMarketPrice": "169.02"}]}, 169.02),
        ("get_stock_price_by_stock_name", {"body": [{}]}, {"body": [{}]}),
        ("get_time_zone_by_coord", {"Zones": [{"TimezoneId": "Asia/Tokyo"}]}, "Asia/Tokyo"),
        ("get_time_zone_by_coord", {"Zones": []}, {"Zones": []}),
        ("get_weather_data", {"current": {"temperature_2m": -0.4}}, -0.4),
        ("get_zipcode_by_ip_address", {"zip": "95148"}, "95148"),
        ("get_zipcode_by_ip_address", {"message": "invalid query"}, "invalid query"),
        ("retrieve_city_based_on_zipcode", {"city": "PRINCETON"}, "PRINCETON"),
        ("retrieve_city_based_on_zipcode", {"error": "none"}, {"error": "none"}),
        ("retrieve_holiday_by_year", [{"date": "2010-01-01"}], [{"date": "2010-01-01"}]),
        ("retrieve_holiday_by_year", {"status": 404}, {"status": 404}),
    ],
)
def test_the_value_of_an_answer(name, body, value):
    """A function returns its part of the answer, or what the official one returns without it."""
    assert read(name, body) == value
    assert type(read(name, body)) is type(value)


@pytest.mark.parametrize(
    ("name", "body", "error"),
    [
        # An answer of another form is an error where the official function does not catch it.
        ("convert_currency", [], "AttributeError"),
        ("convert_currency", {"conversion_rates": None}, "TypeError"),
        ("find_term_on_urban_dictionary", {"list": []}, "IndexError"),
        ("get_coordinate_by_ip_address", {"lat": 1.5}, "KeyError"),
        ("get_coordinates_from_city", {"lat": "1.5"}, "KeyError"),
        ("get_movie_director", {"Response": "False"}, "KeyError"),
        ("get_movie_rating", [], "TypeError"),
        ("get_rating_by_amazon_ASIN", {"data": []}, "TypeError"),
        ("get_weather_data", {"current": None}, "TypeError"),
        ("get_zipcode_by_ip_address", {}, "KeyError"),
        # And so is one that is not JSON, whatever the function.
        *(
            (name, body, "(ValueError|JSONDecodeError)")
            for name in NETWORK_FUNCTIONS
            for body in (b"", b"<html>", b"[" * 100_000, b'{"a": 1')
        ),
        # And a rate that is a text or a list, which the amount would repeat.
        *(
            ("convert_currency", {"conversion_rates": {"EUR": rate}}, "TypeError: the rate is not a number")
            for rate in ("abc", [1], None, {})
        ),
    ],
)
def test_an_answer_that_fails(name, body, error):
    """An answer without a value is an execution error."""
    with pytest.raises(ExecutionFailed, match=f"^{error}"):
        read(name, body)


@pytest.mark.parametrize("name", ["convert_currency", "get_coordinates_from_city", "get_weather_data"])
def test_a_status_that_is_a_value(name):
    """Three functions return a text for another status than 200, and do not read the body."""
    value = NETWORK_FUNCTIONS[name].value(REQUESTS[name][0], ApiAnswer(404, "<html>"))
    assert value == "Failed to fetch data with status code: 404"


@pytest.mark.parametrize(
    ("name", "arguments", "error"),
    [
        ("get_weather_data", {"coordinates": 5}, "TypeError"),
        ("get_weather_data", {"coordinates": [1]}, "ValueError"),
        ("get_weather_data", {"latitude": 1}, "TypeError"),
        ("get_movie_rating", {}, "TypeError"),
        ("get_movie_rating", {"movie_name": "\ud800"}, "UnicodeEncodeError"),
        ("get_movie_rating", {"movie_name": "a" * (MAX_ARGUMENTS + 1)}, "ValueError"),
        ("retrieve_city_based_on_zipcode", {"zipcode": ".."}, "ValueError"),
        ("retrieve_holiday_by_year", {"year": 10**5_000, "country": "FR"}, "ValueError"),
    ],
)
def test_arguments_without_a_request(name, arguments, error):
    """Arguments that cannot be a part of an address are an execution error."""
    with pytest.raises(ExecutionFailed, match=f"^{error}: "):
        NETWORK_FUNCTIONS[name].request_of(arguments)


def test_a_call_asks_once_and_only_if_its_arguments_are_right():
    """A call makes one request, and none if its arguments do not fit."""
    asked = list[ApiRequest]()

    class Noting:
        def get(self, request: ApiRequest) -> ApiAnswer:
            asked.append(request)
            return ApiAnswer(200, '{"message": "too many requests"}')

    evaluator = Evaluator(Noting())
    assert evaluator.value(Call("get_rating_by_amazon_ASIN", ASIN)) is None
    assert asked == [PRODUCT]
    for arguments in ({}, {"ASIN": "a", "country": "US"}, {"ASIN": "\ud800"}, {None: ASIN}):
        with pytest.raises(ExecutionFailed):
            evaluator.value(Call("get_rating_by_amazon_ASIN", arguments))
    assert asked == [PRODUCT]


@pytest.mark.parametrize("amount", ["5", [1], None, {}])
def test_an_amount_that_is_not_a_number(amount):
    """An amount that cannot be multiplied, or would be repeated many times, is an execution error."""
    with pytest.raises(ExecutionFailed):
        read("convert_currency", {"conversion_rates": {"EUR": 10**9}}, {**RATES, "amount": amount})


_LEAF = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.binary(max_size=8)
    | st.text(CHARACTERS, max_size=20)
    | st.sampled_from(
        ["/../../x", "..", "@evil.example", "?a=b", "#", "%2e%2e", "\r\nHost: x", *PLACEHOLDERS]
    )
)
_ANY = st.recursive(
    _LEAF,
    lambda part: (
        st.lists(part, max_size=3)
        | st.tuples(part, part)
        | st.dictionaries(st.text(CHARACTERS, max_size=5), part, max_size=3)
        | st.frozensets(st.text(CHARACTERS, max_size=5), max_size=3)
    ),
    max_leaves=6,
)


@settings(derandomize=True, deadline=None, database=None, max_examples=300)
@given(st.sampled_from(sorted(NETWORK_FUNCTIONS)), st.lists(_ANY, min_size=3, max_size=3))
def test_arguments_stay_in_their_place(name, values):
    """Whatever the arguments are, the host and the path before them are those of the API."""
    function = NETWORK_FUNCTIONS[name]
    arguments = {
        parameter.name: value for parameter, value in zip(function.parameters, values, strict=False)
    }
    if name == "get_weather_data":
        arguments = {"coordinates": values[:2]}
    try:
        request = function.request_of(arguments)
    except ExecutionFailed:
        return
    _, usual = REQUESTS[name]
    asked, expected = urlsplit(request.url), urlsplit(usual.url)
    assert asked.netloc == expected.netloc
    assert asked.netloc in HOSTS
    assert asked.scheme == expected.scheme
    assert not asked.query
    assert not asked.fragment
    parts, usual_parts = asked.path.split("/"), expected.path.split("/")
    assert len(parts) == len(usual_parts)
    assert not {".", ".."} & {unquote(part) for part in parts}
    assert request.headers == usual.headers
    assert {key for key, _ in usual.params} >= {key for key, _ in request.params} - {"diffandsplits"}
    hash(request)


def test_items_of_a_set_are_in_order():
    """A set, which Python orders anew in each process, makes one request."""
    items = {"b", "a", "c"}
    request = NETWORK_FUNCTIONS["get_movie_rating"].request_of({"movie_name": items})
    assert [value for name, value in request.params if name == "t"] == ["a", "b", "c"]


def read(name: str, body: Any, arguments: dict[str, Any] | None = None) -> Any:
    """The value of a function whose answer has this body; bytes are sent as they are."""
    text = body.decode() if isinstance(body, bytes) else json.dumps(body)
    return NETWORK_FUNCTIONS[name].value(arguments or REQUESTS[name][0], ApiAnswer(200, text))
