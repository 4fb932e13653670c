"""The detectors of forms that are rejected: format, wording."""

import pytest

from tests.support.audited import found, single_turn

PLACE = "The city, in the format of 'City, State', such as 'Berkeley, CA'."


def entry(description, accepted, request="Do it.", **schema):
    properties = {"p": {"type": "string", "description": description, **schema}}
    return single_turn("live_simple_0-0-0", request, {"p": accepted}, properties, ["p"])


@pytest.mark.parametrize(
    ("description", "accepted"),
    [
        (PLACE, ["Paris"]),
        ("The day, formatted as 'YYYY-MM-DD'.", ["05/15/2023"]),
        ("The day (MM/DD/YYYY).", ["2023-05-15"]),
        ("The time in the format HH:MM.", ["9 AM"]),
    ],
)
def test_a_format_of_the_doc_that_is_rejected(description, accepted):
    """A parameter is listed if no accepted value has a format that its doc gives."""
    assert [each.where for each in found("format", entry(description, accepted))] == ["f, p"]


@pytest.mark.parametrize(
    ("description", "accepted", "schema"),
    [
        (PLACE, ["Paris", "Paris, France"], {}),
        ("The day, formatted as 'YYYY-MM-DD'.", ["2023-05-15T09:00:00Z"], {}),
        ("The time, as 'YYYY-MM-DD HH:MM' or 'HH:MM'.", ["23:00"], {}),
        ("The name of the city, state, or country.", ["Alaska"], {}),
        ("The form of the year. Default is 'MM-DD-YYYY'.", ["YYYY"], {}),
        (PLACE, ["any"], {"default": "any"}),
        (PLACE, [""], {}),
    ],
)
def test_a_format_of_the_doc_that_is_accepted(description, accepted, schema):
    """One accepted value in one of the formats is enough, and a default or omission needs none."""
    assert found("format", entry(description, accepted, **schema)) == []


@pytest.mark.parametrize(
    ("accepted", "request_text", "own"),
    [
        (["Paris"], "The weather in Paris, France?", "Paris, France"),
        (["New York"], "The weather in New York, NY will be fine.", "New York, NY"),
        (["Washington"], "The weather in Washington D.C. on Monday", "Washington D.C."),
        (["euro", "EUR"], "Convert it to Euros.", "euros"),
    ],
)
def test_own_words_that_are_rejected(accepted, request_text, own):
    """A place with its state or country, and a plural, are listed if only the shorter form is accepted."""
    (finding,) = found("wording", entry("The city or currency.", accepted, request_text))
    assert f"the request has '{own}'" in finding.detail


@pytest.mark.parametrize(
    ("description", "accepted", "request_text"),
    [
        ("The city.", ["Paris", "Paris, France"], "The weather in Paris, France?"),
        ("The city.", ["Paris"], "From Paris, London and Rome."),
        ("The name.", ["Paris"], "Call Paris, France."),
        ("The unit, such as 'tablespoon'.", ["tablespoon"], "Two tablespoons."),
        ("The currency.", ["euro"], "One euro, not two euros."),
        ("The city.", ["Rome"], "The weather in Paris, France?"),
    ],
)
def test_own_words_that_are_accepted(description, accepted, request_text):
    """Lists of places, other parameters, forms that the doc has, and stated forms are not listed."""
    assert found("wording", entry(description, accepted, request_text)) == []


def test_a_country_in_another_parameter():
    """A place is not listed with the country that the call has in another parameter."""
    properties = {name: {"type": "string", "description": "The place."} for name in ("city", "country")}
    truth = {"city": ["Paris"], "country": ["France", "FR"]}
    assert found("wording", single_turn("live_simple_0-0-0", "In Paris, France?", truth, properties)) == []
    other = truth | {"country": ["FR"]}
    assert found("wording", single_turn("live_simple_0-0-0", "In Paris, France?", other, properties)) != []


def test_an_enum_gives_the_form():
    """A parameter with an enum is not listed, as its doc gives the form."""
    assert found("wording", entry("The currency.", ["euro"], "In Euros.", enum=["euro"])) == []
