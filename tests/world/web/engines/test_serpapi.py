"""Searches on a server on this machine that speaks SerpApi's answers."""

import json
import logging
import traceback
from dataclasses import replace
from typing import Any

import pytest

from bfcl_pipeline.base.errors import ConfigError, WebError
from bfcl_pipeline.world.tools.web_search.web import Hit, Hits, WebFailure
from bfcl_pipeline.world.web.engines.asking import (
    NOT_RETRIEVED,
    RetryPolicy,
    SearchRateLimited,
    UnknownAnswer,
)
from bfcl_pipeline.world.web.engines.serpapi import LIMITS, SerpApi
from bfcl_pipeline.world.web.evidence.tape import taping
from bfcl_pipeline.world.web.http_client import HttpClient, HttpLimits
from bfcl_pipeline.world.web.proxies import DIRECT

KEY = "secret key+0123456789abcdef"
KEY_IN_URL = "secret+key%2B0123456789abcdef"
NONE_FOUND = "DuckDuckGo hasn't returned any results for this query."


def results(*organic: dict[str, Any], **more: Any) -> str:
    about = {"status": "Success", "json_endpoint": "https://serpapi.com/searches/1.json"}
    return json.dumps({"search_metadata": about, **more, "organic_results": organic})


def failed(error: str, status: str | None = None) -> str:
    about = {"search_metadata": {"status": status}} if status else {}
    return json.dumps({**about, "error": error})


def serpapi(url: str, waits: list[float] | None = None, limits: HttpLimits = LIMITS) -> SerpApi:
    waits = [] if waits is None else waits
    retries = RetryPolicy(attempts=3, sleep=waits.append, jitter=lambda: 1.0)
    return SerpApi(KEY, url, retries, HttpClient(limits, allow_private=True))


def test_results(scripted_engine: Any) -> None:
    """Title, link and snippet of each organic result are returned in order; other results are ignored."""
    body = results(
        {"position": 1, "title": "Ducks 鴨", "link": "https://ducks.example/", "snippet": "All of them"},
        {"position": 2, "title": "Bare", "link": "https://bare.example/"},
        ads=[{"title": "Buy", "link": "https://ad.example/"}],
    )
    found = serpapi(scripted_engine.script(scripted_engine.http(body))).search("ducks & geese", "de-de")
    assert found == Hits(
        (
            Hit("Ducks 鴨", "https://ducks.example/", "All of them"),
            Hit("Bare", "https://bare.example/", ""),
        )
    )
    (asked,) = scripted_engine.asked
    assert asked.method == "GET"
    assert asked.fields == {"engine": "duckduckgo", "q": "ducks & geese", "kl": "de-de", "api_key": KEY}


@pytest.mark.parametrize(
    "body",
    [
        failed(NONE_FOUND),
        failed(NONE_FOUND, "Success"),
        results(),
        '{"search_metadata": {"status": "Success"}, "knowledge_graph": {"title": "Duck"}}',
    ],
)
def test_no_results(scripted_engine: Any, body: str) -> None:
    """What SerpApi calls a search without results is an empty result."""
    assert serpapi(scripted_engine.script(scripted_engine.http(body))).search("qzxv", "wt-wt") == Hits(())


@pytest.mark.parametrize(
    "error", ["Unsupported `xx` region - kl parameter.", "Missing query `q` parameter.", "429 is too long"]
)
def test_a_rejected_search(scripted_engine: Any, error: str) -> None:
    """If SerpApi rejects keywords or a region, the model receives the error text of the release."""
    scripted_engine.script(scripted_engine.http(failed(error), "400 Bad Request"))
    assert serpapi(scripted_engine.url).search("", "xx") == WebFailure(NOT_RETRIEVED)


@pytest.mark.parametrize(
    ("status", "body"),
    [
        ("429 Too Many Requests", failed("You are exceeding 1,000 searches per hour.")),
        ("429 Too Many Requests", "<html>slow down</html>"),
        ("200 OK", failed("429 Too Many Requests")),
    ],
)
def test_rate_limits(scripted_engine: Any, status: str, body: str) -> None:
    """A rate limit, in the status or in the payload, is retried a few times and then an error."""
    waits: list[float] = []
    client = serpapi(scripted_engine.script(scripted_engine.http(body, status, Retry_After="9")), waits)
    with pytest.raises(WebError, match="serpapi failed 3 times") as raised:
        client.search("ducks", "wt-wt")
    assert isinstance(raised.value.__cause__, SearchRateLimited)
    assert waits == [9, 10]


