"""What a record holds, and what of a run it covers."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from bfcl_pipeline.records import Call, Mode, Response
from bfcl_pipeline.tools.web import Failure, Hits, Page
from bfcl_pipeline.web.keys import FetchKey, SearchKey
from bfcl_pipeline.web.record import Record
from bfcl_pipeline.web.status import Coverage, coverage, requested, survey, web_keys

NOON = datetime(2026, 10, 1, 12, tzinfo=UTC)
TEA = SearchKey("tea", "wt-wt")
PAGE = FetchKey("http://example.com/")
GONE = FetchKey("http://gone.example/")


@pytest.fixture
def record(tmp_path):
    """A record of a search, a page and a failure."""
    made = Record(tmp_path / "web")
    made.add(TEA, Hits(()), engine="duck 1", recorded_at=NOON, cassette=b"{}\n")
    made.add(PAGE, Page("text"), engine="client 1", recorded_at=NOON + timedelta(days=1), cassette=b"[]\n")
    made.add(GONE, Failure("404"), engine="client 1", recorded_at=NOON - timedelta(days=1))
    return made


def test_a_record_is_counted(record):
    """Outcomes by function and kind, engines, times and bytes are those of the files."""
    found = survey(record)
    assert found.outcomes == {("search", "hits"): 1, ("fetch", "page"): 1, ("fetch", "failure"): 1}
    assert found.engines == {"client 1": 2, "duck 1": 1}
    assert (found.oldest, found.newest) == (NOON - timedelta(days=1), NOON + timedelta(days=1))
    assert found.keys == {TEA, PAGE, GONE}
    assert found.bytes == sum(path.stat().st_size for path in record.folder.rglob("*.*"))
    assert (found.cassettes, found.cassettes_missing, found.leftovers, found.damaged) == (2, 0, 0, [])


def test_no_record_is_an_empty_one(tmp_path):
    """A folder that is not there holds nothing."""
    found = survey(Record(tmp_path / "none"))
    assert (found.outcomes.total(), found.bytes, found.oldest, found.damaged) == (0, 0, None, [])


def test_damage_is_named_and_not_counted(record):
    """A damaged outcome and a changed cassette are named; the outcome of that cassette still counts."""
    record.path(PAGE).write_text("{}")
    (cassette,) = record.path(TEA).parent.glob("*.yaml")
    cassette.write_text("changed")
    found = survey(record)
    assert found.keys == {TEA, GONE}
    assert len(found.damaged) == 2
    assert any(record.path(PAGE).name in line for line in found.damaged)
    assert any(cassette.name in line for line in found.damaged)


def test_cassettes_may_be_taken_away_and_writers_stopped(record):
    """Missing cassettes and files that belong to nothing are told apart from damage."""
    for path in record.folder.rglob("*.yaml"):
        path.unlink()
    folder = record.path(TEA).parent
    (folder / ".left.json.0.tmp").write_text("half")
    (folder / f"{record.path(TEA).stem}.0.yaml").write_text("of nobody")
    found = survey(record)
    assert (found.cassettes, found.cassettes_missing, found.leftovers, found.damaged) == (0, 2, 2, [])


@pytest.mark.parametrize(
    ("name", "arguments", "key"),
    [
        ("search_engine_query", {"keywords": " tea "}, TEA),
        ("search_engine_query", {"keywords": "tea", "max_results": 3, "region": None}, TEA),
        ("search_engine_query", {"keywords": 5, "region": "us-en"}, SearchKey("5", "us-en")),
        ("fetch_url_content", {"url": "http://example.com#top", "mode": "truncate"}, PAGE),
        ("fetch_url_content", {"url": "ftp://example.com"}, None),
        ("fetch_url_content", {"url": 5}, None),
        ("fetch_url_content", {"url": "http://example.com", "depth": 1}, None),
        ("fetch_url_content", {None: "http://example.com"}, None),
        ("fetch_url_content", {"url": Call("f", {})}, None),
        ("search_engine_query", {}, None),
        ("search_engine_query", {"keywords": "t" * 100_000}, None),
        ("_bounded", {"url": "http://example.com"}, None),
    ],
)
def test_a_call_asks_what_the_tool_asks(name, arguments, key):
    """A call asks the web for what the tool makes of it; one that the tool refuses asks for nothing."""
    assert requested(Call(name, arguments)) == key


def _response(model, result, mode=Mode.FC):
    result_json = result if result is None or isinstance(result, str) else json.dumps(result)
    return Response("web_search_base_0", "web_search_base", mode, result_json, model=model)


def _native(name, **arguments):
    return {name: json.dumps(arguments)}


def test_calls_are_found_in_both_modes():
    """Native and prompted calls are found in all turns and steps, in order; answers are passed over."""
    native = [[[_native("search_engine_query", keywords="tea")], "The answer.", [_native("f", a=1)]]]
    prompted = [["[search_engine_query(keywords='tea'), f(a=1)]", "The answer [is tea]."], ["[]"]]
    assert [*web_keys(_response("m", native))] == [TEA]
    assert [*web_keys(_response("m", prompted, Mode.PROMPT))] == [TEA]
    for nothing in (None, "[]", '"text"', "{}", '[5, [null, 5, {"a": 5}]]'):
        assert [*web_keys(_response("m", nothing))] == []


def test_coverage_is_counted_for_each_model():
    """Calls and different keys count apart; what is no JSON is counted, not passed over."""
    tea, page = (
        _native("search_engine_query", keywords="tea"),
        _native("fetch_url_content", url="http://o.x"),
    )
    responses = [
        _response("b", [[[tea, page], [tea]]]),
        _response("a", None),
        _response("b", [[[tea]]]),
        _response("b", "{"),
    ]
    assert coverage({TEA}, responses) == [
        Coverage("a", 0, 0, 0, 0),
        Coverage("b", 4, 3, 2, 1, unreadable=1),
    ]
