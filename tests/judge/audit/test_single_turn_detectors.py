"""The detectors of single-turn requests: contradiction, calendar."""

import pytest

from tests.support.audited import found, single_turn

NUMBER = {"n": {"type": "integer"}}
PIZZA = "Order a pizza."


def calling(number=1, entry_id="live_simple_0-0-0"):
    return single_turn(entry_id, PIZZA, {"n": [number]}, NUMBER)


def forbidding(request, name="f", also=()):
    entry = single_turn("live_irrelevance_0-0-0", request, None, NUMBER, also=also)
    docs = ({**entry.functions[0], "name": name}, *entry.functions[1:])
    return type(entry)(entry.entry_id, entry.category, entry.turns, docs, entry.truth)


@pytest.mark.parametrize(
    ("other", "contradicts"),
    [
        (forbidding("order  a pizza."), True),
        (forbidding(PIZZA, also=["g"]), True),  # among others
        (calling(2, "simple_python_0"), True),
        (calling(1, "simple_python_1"), False),
        (forbidding("Order two.", also=["g"]), False),
        (forbidding(PIZZA, "h"), False),  # which does not offer the called function
    ],
)
def test_contradictions(other, contradicts):
    """Two entries with one request contradict each other if one forbids the call or demands another."""
    one = calling()
    expected = [(one.entry_id, other.entry_id), (other.entry_id, one.entry_id)] if contradicts else []
    assert sorted((each.entry_id, each.related) for each in found("contradiction", one, other)) == sorted(
        expected
    )


@pytest.mark.parametrize(
    ("request_text", "truth", "detail"),
    [
        # A weekday beside a date must be that of the date.
        ("Book it for Monday, April 25th 2023.", {}, "Monday is said of 2023-04-25, which is a Tuesday"),
        (
            "Book it for monday the 25th of April 2023, please.",
            {},
            "monday is said of 2023-04-25, which is a Tuesday",
        ),
        ("Book it for 2023-04-25 (Monday).", {}, "Monday is said of 2023-04-25, which is a Tuesday"),
        # The right weekday, one of another sentence, and a day that does not exist are not listed.
        ("Book it for Tuesday, April 25th 2023.", {}, None),
        ("Book it for 25 April 2023. Monday is too late.", {}, None),
        ("Book it on Monday, not on April 25th 2023.", {}, None),
        ("Book it for Monday, April 45th 2023.", {}, None),
        # A date of the request is in another year in the truth, unless the request says that year.
        (
            "Cancel my flight of December 15, 2026.",
            {"day": ["2023-12-15"]},
            "the truth has 2023-12-15, the request 2026-12-15",
        ),
        ("Cancel my flight of December 15, 2026.", {"day": ["2026-12-15"]}, None),
        ("Cancel my flight of December 15, 2026. I booked in 2023.", {"day": ["2023-12-15"]}, None),
    ],
)
def test_dates(request_text, truth, detail):
    """Weekdays and years of requests and truths agree, or are listed."""
    entry = single_turn("live_simple_0-0-0", request_text, truth)
    assert [each.detail for each in found("calendar", entry)] == ([detail] if detail else [])
