"""The simulated network, made from the staged release."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bfcl_pipeline.base.errors import MalformedRelease, NotRecorded
from bfcl_pipeline.benchmark.records import Call, Json, Rules
from bfcl_pipeline.dialogue.release_texts import read_recorded_calls
from bfcl_pipeline.judge.scoring.executable import ExecutableChecker
from bfcl_pipeline.judge.scoring.executed_values import compare_values
from bfcl_pipeline.world.executables import ApiRequest, Evaluator, ExecutionFailed, SimulatedApis
from bfcl_pipeline.world.executables.evaluation import read_call
from bfcl_pipeline.world.executables.network import NETWORK_FUNCTIONS
from bfcl_pipeline.world.executables.rest import reference_request
from bfcl_pipeline.world.executables.simulated import UNKNOWN_COUNTRIES

EXECUTED = ("exec_simple", "exec_multiple", "exec_parallel", "exec_parallel_multiple")

COUNTRYLESS = {"get": "statistics", "errors": [], "results": 0, "response": []}
MICROSOFT = "get_company_name_by_stock_name(stock_name='Microsoft')"
META = {"version": "v1.0", "status": 200, "processedTime": "2024-03-19T00:00:00.000000Z"}
VALUES = {
    # A request that the world does not have gets the form in which its API says that it found nothing.
    "find_term_on_urban_dictionary(term='no such term')": IndexError,
    MICROSOFT: {"meta": META, "body": []},
    "get_coordinate_by_ip_address(ip_address='8.8.8.8')": "invalid query",
    "get_coordinates_from_city(city_name='New York City')": "No data found for the given city name.",
    "get_covid_death_by_country(country='Atlantis')": COUNTRYLESS | {"parameters": {"country": "Atlantis"}},
    "get_active_covid_case_by_country(country='Atlantis')": (
        COUNTRYLESS | {"parameters": {"country": "Atlantis"}}
    ),
    "get_movie_director(movie_name='Kill Bill: Vol. 1')": KeyError,
    "get_movie_rating(movie_name='Schindlers List')": KeyError,
    "get_price_by_amazon_ASIN(ASIN='B08N5WRWNW')": None,
    "get_product_name_by_amazon_ASIN(ASIN='B08N5WRWNW')": None,
    "get_rating_by_amazon_ASIN(ASIN='B08N5WRWNW')": None,
    "get_stock_history(stock_name='IBM', interval='1mo')": {},
    "get_stock_price_by_stock_name(stock_name='Apple Inc.')": {"meta": META, "body": []},
    "get_time_zone_by_coord(long='80.75', lat='35.22')": {"Zones": []},
    "retrieve_city_based_on_zipcode(zipcode='8540')": {"error": "Zip Code not found!"},
    "retrieve_holiday_by_year(country='France', year='2010')": {
        "type": "https://tools.ietf.org/html/rfc9110#section-15.5.5",
        "title": "Not Found",
        "status": 404,
        "traceId": "simulated",
    },
    # An expected call for the United States has the body as its value, as with the API.
    "get_active_covid_case_by_country(country='United States')": (
        COUNTRYLESS | {"parameters": {"country": "United States"}}
    ),
    # An address of a range without a place has the name of the range.
    **{
        f"get_zipcode_by_ip_address(ip_address='{address}')": message
        for address, message in (
            ("300.1.1.1", "invalid query"),
            ("10.255.0.1", "private range"),
            ("172.32.0.1", "invalid query"),
            ("127.0.0.1", "reserved range"),
            ("203.0.113.9", "reserved range"),
            ("192.168.1.1:80", "invalid query"),
            ("::1", "invalid query"),
        )
    },
    # Functions read what reference requests of the category rest are answered.
    "get_covid_death_by_country(country='Uganda')": 3632,
    "get_movie_director(movie_name='Barbie')": "Greta Gerwig",
    "get_time_zone_by_coord(long=2.2945, lat=48.8584)": "Europe/Paris",
    "get_company_name_by_stock_name(stock_name='Tesla')": "Tesla, Inc.",
    "get_coordinates_from_city(city_name='886 Cannery Row, Monterey, CA')": (
        "36.61808885",
        "-121.90167202803043",
    ),
    # Amounts are converted between all currencies.
    "convert_currency(amount=1000, from_currency='USD', to_currency='EUR')": 919.3,
    "convert_currency(amount=1000, from_currency='CHF', to_currency='CHF')": 1000,
    "convert_currency(amount=1, from_currency='XXX', to_currency='USD')": (
        "Failed to fetch data with status code: 404"
    ),
    "convert_currency(amount=1, from_currency='USD', to_currency='XXX')": "Target currency code not found.",
    # Past prices need the text "true" or "false" for their flag.
    **{
        f"get_stock_history(stock_name='AAPL', interval='1mo', diffandsplits={flag})": {
            "message": "The selected diffandsplits is invalid.",
            "errors": {"diffandsplits": ["The selected diffandsplits is invalid."]},
        }
        for flag in ("True", "False", "'yes'")
    },
}
"""Calls and their values, or the error with which they fail."""

LIKE = {
    frozenset(("JPY to USD", "JPY to EUR")),
    frozenset(("CNY to USD", "CNY to EUR")),
}
"""Expected conversions whose values pass for each other, since a dollar is nearly a euro in the release."""


RANGES = ("get_coordinate_by_ip_address", "get_zipcode_by_ip_address")
"""Functions whose expected values are names of address ranges, so that most of them are equal."""


@pytest.fixture(scope="module")
def recorded(staged: Path) -> dict[str, Json]:
    """What the release holds of the network."""
    return read_recorded_calls(staged)


@pytest.fixture(scope="module")
def world(recorded) -> SimulatedApis:
    """The simulated network."""
    return SimulatedApis(recorded)


@pytest.fixture(scope="module")
def expected(entries) -> dict[str, tuple[Call, str]]:
    """The expected calls of network functions, by text, with how their values are compared."""
    truths = [truth for category in EXECUTED for entry in entries(category) for truth in entry.truth]
    return {
        truth["call"]: (read_call(truth["call"]), truth["match"])
        for truth in truths
        if truth["call"].partition("(")[0] in NETWORK_FUNCTIONS
    }


def test_recorded_values_come_back(recorded, world):
    """A function returns each of the 28 recorded values, to the last bit."""
    assert len(recorded["calls"]) == 28
    for row in recorded["calls"]:
        value = Evaluator(world).value(read_call(row["call"]))
        assert json.dumps(value) == json.dumps(row["value"]), row["call"]


def test_what_the_world_is_made_of_is_kept(recorded):
    """Making a world does not change the content of the file that it is made from."""
    before = json.dumps(recorded)
    SimulatedApis(recorded)
    assert json.dumps(recorded) == before


@pytest.mark.parametrize(
    ("name", "other", "arguments"),
    [
        ("get_movie_rating", "get_movie_director", {"movie_name": "none"}),
        ("get_covid_death_by_country", "get_active_covid_case_by_country", {"country": "none"}),
        ("get_rating_by_amazon_ASIN", "get_product_name_by_amazon_ASIN", {"ASIN": "none"}),
        ("get_zipcode_by_ip_address", "get_coordinate_by_ip_address", {"ip_address": "10.1.1.1"}),
    ],
)
def test_functions_of_one_api_have_one_answer(name, other, arguments, world):
    """Two functions that make the same request have the same answer, whether it is held or computed."""
    requests = [NETWORK_FUNCTIONS[one].request_of(arguments) for one in (name, other)]
    assert requests[0] == requests[1]
    assert world.get(requests[0]) == world.get(requests[1])


def test_the_last_of_equal_calls_counts(recorded):
    """Of a call that is recorded twice, the last value is returned."""
    text = "get_movie_rating(movie_name='Avatar')"
    calls = [*recorded["calls"], {"call": text, "value": "R"}]
    world = SimulatedApis({**recorded, "calls": calls})
    assert Evaluator(world).value(read_call(text)) == "R"
    assert Evaluator(world).value(read_call("get_movie_director(movie_name='Avatar')")) == "James Cameron"


def test_every_expected_call_has_a_value(expected, world):
    """Each expected call has a value of the type that its comparison needs, but for an unknown country."""
    assert len(expected) == 115
    for text, (call, match) in expected.items():
        value = Evaluator(world).value(call)
        found = compare_values(match, json.loads(json.dumps(value)), value, Rules.OFFICIAL)
        assert (found is not None) == (call.arguments.get("country") in UNKNOWN_COUNTRIES), text
        if match == "structural_match":
            assert isinstance(value, dict if call.name == "get_stock_history" else float)


@pytest.mark.parametrize("rules", [Rules.OFFICIAL, Rules.CORRECTED])
def test_expected_calls_pass(rules, entries, world):
    """The expected calls are a right answer to each entry, but for two with a country that is not known."""
    found = {
        entry.entry_id: ExecutableChecker(entry, world).check_calls(
            [read_call(truth["call"]) for truth in entry.truth], rules
        )
        for category in EXECUTED
        for entry in entries(category)
    }
    assert len(found) == 240
    assert not [entry_id for entry_id, outcome in found.items() if outcome.not_recorded]
    assert [entry_id for entry_id, outcome in found.items() if outcome.finding] == [
        "exec_parallel_15",
        "exec_parallel_multiple_26",
    ]


def test_other_expected_calls_have_other_values(expected, world):
    """No expected call passes for another one of its function, but where the release has it so."""
    passing = set()
    for _, (call, match) in expected.items():
        value = json.loads(json.dumps(Evaluator(world).value(call)))
        for _, (other, _) in expected.items():
            if other.name != call.name or call.name in ("get_weather_data", *RANGES):
                continue
            if what_decides(other) == what_decides(call):
                continue
            if compare_values(match, value, Evaluator(world).value(other), Rules.OFFICIAL) is None:
                passing.add(frozenset((name_of(call), name_of(other))))
    assert passing == {*LIKE, frozenset(("B07ZPKBL9V", "B08BHXG144"))}


def test_deaths_do_not_pass_for_active_cases(expected, world):
    """The two figures of a country are further apart than 20 %."""
    for call, match in expected.values():
        if call.name == "get_covid_death_by_country":
            value = Evaluator(world).value(call)
            cases = Evaluator(world).value(Call("get_active_covid_case_by_country", call.arguments))
            assert compare_values(match, value, cases, Rules.OFFICIAL) is not None


@pytest.mark.parametrize("text", VALUES)
def test_values(text, world):
    """A call has the value of the simulated world."""
    value = VALUES[text]
    if isinstance(value, type):
        with pytest.raises(ExecutionFailed, match=value.__name__):
            Evaluator(world).value(read_call(text))
    else:
        assert Evaluator(world).value(read_call(text)) == value


@pytest.mark.parametrize("name", NETWORK_FUNCTIONS)
def test_any_arguments_have_an_answer(name, world):
    """Arguments of any type end in a value or an execution error."""
    function = NETWORK_FUNCTIONS[name]
    for value in (
        None,
        True,
        -1,
        1e300,
        "",
        "a" * 7_000,
        "/../",
        [],
        ["a", "b"],
        {"a": 1},
        b"\xff",
        (1, 2),
    ):
        arguments = dict.fromkeys([parameter.name for parameter in function.parameters], value)
        try:
            json.dumps(Evaluator(world).value(Call(name, arguments)))
        except ExecutionFailed:
            continue


def test_weather_is_known_everywhere(world):
    """Coordinates in range have a temperature, the same ones the same; others have the API's error."""
    values = [temperature(world, [latitude, 0.5]) for latitude in range(-90, 91)]
    assert all(isinstance(value, float) and -20 <= value <= 100 for value in values)
    assert len(set(values)) > 100
    assert temperature(world, ["45.0", "0.50"]) == temperature(world, [45, 0.5])
    for coordinates in ([91, 0], [0, 180.01], [0, None], ["a", 0], [[1, 2], 3], ["1e1", 0], ["nan", 0]):
        assert temperature(world, coordinates) == "Failed to fetch data with status code: 400"


