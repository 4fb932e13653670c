"""The detectors that look at one parameter of a single-turn entry: what they list, and what not."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.audited import found, single_turn

METRIC = {"type": "string", "description": "The unit. Default is 'metric'."}
ROWS = {"type": "integer", "description": "Rows per page. Default is 10 rows."}
SUMMARY = {"type": "boolean", "description": "Whether to return an overview. Default: False"}
CLASS = {"type": "string", "enum": ["Value", "Business"], "default": "Value"}
TEN = {"type": "integer", "default": 10}
TEXT, EMPTY, NOTHING = {"type": "string"}, {"type": "string", "default": ""}, "Do it."
COLOURS = {"type": "string", "enum": ["red", "blue"]}
COLOUR_KEY = {"type": "dict", "properties": {"colour": COLOURS}}
KEYS = {"type": "dict", "properties": {"class": CLASS, "summary": SUMMARY}}


def said(description: str, **schema: Any) -> dict[str, Any]:
    return {"type": "string", "description": description, **schema}


def array(items: dict[str, Any], **schema: Any) -> dict[str, Any]:
    return {"type": "array", "items": items, **schema}


PLACE = said("The city, in the format of 'City, State', such as 'Berkeley, CA'.")
DAY, CITY = said("The day, formatted as 'YYYY-MM-DD'."), said("The city or currency.")

LISTED = [
    # Every accepted value is outside an enum of the schema, at any depth.
    ("enum", COLOURS, ["green"], NOTHING),
    ("enum", {"type": "string", "enum": ["True", "False"]}, [True], NOTHING),
    ("enum", {"type": "string", "enum": ["1", "2"]}, [2], NOTHING),
    ("enum", array(COLOURS), [["red", "green"]], NOTHING),
    ("enum", array(TEXT, enum=["red"]), [["red"]], NOTHING),
    ("enum", COLOUR_KEY, [{"colour": ["green"]}], NOTHING),
    ("enum", array(COLOUR_KEY), [[{"colour": ["green"]}]], NOTHING),
    # The default is accepted, and its omission is not.
    ("default", TEN, [10], NOTHING),
    ("default", {"type": "integer", "description": "Rows per page. Default is 10."}, [10, 20], NOTHING),
    ("default", said("The unit. Defaults to 'metric'."), ["Metric"], NOTHING),
    ("default", {"type": "boolean", "description": "Default: True"}, [True], NOTHING),
    # It may be left out, and its documented default is not accepted; None: the truth does not have it.
    ("written_default", CLASS, None, NOTHING),
    ("written_default", ROWS, None, NOTHING),
    ("written_default", ROWS, [""], NOTHING),
    ("written_default", ROWS, ["", 20], NOTHING),
    ("written_default", METRIC, ["imperial", ""], NOTHING),
    ("written_default", SUMMARY, ["", True], NOTHING),
    ("written_default", said("The exchange, default is NYSE"), [""], NOTHING),
    ("written_default", said("Gravity. Default value is -9.81 m/s^2.", type="float"), ["", -9.8], NOTHING),
    ("written_default", said("The constant. Default is 8.99e9.", type="float"), [""], NOTHING),
    ("written_default", EMPTY, None, NOTHING),
    ("written_default", {"type": "string", "default": None}, None, NOTHING),
    ("written_default", array(TEXT, default=[]), None, NOTHING),
    # It may be left out, and the request states another value than the default.
    ("omission", METRIC, ["imperial", ""], "In imperial units."),
    ("omission", ROWS, ["", 4], "Show four rows."),
    ("omission", ROWS, ["", 4], "Show 4rows."),
    ("omission", SUMMARY, ["", True], "Return a summary."),
    ("omission", CLASS, ["", "Value"], "Book it in business class."),
    # A True, False or number is demanded, and the request has no word for it.
    ("unasked", SUMMARY, [True], NOTHING),
    ("unasked", ROWS, [50], NOTHING),
    ("unasked", {"type": "string", "default": "dontcare"}, ["True"], NOTHING),
    # No accepted value has a format that the doc gives.
    ("format", PLACE, ["Paris"], NOTHING),
    ("format", DAY, ["05/15/2023"], NOTHING),
    ("format", said("The day (MM/DD/YYYY)."), ["2023-05-15"], NOTHING),
    ("format", said("The time in the format HH:MM."), ["9 AM"], NOTHING),
    # A place with its state or country, or a plural, where only the shorter form is accepted.
    ("wording", CITY, ["Paris"], "The weather in Paris, France?"),
    ("wording", CITY, ["New York"], "The weather in New York, NY will be fine."),
    ("wording", CITY, ["Washington"], "The weather in Washington D.C. on Monday"),
    ("wording", CITY, ["euro", "EUR"], "Convert it to Euros."),
    # It must be a date, and no message has a year.
    ("provenance", TEXT, ["2023-03-14"], "Book a table on March 14th."),
    ("provenance", TEXT, ["03/14/2023"], "Book a table on March 14th."),
    ("provenance", TEXT, ["2023-03-14T09:00", "2023-03-14"], "Book a table on March 14th."),
]

NOT_LISTED = [
    # One accepted value in the enum, or an accepted omission, is enough.
    ("enum", COLOURS, ["green", "red"], NOTHING),
    ("enum", COLOURS, ["green", ""], NOTHING),
    ("enum", TEXT, ["green"], NOTHING),
    ("enum", array(COLOURS), [["red", "blue"]], NOTHING),
    ("enum", COLOUR_KEY, [{"colour": ["green", "red"]}], NOTHING),
    ("enum", COLOURS, [], NOTHING),
    # Its omission is accepted or means something else; it is required; it has no default.
    ("default", TEN, [10, ""], NOTHING),
    ("default", TEN, [20], NOTHING),
    ("default, required", TEN, [10], NOTHING),
    ("default", {"type": "integer", "description": "Rows per page."}, [10], NOTHING),
    # Its default is accepted, it must be given, or it has no literal one.
    ("written_default", ROWS, ["", 10], NOTHING),
    ("written_default", ROWS, [20], NOTHING),
    ("written_default, required", ROWS, None, NOTHING),
    ("written_default", EMPTY, [""], NOTHING),
    ("written_default", TEXT, None, NOTHING),
    ("written_default", {"type": "boolean", "default": "false"}, ["", False], NOTHING),
    ("written_default", said("The team. Default is all teams."), [""], NOTHING),
    ("written_default", said("It. Default is 8.854 x 10^-12.", type="float"), [""], NOTHING),
    # The omission of what is asked is suspect instead.
    *(("written_default", *row[1:]) for row in LISTED if row[0] == "omission"),
    # The request states no other value; it is demanded; it is the default.
    ("omission", METRIC, ["imperial", ""], NOTHING),
    ("omission", METRIC, ["imperial"], "In imperial units."),
    ("omission", METRIC, ["metric", ""], "In metric units."),
    # Words of the name or the description, other letters, numbers, defaults, omissions, texts.
    ("unasked", SUMMARY, [True], "With an overview."),
    ("unasked", SUMMARY, [True], "With overviews."),
    ("unasked", SUMMARY, [True], "Give me the returned values."),
    ("unasked", SUMMARY, [True], "请给我"),
    ("unasked", ROWS, [50], "Show fifty: 5 by 10."),
    ("unasked", SUMMARY, [False], NOTHING),
    ("unasked", SUMMARY, [True, ""], NOTHING),
    ("unasked", METRIC, ["imperial"], "In feet."),
    # One accepted value in one of the formats is enough, and a default or omission needs none.
    ("format", PLACE, ["Paris", "Paris, France"], NOTHING),
    ("format", DAY, ["2023-05-15T09:00:00Z"], NOTHING),
    ("format", said("The time, as 'YYYY-MM-DD HH:MM' or 'HH:MM'."), ["23:00"], NOTHING),
    ("format", said("The name of the city, state, or country."), ["Alaska"], NOTHING),
    ("format", said("The form of the year. Default is 'MM-DD-YYYY'."), ["YYYY"], NOTHING),
    ("format", {**PLACE, "default": "any"}, ["any"], NOTHING),
    ("format", PLACE, [""], NOTHING),
    # Lists of places, other parameters, forms that the doc has, stated forms, enums.
    ("wording", said("The city."), ["Paris", "Paris, France"], "The weather in Paris, France?"),
    ("wording", said("The city."), ["Paris"], "From Paris, London and Rome."),
    ("wording", said("The name."), ["Paris"], "Call Paris, France."),
    ("wording", said("The unit, such as 'tablespoon'."), ["tablespoon"], "Two tablespoons."),
    ("wording", said("The currency."), ["euro"], "One euro, not two euros."),
    ("wording", said("The city."), ["Rome"], "The weather in Paris, France?"),
    ("wording", said("The currency.", enum=["euro"]), ["euro"], "In Euros."),
    # A message has a year, or a value without a year is accepted.
    ("provenance", TEXT, ["2023-03-14"], "Book a table on March 14th 2023."),
    ("provenance", TEXT, ["2023-03-14"], "Book it on March 14th of next year; today is 2022.10.1"),
    ("provenance", TEXT, ["2023-03-14"], "Book it for tomorrow, today is 20230313."),
    ("provenance", TEXT, ["2023-03-14", ""], "Book a table on March 14th."),
    ("provenance", TEXT, ["March 14th", "2023-03-14"], "Book a table on March 14th."),
    ("provenance", TEXT, [], "Book a table."),
]

OWN_WORDS = {"Paris": "Paris, France", "New York": "New York, NY", "Washington": "Washington D.C."}


def _name(detector: str) -> str:
    """The name of the parameter: a word of a request where a request may name it."""
    return "summary" if detector in ("omission", "written_default") else "p"


def places(detector: str, schema: dict[str, Any], accepted: Any, request: str) -> list[tuple[str, str]]:
    """Where a detector finds something on an entry with this parameter, and what."""
    name, _, required = detector.partition(", ")
    parameter = _name(name)
    truth = {} if accepted is None else {parameter: accepted}
    needed = [parameter] if required or name in ("format", "wording") else []
    entry = single_turn("simple_python_0", request, truth, {parameter: schema}, needed)
    return [(each.where.removeprefix("f, "), each.detail) for each in found(name, entry)]


@pytest.mark.parametrize(("detector", "schema", "accepted", "request_text"), LISTED)
def test_a_parameter_is_listed(detector: str, schema: Any, accepted: Any, request_text: str) -> None:
    """Once, under its name; a finding on wording has the request's own words."""
    ((where, detail),) = places(detector, schema, accepted, request_text)
    assert where == _name(detector)
    if detector == "wording":
        assert f"the request has '{OWN_WORDS.get(accepted[0], 'euros')}'" in detail


