"""Executed calls played again: values, requests, and that an archive keeps every answer that is shown."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bfcl_pipeline.benchmark.definition import category_of
from bfcl_pipeline.benchmark.records import Call, Entry, Mode, Response
from bfcl_pipeline.dialogue.release_texts import read_recorded_calls
from bfcl_pipeline.judge.web_files import needed_requests, shown_requests
from bfcl_pipeline.show.playback.conditions import Conditions
from bfcl_pipeline.show.transcripts.answer import answer_record
from bfcl_pipeline.show.transcripts.entry import entry_record
from bfcl_pipeline.show.transcripts.executed import execute, execute_reference, execute_request
from bfcl_pipeline.world.executables import ApiAnswer, SimulatedApis
from bfcl_pipeline.world.tools import Constants
from bfcl_pipeline.world.web.cache import WebCache
from bfcl_pipeline.world.web.keys import ApiKey

HOLIDAYS = Call("retrieve_holiday_by_year", {"year": "2020", "country": "ES"})


@pytest.fixture
def find(entries: Callable[[str], list[Entry]]) -> Callable[[str], Entry]:
    """A function that returns an entry by its id."""
    return lambda entry_id: next(one for one in entries(category_of(entry_id)) if one.entry_id == entry_id)


def test_a_call_has_its_value_or_why_it_has_none(
    staged: Path, constants: Constants, tmp_path: Path
) -> None:
    """A value, an error of Python, or a missing record with the request that was needed."""
    conditions = Conditions(staged, constants, tmp_path)
    area = execute(Call("calculate_triangle_area", {"base": 3, "height": 4}), conditions, "off")
    assert (area.value, area.error, area.missing, area.requests) == (6.0, None, None, ())
    failed = execute(Call("calculate_triangle_area", {"side": 3}), conditions, None)
    assert failed.error is not None
    assert failed.error.startswith("TypeError")
    assert execute(HOLIDAYS, conditions, "simulated").requests[0].source == "the simulated network"
    missing = execute(HOLIDAYS, conditions, "replay")
    assert missing.missing is not None
    assert [asked.source for asked in missing.requests] == [""]


def test_a_damaged_record_is_a_missing_value(staged: Path, constants: Constants, tmp_path: Path) -> None:
    """A page is made all the same, and says which file is damaged."""
    conditions = Conditions(staged, constants, tmp_path)
    (asked,) = execute(HOLIDAYS, conditions, "simulated").requests
    cache = WebCache(tmp_path / "web")
    at = datetime(2026, 11, 23, tzinfo=UTC)
    cache.add(ApiKey(asked.request), ApiAnswer(200, "[]"), engine="e", recorded_at=at)
    found = execute(HOLIDAYS, conditions, "record")
    assert (found.value, found.requests[0].source) == ([], "the record of 2026-11-23")
    cache.path(ApiKey(asked.request)).write_text("{}")
    damaged = execute(HOLIDAYS, conditions, "record")
    assert damaged.missing is not None
    assert "differs from the file that was recorded" in damaged.missing


def test_the_reference_request_has_the_recorded_response_in_every_mode(
    find: Callable[[str], Entry], staged: Path, constants: Constants
) -> None:
    """It is never looked up in a record; a name other than requests.get is no request."""
    entry = find("rest_69")
    truth = execute_reference(entry)
    assert json.loads(truth.value.body) == entry.truth["response"]
    conditions = Conditions(staged, constants)
    assert execute_request(entry, truth.call, conditions, "off") == truth
    other = execute_request(entry, Call("requests.post", truth.call.arguments), conditions, None)
    assert other.error == "NameError: name 'requests.post' is not defined"


@pytest.mark.parametrize(
    ("entry_id", "text"),
    [
        ("exec_parallel_multiple_3", "[retrieve_holiday_by_year(year='2020', country='DE')]"),
        (
            "exec_simple_3",
            "[calculate_density(mass=1, volume=2), retrieve_holiday_by_year(year=1, country='x')]",
        ),
        ("rest_69", "[requests.get(url='https://date.nager.at/a'), requests.get(url='no scheme')]"),
        ("rest_3", "no call"),
    ],
)
def test_an_archive_keeps_every_answer_that_a_page_shows(
    find: Callable[[str], Entry], staged: Path, constants: Constants, entry_id: str, text: str
) -> None:
    """Also of calls that no verdict needs, as those of an answer with a wrong number of calls."""
    entry = find(entry_id)
    response = Response(entry_id, entry.category, Mode.PROMPT, json.dumps(text))
    apis = SimulatedApis(read_recorded_calls(staged))
    kept = {**needed_requests(entry, [response], apis), **shown_requests(entry, [response], apis)}
    record = answer_and_truth(entry, response, Conditions(staged, constants))
    assert record <= {f"GET {key.request.url}" for key in kept}


def answer_and_truth(entry: Entry, response: Response, conditions: Conditions) -> set[str]:
    """The addresses of the requests on the page of an answer, but for that of a REST entry's release."""
    items = answer_record(entry, response, {}, conditions).answer
    if entry.category != "rest":
        items += entry_record(entry, conditions).accepted
    return {item.text.partition("?")[0].partition(";")[0] for item in items if item.kind == "request"}
