"""Searches on a server on this machine that speaks SerpApi's answers."""

import json
import logging
import traceback
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from bfcl_pipeline.base.errors import ConfigError, WebError
from bfcl_pipeline.world.tools.web_search.web import Hit, Hits, WebFailure
from bfcl_pipeline.world.web.engines.asking import (
    NOT_RETRIEVED,
    Outage,
    RetryPolicy,
    SearchRateLimited,
    UnknownAnswer,
)
from bfcl_pipeline.world.web.engines.serpapi import LIMITS, SerpApi
from bfcl_pipeline.world.web.evidence.tape import taping
from bfcl_pipeline.world.web.http_client import HttpClient
from bfcl_pipeline.world.web.proxies import DIRECT
from tests.support.web_server import RESET, SILENCE, Answer, WebServer, http

KEY = "secret key+0123456789abcdef"
KEY_IN_URL = "secret+key%2B0123456789abcdef"
NONE_FOUND = "DuckDuckGo hasn't returned any results for this query."


def results(*organic: dict[str, Any], **more: Any) -> str:
    about = {"status": "Success", "json_endpoint": "https://serpapi.com/searches/1.json"}
    return json.dumps({"search_metadata": about, **more, "organic_results": organic})


def failed(error: str, status: str | None = None) -> str:
    about = {"search_metadata": {"status": status}} if status else {}
    return json.dumps({**about, "error": error})


def serpapi(url: str, waits: list[float]) -> SerpApi:
    retries = RetryPolicy(attempts=3, sleep=waits.append, jitter=lambda: 1.0)
    limits = replace(LIMITS, read_seconds=0.2)
    return SerpApi(KEY, url, retries, HttpClient(limits, allow_private=True))


GOOD = results(
    {"position": 1, "title": "Ducks 鴨", "link": "https://ducks.example/", "snippet": "All of them"},
    {"position": 2, "title": "Bare", "link": "https://bare.example/"},
    ads=[{"title": "Buy", "link": "https://ad.example/"}],
)
FOUND = Hits(
    (Hit("Ducks 鴨", "https://ducks.example/", "All of them"), Hit("Bare", "https://bare.example/", ""))
)
REJECTED = WebFailure(NOT_RETRIEVED)
UNKNOWN = (UnknownAnswer, "expected organic_results")
USED_UP = failed("Your account has run out of searches.")
NO_KEY = (WebError, "refused the key .* SERPAPI_API_KEY")
LIMITED = "429 Too Many Requests"