@pytest.mark.parametrize(("detector", "schema", "accepted", "request_text"), NOT_LISTED)
def test_a_parameter_is_not_listed(detector: str, schema: Any, accepted: Any, request_text: str) -> None:
    """What an answer can give, and what the request or the doc decides, is no suspected defect."""
    assert places(detector, schema, accepted, request_text) == []


def test_defaults_of_keys() -> None:
    """The keys of objects, and of the objects in lists, are looked at like parameters."""
    one = places("written_default", KEYS, [{"class": ["", "Value"]}], NOTHING)
    objects = [[{"class": ["Business", ""], "summary": ["", False]}]]
    many = places("written_default", array(KEYS), objects, NOTHING)
    assert [where for where, _ in (*one, *many)] == ["summary.summary", "summary.class"]


def test_other_calls_and_parameters() -> None:
    """An option that another call may be for, and a country in another parameter, are not listed."""
    asked = single_turn("simple_python_0", "Value and Business.", {"p": ["", "Value"]}, {"p": CLASS})
    assert len(found("omission", asked)) == 1
    calls = [{"f": {"p": ["", "Value"]}}, {"f": {"p": ["Business"]}}]
    both = type(asked)("parallel_0", "parallel", asked.turns, asked.functions, calls)
    assert found("omission", both) == []
    properties = {name: said("The place.") for name in ("city", "country")}
    for country, count in ((["France", "FR"], 0), (["FR"], 1)):
        truth = {"city": ["Paris"], "country": country}
        entry = single_turn("live_simple_0-0-0", "In Paris, France?", truth, properties)
        assert len(found("wording", entry)) == count