def test_amounts_of_all_currencies_are_converted(recorded, world):
    """Every currency of the rates can be converted into every other one."""
    rates = next(row["response"] for row in recorded["requests"] if "/latest/USD" in row["request"])
    codes = [*rates["conversion_rates"]]
    assert len(codes) > 150
    for code in codes:
        assert convert(world, 1, "EUR", code) > 0
        assert convert(world, 1, code, "USD") == pytest.approx(1 / convert(world, 1, "USD", code), 1e-4)


def test_past_prices_have_ten_candles(world):
    """Of a flag that is not sent, as of "true"."""
    call = read_call("get_stock_history(stock_name='AAPL', interval='1mo')")
    right = Evaluator(world).value(call)
    assert len(right) == 10
    assert Evaluator(world).value(Call(call.name, {**call.arguments, "diffandsplits": None})) == right


def test_reference_requests_have_their_responses(recorded, world):
    """Each of the 70 reference requests is answered with a response of the form of the recorded one."""
    assert len(recorded["requests"]) == 70
    for row in recorded["requests"]:
        answer = world.get(reference_request(row["request"]))
        assert answer.status == 200
        assert form(json.loads(answer.body)) == form(row["response"])


def test_other_requests_of_the_category_rest_are_not_recorded(world):
    """A REST entry's other request has no answer, although a function's equal request has one."""
    arguments = {"country": "Brazil"}
    request = NETWORK_FUNCTIONS["get_covid_death_by_country"].request_of(arguments)
    assert json.loads(world.get(request).body)["response"]
    with pytest.raises(NotRecorded, match=r"no answer for https://covid-193"):
        world.get(ApiRequest(request.url, request.params, request.headers))