SITUATIONS: Mapping[str, tuple[Answer, Hits | WebFailure | tuple[type[WebError], str]]] = {
    "results": (http(GOOD), FOUND),
    "none": (http(results()), Hits(())),
    "none, by its text": (http(failed(NONE_FOUND)), Hits(())),
    "none, by its text and status": (http(failed(NONE_FOUND, "Success")), Hits(())),
    "none, but a graph": (
        http('{"search_metadata": {"status": "Success"}, "knowledge_graph": {"title": "Duck"}}'),
        Hits(()),
    ),
    "rejected region": (http(failed("Unsupported `xx` region - kl parameter."), "400 No"), REJECTED),
    "rejected query": (http(failed("Missing query `q` parameter."), "400 No"), REJECTED),
    "rejected length": (http(failed("429 is too long"), "400 No"), REJECTED),
    "rate limit": (http(failed("1,000 searches per hour."), LIMITED), (SearchRateLimited, "429")),
    "rate limit of a proxy": (http("<html>slow down</html>", LIMITED), (SearchRateLimited, "429")),
    "rate limit, HTTP 200": (http(failed(LIMITED)), (SearchRateLimited, "429")),
    "used up": (http(USED_UP, LIMITED), (WebError, "run out of searches")),
    "refused key, 401": (http(failed(f"Invalid API key {KEY}."), "401 Unauthorized"), NO_KEY),
    "refused key, 403": (http(failed(f"Invalid API key {KEY}."), "403 Forbidden"), NO_KEY),
    "failed": (http(failed("Invalid results", "Error"), "503 Service Unavailable"), (Outage, "503")),
    "failed, HTTP 200": (http(failed("Timed out", "Error")), (Outage, "Timed out")),
    "not ready": (http('{"search_metadata": {"status": "Processing"}}'), (Outage, "Processing")),
    "bad gateway": (http("<html>Bad gateway</html>", "502 Bad Gateway"), (Outage, "502")),
    "cut short": (http(GOOD[:-10]), (Outage, "truncated")),
    "cut short: Content-Length": (http(GOOD[:-10], length=len(GOOD)), (Outage, "connection failed")),
    "nested": (http("[" * 100_000), (Outage, "truncated")),
    "reset": (RESET, (Outage, "connection failed")),
    "silent": (SILENCE, (Outage, "connection failed")),
    "a list": (http("[]"), UNKNOWN),
    "nothing": (http("{}"), UNKNOWN),
    "results of a text": (http('{"organic_results": "none"}'), UNKNOWN),
    "a result without a link": (http(results({"title": "Without link"})), UNKNOWN),
    "another error": (http(failed("Something new")), UNKNOWN),
    "another error of a success": (http(failed("Something new", "Success")), UNKNOWN),
    "redirect": (http("", "302 Found", Location="/elsewhere"), UNKNOWN),
    "HTTP 408": (http("{}", "408 Request Timeout"), (Outage, "408")),
    "HTTP 404": (http("{}", "404 Not Found"), UNKNOWN),
    "HTTP 400 of a proxy": (http("<html>from a proxy</html>", "400 Bad Request"), UNKNOWN),
    "too large": (http(" " * 2_000_001), UNKNOWN),
}
"""By name: the answer of the service, and the outcome, or the error and its text."""


@pytest.mark.parametrize("situation", SITUATIONS)
def test_outcomes(server: WebServer, situation: str) -> None:
    """Nothing but an answer without results is an empty result. Rate limits and outages are asked again,
    other errors are not, because waiting would not help."""
    answer, outcome = SITUATIONS[situation]
    waits: list[float] = []
    engine = serpapi(server.script("", answer), waits)
    if not isinstance(outcome, tuple):
        assert engine.search("ducks", "wt-wt") == outcome
        assert len(server.asked) == 1
        return
    kind, text = outcome
    with pytest.raises(WebError, match=text) as raised:
        engine.search("ducks", "wt-wt")
    assert KEY not in str(raised.value)
    if kind in (SearchRateLimited, Outage):
        assert type(raised.value.__cause__) is kind
        assert "serpapi failed 3 times" in str(raised.value)
        assert (len(server.asked), waits) == (3, [5, 10])
        server.script("", answer, http(GOOD))
        assert engine.search("ducks", "wt-wt") == FOUND
    else:
        assert (type(raised.value), len(server.asked)) == (kind, 1)


def test_the_request(server: WebServer) -> None:
    """Keywords, region and key are parameters; a Retry-After is the least wait."""
    waits: list[float] = []
    engine = serpapi(server.script("", http("", LIMITED, Retry_After="9"), http(GOOD)), waits)
    engine.search("ducks & geese", "de-de")
    assert {asked.method for asked in server.asked} == {"GET"}
    assert server.asked[1].fields == {
        "engine": "duckduckgo", "q": "ducks & geese", "kl": "de-de", "api_key": KEY,
    }  # fmt: skip
    assert waits == [9]


def test_the_key_is_not_shown(server: WebServer, caplog: pytest.LogCaptureFixture) -> None:
    """The key is not contained in any log, evidence, representation or error, including chained errors."""
    caplog.set_level(logging.DEBUG)
    server.script(
        "",
        RESET,
        http(failed(f"Went wrong with {KEY} or {KEY_IN_URL}", "Error"), "500 Error"),
        http("", LIMITED),
    )
    client = serpapi(server.address, [])
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
