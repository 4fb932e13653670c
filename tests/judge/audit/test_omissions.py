"""The detectors of optional parameters: default, written_default, omission, unasked."""

import pytest

from tests.support.audited import found, single_turn

METRIC = {"type": "string", "description": "The unit. Default is 'metric'."}
ROWS = {"type": "integer", "description": "Rows per page. Default is 10 rows."}
SUMMARY = {"type": "boolean", "description": "Whether to return an overview. Default: False"}
CLASS = {"type": "string", "enum": ["Value", "Business"], "default": "Value"}


def entry(schema, accepted, request="Do it.", required=()):
    """An entry with the parameter p; accepted: None if the truth does not have it."""
    truth = {} if accepted is None else {"p": accepted}
    return single_turn("simple_python_0", request, truth, {"p": schema}, required)


@pytest.mark.parametrize(
    ("schema", "accepted"),
    [
        (CLASS, None),
        (ROWS, None),
        (ROWS, [""]),
        (ROWS, ["", 20]),
        (METRIC, ["imperial", ""]),
        (SUMMARY, ["", True]),
        ({"type": "string", "description": "The exchange, default is NYSE"}, [""]),
        ({"type": "float", "description": "The gravity. Default value is -9.81 m/s^2."}, ["", -9.8]),
        ({"type": "float", "description": "The constant. Default is 8.99e9."}, [""]),
        ({"type": "string", "default": ""}, None),
        ({"type": "string", "default": None}, None),
        ({"type": "array", "items": {"type": "string"}, "default": []}, None),
    ],
)
def test_a_default_that_may_not_be_written(schema, accepted):
    """A parameter is listed if it may be left out and its documented default is not accepted."""
    assert [each.where for each in found("written_default", entry(schema, accepted))] == ["f, p"]


@pytest.mark.parametrize(
    ("schema", "accepted", "required"),
    [
        (ROWS, ["", 10], ()),
        (ROWS, [20], ()),
        (ROWS, None, ("p",)),
        ({"type": "string", "default": ""}, [""], ()),
        ({"type": "string"}, None, ()),
        ({"type": "boolean", "default": "false"}, ["", False], ()),
        ({"type": "string", "description": "The team. Default is all teams."}, [""], ()),
        ({"type": "float", "description": "The constant. Default is 8.854 x 10^-12."}, [""], ()),
    ],
)
def test_a_default_that_may_be_written(schema, accepted, required):
    """A parameter is not listed if its default is accepted, it must be given, or it has no literal one."""
    assert found("written_default", entry(schema, accepted, required=required)) == []


def test_defaults_of_keys():
    """The keys of objects, and of the objects in lists, are looked at like parameters."""
    schema = {"type": "dict", "properties": {"class": CLASS, "summary": SUMMARY}}
    one = entry(schema, [{"class": ["", "Value"]}])
    assert [each.where for each in found("written_default", one)] == ["f, p.summary"]
    many = entry(
        {"type": "array", "items": schema}, [[{"class": ["Business", ""], "summary": ["", False]}]]
    )
    assert [each.where for each in found("written_default", many)] == ["f, p.class"]


@pytest.mark.parametrize(
    ("schema", "accepted", "request_text"),
    [
        (METRIC, ["imperial", ""], "In imperial units."),
        (ROWS, ["", 4], "Show four rows."),
        (ROWS, ["", 4], "Show 4rows."),
        (SUMMARY, ["", True], "Return a summary."),
        (CLASS, ["", "Value"], "Book it in business class."),
    ],
)
def test_an_omission_of_what_is_asked(schema, accepted, request_text):
    """It is listed if the request states another value than the default, and it may be left out."""
    asked = single_turn("simple_python_0", request_text, {"summary": accepted}, {"summary": schema})
    assert len(found("omission", asked)) == 1
    assert found("written_default", asked) == []


@pytest.mark.parametrize(
    ("accepted", "request_text"),
    [
        (["imperial", ""], "Do it."),
        (["imperial"], "In imperial units."),
        (["metric", ""], "In metric units."),
    ],
    ids=["not stated", "demanded", "the default"],
)
def test_an_omission_that_is_right(accepted, request_text):
    """A parameter is not listed if the request states no other value, or the value is demanded."""
    assert found("omission", entry(METRIC, accepted, request_text)) == []


def test_an_option_for_another_call():
    """An option of the enum that another call of the function may be for is not listed."""
    calls = [{"f": {"p": ["", "Value"]}}, {"f": {"p": ["Business"]}}]
    asked = entry(CLASS, ["", "Value"], "One in Value and one in Business.")
    assert len(found("omission", asked)) == 1
    both = type(asked)("parallel_0", "parallel", asked.turns, asked.functions, calls)
    assert found("omission", both) == []


@pytest.mark.parametrize(
    ("schema", "accepted"),
    [(SUMMARY, [True]), (ROWS, [50]), ({"type": "string", "default": "dontcare"}, ["True"])],
)
def test_a_value_that_nobody_asks_for(schema, accepted):
    """A demanded True, False or number is listed if the request has no word for it."""
    assert [each.where for each in found("unasked", entry(schema, accepted))] == ["f, p"]


@pytest.mark.parametrize(
    ("schema", "accepted", "request_text"),
    [
        (SUMMARY, [True], "With an overview."),
        (SUMMARY, [True], "With overviews."),
        (SUMMARY, [True], "Give me the returned values."),
        (SUMMARY, [True], "请给我"),
        (ROWS, [50], "Show fifty: 5 by 10."),
        (SUMMARY, [False], "Do it."),
        (SUMMARY, [True, ""], "Do it."),
        (METRIC, ["imperial"], "In feet."),
    ],
)
def test_a_value_that_is_asked_for(schema, accepted, request_text):
    """Words of the name or the description, numbers, texts, defaults and omissions are not listed."""
    assert found("unasked", entry(schema, accepted, request_text)) == []