def test_a_function_and_a_rest_entry_have_one_answer(recorded, world):
    """The reference request for rates of the euro is that of a conversion."""
    row = next(row for row in recorded["requests"] if "/latest/EUR" in row["request"])
    request = reference_request(row["request"])
    function = NETWORK_FUNCTIONS["convert_currency"]
    asked = function.request_of({"amount": 1, "from_currency": "EUR", "to_currency": "JPY"})
    assert asked == request
    assert world.get(asked) == world.get(request)


def test_the_world_does_not_depend_on_the_process(recorded, staged):
    """Two processes with different hash seeds make the same answers."""
    script = (
        "import hashlib, sys; from pathlib import Path\n"
        "from bfcl_pipeline.world.executables import SimulatedApis\n"
        "from bfcl_pipeline.world.executables.evaluation import read_call\n"
        "from bfcl_pipeline.world.executables.network import NETWORK_FUNCTIONS\n"
        "from bfcl_pipeline.dialogue.release_texts import read_recorded_calls\n"
        "recorded = read_recorded_calls(Path(sys.argv[1]))\n"
        "world = SimulatedApis(recorded)\n"
        "names = tuple(f'{name}(' for name in NETWORK_FUNCTIONS)\n"
        "calls = [read_call(text) for text in recorded['truths'] if text.startswith(names)]\n"
        "bodies = [world.get(NETWORK_FUNCTIONS[c.name].request_of(c.arguments)).body for c in calls]\n"
        "print(len(bodies), hashlib.sha256(repr(bodies).encode()).hexdigest())\n"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script, str(staged)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
    assert outputs.pop().startswith("115 ")


@pytest.mark.parametrize(
    "part",
    [
        {"calls": [{"call": "print(1); get_movie_rating()", "value": 1}]},
        {"truths": ["get_movie_rating(movie_name=open('x'))"]},
        {"requests": [{"request": "requests.post('x')", "response": {}}]},
    ],
)
def test_texts_that_are_not_calls_are_refused(part):
    """A text that is not one call with literal arguments is an error of the release, and is not run."""
    with pytest.raises(MalformedRelease):
        SimulatedApis({"calls": [], "truths": [], "requests": [], **part})


def temperature(world: SimulatedApis, coordinates: list[Any]) -> Any:
    return Evaluator(world).value(Call("get_weather_data", {"coordinates": coordinates}))


def convert(world: SimulatedApis, amount: float, base: str, target: str) -> Any:
    arguments = {"amount": amount, "from_currency": base, "to_currency": target}
    return Evaluator(world).value(Call("convert_currency", arguments))


def what_decides(call: Call) -> tuple[Any, ...]:
    """What decides a value: the request, and of a conversion the amount and the target."""
    request = NETWORK_FUNCTIONS[call.name].request_of(call.arguments)
    return request, call.arguments.get("amount"), call.arguments.get("to_currency")


def name_of(call: Call) -> str:
    arguments = call.arguments
    if call.name == "convert_currency":
        return f"{arguments['from_currency']} to {arguments['to_currency']}"
    return str(next(iter(arguments.values())))


def form(value: Json) -> Json:
    """The keys and types of a response."""
    if isinstance(value, dict):
        return {key: form(item) for key, item in value.items()}
    if isinstance(value, list):
        return [form(item) for item in value]
    return type(value).__name__
