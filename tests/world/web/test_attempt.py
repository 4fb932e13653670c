"""One search or fetch: what it means for a run, and what helps. `web try` has tests with real requests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bfcl_pipeline.base.errors import ConfigError, WebError
from bfcl_pipeline.benchmark.config.job import WebChoice
from bfcl_pipeline.world.tools.web_search.web import Hit, Hits, Page, WebFailure
from bfcl_pipeline.world.web.attempt import Asking, Attempt, advice, asking, attempt, in_a_run
from bfcl_pipeline.world.web.engines.requested import UnknownAnswer
from bfcl_pipeline.world.web.engines.retries import Outage, RetryPolicy, SearchRateLimited
from bfcl_pipeline.world.web.evidence.tape import HttpExchange, note
from bfcl_pipeline.world.web.keys import FetchKey, SearchKey

TEA = SearchKey("tea", "wt-wt")
PAGE = FetchKey("https://page.example/")
HITS = Hits((Hit("a", "https://a.example/", "b"),) * 10)


def failing(error: WebError) -> Asking:
    def ask() -> Hits:
        raise error

    return ask


def refused(error: SearchRateLimited | Outage) -> Attempt:
    """The attempt of a search whose engine raises `error`, as engines do: after their attempts."""

    def request() -> Hits:
        raise error

    return attempt(TEA, lambda: RetryPolicy(attempts=1)(request))


def test_requests_are_noted_with_their_times() -> None:
    """Each exchange on the tape is a request; what has no answer says why, without secrets."""
    clock: Iterator[float] = iter((10.0, 12.5))

    def ask() -> Hits:
        headers = (("content-type", "Text/HTML; charset=utf-8"),)
        body = bytearray(b"0123")
        note(
            HttpExchange(
                "GET", "https://a.example/?q=x", (), None, 200, "OK", headers, body, started=1.0, ended=1.5
            )
        )
        error = "ConnectionError: /?api_key=0123456789abcdef"
        note(HttpExchange("POST", "https://b.example/", (), b"", error=error, started=2.0))
        return HITS

    made = attempt(TEA, ask, lambda: next(clock))
    assert made.seconds == 2.5
    first, second = made.requests
    assert (first.host, first.status, first.kind, first.bytes) == ("a.example", 200, "text/html", 4)
    assert (first.seconds, first.problem) == (0.5, "")
    assert (second.host, second.status, second.seconds) == ("b.example", 0, None)
    assert second.problem == "ConnectionError: /?api_key=SCRUBBED"


@pytest.mark.parametrize(
    ("outcome", "engine", "said"),
    [
        (HITS, "duckduckgo", "yes, as 10 results, with those of up to 2 further pages"),
        (HITS, "serpapi", "yes, as 10 results"),
        (HITS, "wikipedia", "yes, as 10 results"),
        (Hits(HITS.hits * 3), "duckduckgo", "yes, as 30 results"),
        (Hits(()), "brave", "yes, as a search without results"),
        (WebFailure("too long"), "brave", "yes, as a failure with this text, which the model sees"),
    ],
)
def test_an_outcome_would_be_recorded(outcome: Hits | WebFailure, engine: str, said: str) -> None:
    """Everything that a model would see, also failures and empty results."""
    made = attempt(TEA, lambda: outcome)
    assert in_a_run(made, engine, 1) == said
    assert made.failure == ""


def test_what_a_run_does_without_an_outcome() -> None:
    """A refusal and an outage are asked for again; an answer that cannot be read is not."""
    again = "no: it would ask up to 5 times, then the question would get the status infrastructure_error"
    assert in_a_run(refused(SearchRateLimited("brave", "HTTP 429")), "brave", 1).startswith(again)
    assert in_a_run(refused(Outage("brave", "HTTP 500")), "brave", 1).startswith(again)
    unread = attempt(TEA, failing(UnknownAnswer("another page")))
    assert in_a_run(unread, "brave", 1).startswith("no: the question would get the status")


def test_a_wait_that_the_engine_requests_is_stated() -> None:
    """Retry-After is part of the failure."""
    made = refused(SearchRateLimited("brave", "it refused with HTTP 429", 30.0))
    assert made.failure == "brave: it refused with HTTP 429; it requests a wait of 30 s"


@pytest.mark.parametrize(
    ("made", "engine", "first"),
    [
        (refused(SearchRateLimited("duckduckgo", "no")), "duckduckgo", "Proxy: go through a proxy"),
        (refused(SearchRateLimited("serpapi", "no")), "serpapi", "Wait until the limit of the account"),
        (refused(Outage("brave", "no")), "brave", "Connection: check the network"),
        (
            attempt(TEA, failing(UnknownAnswer("?"))),
            "duckduckgo",
            "Another search engine: --search-engine serp",
        ),
        (
            attempt(TEA, failing(UnknownAnswer("?"))),
            "brave",
            "Another search engine: --search-engine duckduck",
        ),
        (attempt(PAGE, failing(WebError("no names"))), "brave", "Connection: check the network"),
        (attempt(PAGE, lambda: WebFailure("403 Client Error")), "brave", "The site refuses this machine"),
    ],
)
def test_what_helps_most_comes_first(made: Attempt, engine: str, first: str) -> None:
    """By the kind of failure and the engine."""
    assert advice(made, engine, proxied=False)[0].startswith(first)


@pytest.mark.parametrize(
    "made", [attempt(TEA, lambda: HITS), attempt(PAGE, lambda: Page("x")), attempt(TEA, lambda: Hits(()))]
)
def test_nothing_is_advised_where_nothing_is_wrong(made: Attempt) -> None:
    """Results, a page, no results."""
    assert advice(made, "duckduckgo", proxied=False) == ()


def test_a_key_or_proxy_that_is_missing_stops_before_anything_is_sent(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """SerpApi needs its key for a search; a page needs none."""
    monkeypatch.delenv("SERPAPI_API_KEY", raising=False)
    choice = WebChoice(search_engine="serpapi", cache=tmp_path / "none", proxy="none")
    with pytest.raises(ConfigError, match="SERPAPI_API_KEY"):
        asking(TEA, choice, pages=1, retry=False)
    asking(PAGE, choice, pages=1, retry=False)
    monkeypatch.setenv("HTTPS_PROXY", "socks5://127.0.0.1:1")
    with pytest.raises(ConfigError, match="HTTPS_PROXY"):
        asking(PAGE, WebChoice(cache=tmp_path / "none"), pages=1, retry=False)
    assert not (tmp_path / "none").exists()