def test_searches_used_up(scripted_engine: Any) -> None:
    """An account without searches left is an immediate error, because waiting would not help."""
    body = failed("Your account has run out of searches.")
    scripted_engine.script(scripted_engine.http(body, "429 Too Many Requests"))
    with pytest.raises(WebError, match="run out of searches"):
        serpapi(scripted_engine.url).search("ducks", "wt-wt")
    assert len(scripted_engine.asked) == 1


@pytest.mark.parametrize("status", ["401 Unauthorized", "403 Forbidden"])
def test_a_refused_key(scripted_engine: Any, status: str) -> None:
    """A rejected key is an immediate error that names its variable."""
    scripted_engine.script(scripted_engine.http(failed(f"Invalid API key {KEY}."), status))
    with pytest.raises(WebError, match=r"refused the key .* SERPAPI_API_KEY") as raised:
        serpapi(scripted_engine.url).search("ducks", "wt-wt")
    assert KEY not in str(raised.value)
    assert len(scripted_engine.asked) == 1


def test_outages_are_retried(scripted_engine: Any) -> None:
    """Errors of the server, searches that failed or are not ready, resets and cut answers are retried."""
    http, good = scripted_engine.http, results({"title": "T", "link": "https://t.example/"})
    outages = [
        http(failed("We couldn't get valid results for this search.", "Error"), "503 Service Unavailable"),
        http(failed("Timed out", "Error")),
        http('{"search_metadata": {"status": "Processing"}}'),
        http("<html>Bad gateway</html>", "502 Bad Gateway"),
        http(good[:-10]),
        http(good[:-10], length=len(good)),
        http("[" * 100_000),
        scripted_engine.RESET,
        scripted_engine.SILENCE,
    ]
    for outage in outages:
        scripted_engine.asked.clear()
        scripted_engine.script(outage, http(good))
        client = serpapi(scripted_engine.url, limits=replace(LIMITS, read_seconds=0.2))
        assert client.search("t", "wt-wt") == Hits((Hit("T", "https://t.example/", ""),)), outage
        assert len(scripted_engine.asked) == 2


@pytest.mark.parametrize(
    ("status", "body"),
    [
        ("200 OK", "[]"),
        ("200 OK", "{}"),
        ("200 OK", '{"organic_results": "none"}'),
        ("200 OK", results({"title": "Without link"})),
        ("200 OK", failed("Something new")),
        ("200 OK", failed("Something new", "Success")),
        ("302 Found", ""),
        ("404 Not Found", "{}"),
        ("400 Bad Request", "<html>from a proxy</html>"),
    ],
)
def test_unknown_answers(scripted_engine: Any, status: str, body: str) -> None:
    """An answer in an unknown form is an error, never an empty result."""
    scripted_engine.script(scripted_engine.http(body, status))
    with pytest.raises(UnknownAnswer, match="expected organic_results"):
        serpapi(scripted_engine.url).search("ducks", "wt-wt")
    assert len(scripted_engine.asked) == 1


def test_the_key_is_not_shown(scripted_engine: Any, caplog: pytest.LogCaptureFixture) -> None:
    """The key is not contained in any log, evidence, representation or error, including chained errors."""
    caplog.set_level(logging.DEBUG)
    scripted_engine.script(
        scripted_engine.RESET,
        scripted_engine.http(failed(f"Went wrong with {KEY} or {KEY_IN_URL}", "Error"), "500 Error"),
        scripted_engine.http("", "429 Too Many Requests"),
    )
    client = serpapi(scripted_engine.url)
    with taping() as tape, pytest.raises(WebError) as raised:
        client.search("ducks", "wt-wt")
    cassette = tape.cassette()
    assert cassette is not None
    shown = [caplog.text, cassette.decode(), repr(client), *traceback.format_exception(raised.value)]
    error: BaseException | None = raised.value
    while error is not None:
        shown.append(repr(error.args))
        error = error.__cause__ or error.__context__
    for text in shown:
        assert "0123456789abcdef" not in text


def test_the_key_comes_from_the_environment() -> None:
    """The key is read from SERPAPI_API_KEY; without it, the error names this variable."""

    def key(environment: dict[str, str]) -> str:
        return SerpApi.from_environment(environment, DIRECT, RetryPolicy()).key

    assert key({"SERPAPI_API_KEY": f" {KEY}\n"}) == KEY
    for environment in ({}, {"SERPAPI_API_KEY": " "}):
        with pytest.raises(ConfigError, match="SERPAPI_API_KEY, which is not set"):
            key(environment)
    with pytest.raises(ConfigError, match="SERPAPI_API_KEY has fewer than 8 characters"):
        key({"SERPAPI_API_KEY": "s3cret"})
