"""The contents of a web cache, and its coverage of a run."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from bfcl_pipeline.benchmark.records import Call, Mode, Response
from bfcl_pipeline.world.tools.web_search.web import Hits, Page, WebFailure
from bfcl_pipeline.world.web.cache import WebCache
from bfcl_pipeline.world.web.coverage import survey, used_keys, web_key, web_keys
from bfcl_pipeline.world.web.keys import FetchKey, SearchKey

NOON = datetime(2026, 10, 1, 12, tzinfo=UTC)
TEA = SearchKey("tea", "wt-wt")
PAGE = FetchKey("http://example.com/")
GONE = FetchKey("http://gone.example/")


@pytest.fixture
def cache(tmp_path):
    """A web cache with a search, a page and a failure."""
    made = WebCache(tmp_path / "web")
    made.add(TEA, Hits(()), engine="duck 1", recorded_at=NOON, cassette=b"{}\n")
    made.add(PAGE, Page("text"), engine="client 1", recorded_at=NOON + timedelta(days=1), cassette=b"[]\n")
    made.add(GONE, WebFailure("404"), engine="client 1", recorded_at=NOON - timedelta(days=1))
    return made


def test_outcomes_are_counted(cache):
    """Outcomes by function and kind, engines, times and bytes match the files."""
    found = survey(cache)
    assert found.outcomes == {("search", "hits"): 1, ("fetch", "page"): 1, ("fetch", "failure"): 1}
    assert found.engines == {"client 1": 2, "duck 1": 1}
    assert (found.oldest, found.newest) == (NOON - timedelta(days=1), NOON + timedelta(days=1))
    assert found.keys == {TEA, PAGE, GONE}
    assert found.bytes == sum(path.stat().st_size for path in cache.folder.rglob("*.*"))
    assert found.damaged == []


def test_a_missing_directory_is_an_empty_cache(tmp_path):
    """All counts are zero."""
    found = survey(WebCache(tmp_path / "none"))
    assert (found.outcomes.total(), found.bytes, found.oldest, found.damaged) == (0, 0, None, [])


def test_damage_is_named_and_not_counted(cache):
    """A damaged outcome is named; cassettes are left to the check."""
    cache.path(PAGE).write_text("{}")
    (cassette,) = cache.path(TEA).parent.glob("*.yaml")
    cassette.write_text("changed")
    found = survey(cache)
    assert found.keys == {TEA, GONE}
    (line,) = found.damaged
    assert cache.path(PAGE).name in line


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
def test_a_call_has_the_key_of_the_tools_request(name, arguments, key):
    """A call makes the tool's request; a call that the tool rejects makes none."""
    assert web_key(Call(name, arguments)) == key


def _response(model, result, mode=Mode.FC):
    result_json = result if result is None or isinstance(result, str) else json.dumps(result)
    return Response("web_search_base_0", "web_search_base", mode, result_json, model=model)


def _native(name, **arguments):
    return {name: json.dumps(arguments)}


def test_calls_are_found_in_both_modes():
    """Native and prompted calls are found in all turns and steps, in order; text answers are ignored."""
    native = [[[_native("search_engine_query", keywords="tea")], "The answer.", [_native("f", a=1)]]]
    prompted = [["[search_engine_query(keywords='tea'), f(a=1)]", "The answer [is tea]."], ["[]"]]
    assert [*web_keys(_response("m", native))] == [TEA]
    assert [*web_keys(_response("m", prompted, Mode.PROMPT))] == [TEA]
    for nothing in (None, "[]", '"text"', "{}", '[5, [null, 5, {"a": 5}]]'):
        assert [*web_keys(_response("m", nothing))] == []


def test_the_name_of_the_search_tool_is_that_of_the_run():
    """Pages have none; responses that are not JSON are skipped."""
    calls = [[[_native("find", keywords="tea"), _native("fetch_url_content", url="http://o.x/")]]]
    found = [TEA, FetchKey("http://o.x/")]
    assert [*web_keys(_response("m", calls), "find")] == found
    assert used_keys([_response("m", calls), _response("m", "{")], "find") == {*found}
