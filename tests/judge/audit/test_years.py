"""The search for dates whose year no message states."""

import pytest

from bfcl_pipeline.benchmark.records import Entry
from bfcl_pipeline.judge.audit import Benchmark
from bfcl_pipeline.judge.audit.provenance import find_undated
from bfcl_pipeline.world.tools import Constants


def found(message: str, accepted: list[object]) -> list[tuple[str, str]]:
    doc = {
        "name": "f",
        "description": "d",
        "parameters": {"properties": {"day": {"type": "string"}}, "required": []},
    }
    turns = (({"role": "user", "content": message},),)
    entry = Entry("live_simple_0", "live_simple", turns, (doc,), [{"f": {"day": accepted}}])
    benchmark = Benchmark({"live_simple": [entry]}, Constants({}))
    return [(each.entry_id, each.where) for each in find_undated(benchmark)]


@pytest.mark.parametrize("accepted", [["2023-03-14"], ["03/14/2023"], ["2023-03-14T09:00", "2023-03-14"]])
def test_a_date_without_a_year_in_the_request(accepted):
    """A parameter that must be a date is found if no message has a year."""
    assert found("Book a table on March 14th.", accepted) == [("live_simple_0", "f, day")]


@pytest.mark.parametrize(
    ("message", "accepted"),
    [
        ("Book a table on March 14th 2023.", ["2023-03-14"]),
        ("Book it on March 14th of next year; today is 2022.10.1", ["2023-03-14"]),
        ("Book it for tomorrow, today is 20230313.", ["2023-03-14"]),
        ("Book a table on March 14th.", ["2023-03-14", ""]),
        ("Book a table on March 14th.", ["March 14th", "2023-03-14"]),
        ("Book a table.", []),
    ],
)
def test_a_date_that_is_stated_or_can_be_left_out(message, accepted):
    """Nothing is found if a message has a year, or if a value without a year is accepted."""
    assert found(message, accepted) == []
