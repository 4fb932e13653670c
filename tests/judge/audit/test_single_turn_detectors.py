"""The detectors of single-turn entries: contradiction, enum, default, calendar."""

import pytest

from tests.support.audited import found, single_turn

NUMBER = {"n": {"type": "integer"}}


def test_a_call_demanded_and_forbidden_for_the_same_request_is_a_contradiction():
    """Two entries with the same request and function contradict each other if one forbids every call."""
    calling = single_turn("live_simple_0-0-0", "Order a pizza.", {"n": [1]}, NUMBER)
    forbidding = single_turn("live_irrelevance_0-0-0", "order  a pizza.", None, NUMBER)
    pairs = [(each.entry_id, each.related) for each in found("contradiction", calling, forbidding)]
    assert pairs == [
        (calling.entry_id, forbidding.entry_id),
        (forbidding.entry_id, calling.entry_id),
    ]


def test_the_called_function_among_others_is_a_contradiction():
    """The entry that forbids every call may offer further functions beside the called one."""
    calling = single_turn("live_simple_0-0-0", "Order a pizza.", {"n": [1]}, NUMBER)
    forbidding = single_turn("live_irrelevance_0-0-0", "Order a pizza.", None, NUMBER, also=["g"])
    assert len(found("contradiction", calling, forbidding)) == 2


def test_different_calls_for_the_same_request_are_a_contradiction():
    """Two entries with the same request and functions must accept the same calls."""
    one = single_turn("live_simple_0-0-0", "Order a pizza.", {"n": [1]}, NUMBER)
    other = single_turn("simple_python_0", "Order a pizza.", {"n": [2]}, NUMBER)
    same = single_turn("simple_python_1", "Order a pizza.", {"n": [1]}, NUMBER)
    assert len(found("contradiction", one, other)) == 2
    assert found("contradiction", one, same) == []


@pytest.mark.parametrize(
    ("request_text", "also", "name"),
    [("Order two.", ["g"], "f"), ("Order a pizza.", [], "h")],
    ids=["another request", "the function is not offered"],
)
def test_other_requests_and_functions_are_no_contradiction(request_text, also, name):
    """Without the same request, or without the called function, nothing contradicts."""
    calling = single_turn("live_simple_0-0-0", "Order a pizza.", {"n": [1]}, NUMBER)
    forbidding = single_turn("live_irrelevance_0-0-0", request_text, None, NUMBER, also=also)
    docs = ({**forbidding.functions[0], "name": name}, *forbidding.functions[1:])
    other = type(forbidding)(
        forbidding.entry_id, forbidding.category, forbidding.turns, docs, forbidding.truth
    )
    assert found("contradiction", calling, other) == []


COLOURS = {"type": "string", "enum": ["red", "blue"]}


@pytest.mark.parametrize(
    ("schema", "accepted"),
    [
        (COLOURS, ["green"]),
        ({"type": "string", "enum": ["True", "False"]}, [True]),
        ({"type": "string", "enum": ["1", "2"]}, [2]),
        ({"type": "array", "items": COLOURS}, [["red", "green"]]),
        ({"type": "array", "items": {"type": "string"}, "enum": ["red"]}, [["red"]]),
        ({"type": "dict", "properties": {"colour": COLOURS}}, [{"colour": ["green"]}]),
        (
            {"type": "array", "items": {"type": "dict", "properties": {"colour": COLOURS}}},
            [[{"colour": ["green"]}]],
        ),
    ],
)
def test_values_outside_the_enum(schema, accepted):
    """A parameter is listed if every accepted value is outside an enum of its schema, at any depth."""
    entry = single_turn("simple_python_0", truth={"p": accepted}, properties={"p": schema})
    assert [each.where for each in found("enum", entry)] == ["f, p"]


@pytest.mark.parametrize(
    ("schema", "accepted"),
    [
        (COLOURS, ["green", "red"]),
        (COLOURS, ["green", ""]),
        ({"type": "string"}, ["green"]),
        ({"type": "array", "items": COLOURS}, [["red", "blue"]]),
        ({"type": "dict", "properties": {"colour": COLOURS}}, [{"colour": ["green", "red"]}]),
        (COLOURS, []),
    ],
)
def test_values_in_the_enum(schema, accepted):
    """One accepted value in the enum, or an accepted omission, is enough."""
    entry = single_turn("simple_python_0", truth={"p": accepted}, properties={"p": schema})
    assert found("enum", entry) == []


@pytest.mark.parametrize(
    ("schema", "accepted"),
    [
        ({"type": "integer", "default": 10}, [10]),
        ({"type": "integer", "description": "Rows per page. Default is 10."}, [10, 20]),
        ({"type": "string", "description": "The unit. Defaults to 'metric'."}, ["Metric"]),
        ({"type": "boolean", "description": "Default: True"}, [True]),
    ],
)
def test_a_default_that_must_be_given(schema, accepted):
    """An optional parameter is listed if its default is accepted and its omission is not."""
    entry = single_turn("simple_python_0", truth={"p": accepted}, properties={"p": schema})
    assert [each.where for each in found("default", entry)] == ["f, p"]


@pytest.mark.parametrize(
    ("schema", "accepted", "required"),
    [
        ({"type": "integer", "default": 10}, [10, ""], []),
        ({"type": "integer", "default": 10}, [20], []),
        ({"type": "integer", "default": 10}, [10], ["p"]),
        ({"type": "integer", "description": "Rows per page."}, [10], []),
    ],
    ids=["omission accepted", "another value", "required", "no default"],
)
def test_a_default_that_may_be_left_out(schema, accepted, required):
    """A parameter is not listed if its omission is accepted, or means something else."""
    entry = single_turn(
        "simple_python_0", truth={"p": accepted}, properties={"p": schema}, required=required
    )
    assert found("default", entry) == []


@pytest.mark.parametrize(
    "request_text",
    [
        "Book it for Monday, April 25th 2023.",
        "Book it for monday the 25th of April 2023, please.",
        "Book it for 2023-04-25 (Monday).",
    ],
)
def test_a_wrong_weekday(request_text):
    """A weekday beside a date must be that of the date."""
    entry = single_turn("live_simple_0-0-0", request_text, {})
    assert [each.detail for each in found("calendar", entry)] == [
        f"{'monday' if 'monday' in request_text else 'Monday'} is said of 2023-04-25, which is a Tuesday"
    ]


@pytest.mark.parametrize(
    "request_text",
    [
        "Book it for Tuesday, April 25th 2023.",
        "Book it for 25 April 2023. Monday is too late.",
        "Book it on Monday, not on April 25th 2023.",
        "Book it for Monday, April 45th 2023.",
    ],
)
def test_a_right_weekday(request_text):
    """The right weekday, one of another sentence, and a day that does not exist are not listed."""
    assert found("calendar", single_turn("live_simple_0-0-0", request_text, {})) == []


def test_a_truth_with_another_year():
    """A date of the request must not be in another year in the truth, unless the request says that year."""
    request_text = "Cancel my flight of December 15, 2026."
    moved = single_turn("live_simple_0-0-0", request_text, {"day": ["2023-12-15"]})
    right = single_turn("live_simple_1-1-0", request_text, {"day": ["2026-12-15"]})
    said = single_turn("live_simple_2-2-0", f"{request_text} I booked in 2023.", {"day": ["2023-12-15"]})
    assert [each.entry_id for each in found("calendar", moved, right, said)] == [moved.entry_id]
