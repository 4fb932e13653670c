"""Which requests of the web the calls in responses make."""

import json

import pytest

from bfcl_pipeline.benchmark.records import Call, Mode, Response
from bfcl_pipeline.world.web.coverage import used_keys, web_key, web_keys
from bfcl_pipeline.world.web.keys import FetchKey, SearchKey

TEA = SearchKey("tea", "wt-wt")
PAGE = FetchKey("http://example.com/")


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
