"""What is sent to DuckDuckGo and read of its pages, on a server on this machine."""

from itertools import count
from typing import Any
from urllib.parse import quote

import pytest
from ddgs.engines.duckduckgo import Duckduckgo

from bfcl_pipeline.world.tools.web_search.web import Hit, Hits, WebFailure
from bfcl_pipeline.world.web.engines.asking import NOT_RETRIEVED, RetryPolicy
from bfcl_pipeline.world.web.engines.client import REFUSED_SECONDS, Connection
from bfcl_pipeline.world.web.engines.duckduckgo import DuckDuckGo
from bfcl_pipeline.world.web.modes import open_engine
from bfcl_pipeline.world.web.pace import HostPace
from bfcl_pipeline.world.web.proxies import DIRECT
from tests.support.paused_time import PausedTime
from tests.support.search_pages import AD, CHALLENGE, NO_MORE, NONE, form, numbered, page, result
from tests.support.web_server import WebServer, http


def search(server: WebServer, *pages: str, keywords: str = "ducks") -> tuple[Hit, ...]:
    """The results of a search that is answered with these pages."""
    engine = DuckDuckGo(RetryPolicy(1), Connection(site=server.script("", *map(http, pages))))
    found = engine.search(keywords, "wt-wt")
    assert isinstance(found, Hits)
    return found.hits


def test_the_request_is_a_browsers(server: WebServer) -> None:
    """The search form is posted with a browser's headers and fields, and with the given region."""
    DuckDuckGo(connection=Connection(site=server.script("", http(NONE)))).search(
        " Enten &\n Gänse ", "xx-unknown"
    )
    (asked,) = server.asked
    assert (asked.method, asked.path) == ("POST", "/html/")
    assert asked.fields == {"q": "Enten & Gänse", "b": "", "l": "xx-unknown", "kl": "xx-unknown"}
    assert asked.headers["user-agent"].startswith("Mozilla/5.0")
    assert asked.headers["sec-fetch-mode"] == "navigate"
    assert asked.headers["content-type"] == "application/x-www-form-urlencoded"
    assert "br" in asked.headers["accept-encoding"]


@pytest.mark.parametrize(
    ("keywords", "sent"),
    [
        ("!w ducks", "w ducks"),
        ("ducks g! !!", "ducks g"),
        ("\\ducks C++!=C a!b", "ducks C++!=C a!b"),
        ("half a pair \ud83e here", "half a pair ? here"),
    ],
)
def test_keywords_are_words(server: WebServer, keywords: str, sent: str) -> None:
    """Commands that would send a browser elsewhere are sent as words, what cannot be encoded as marks."""
    search(server, NONE, keywords=keywords)
    assert server.asked[0].fields["q"] == sent


@pytest.mark.parametrize("keywords", ["", " \n", "!", "duck" * 125])
def test_an_invalid_query_is_a_failure(server: WebServer, keywords: str) -> None:
    """For an empty or overlong query the model sees the release's text, without a request."""
    engine = DuckDuckGo(connection=Connection(site=server.address))
    assert engine.search(keywords, "wt-wt") == WebFailure(NOT_RETRIEVED)
    assert server.asked == []


def test_pages_are_followed_until_there_are_enough(server: WebServer) -> None:
    """The Next form is sent back with all its fields until enough results are there."""
    fields = {"q": "ducks", "s": "10", "vqd": "4-1", "kl": "wt-wt", "nextParams": ""}
    hits = search(
        server,
        page(numbered(range(10)), form(**fields)),
        page(numbered(range(9, 25)), form(q="ducks", s="0"), form(q="ducks", s="25", vqd="4-2")),
        page(numbered(range(25, 40)), form(q="ducks", s="40", vqd="4-3")),
    )
    assert [hit.href for hit in hits] == [f"https://{n}.example/" for n in range(30)]
    assert [asked.fields.get("s") for asked in server.asked] == [None, "10", "25"]
    assert server.asked[1].fields == fields


@pytest.mark.parametrize(
    ("last", "results"),
    [
        (page(numbered([3])), 3),
        (page(numbered([3]), form(q="ducks", s="10")), 3),  # back, not forth
        (NO_MORE, 2),
        (page(numbered([1, 2]), form(q="ducks", s="30")), 2),
        (page(result("EOF", "http://www.google.com/search?q=ducks"), form(q="ducks", s="30")), 2),
    ],
    ids=["no form", "only back", "no more results", "nothing new", "end of results"],
)
def test_pages_end(server: WebServer, last: str, results: int) -> None:
    """Following ends without a Next form, without new results, or at the end mark of the page."""
    assert len(search(server, page(numbered([1, 2]), form(q="ducks", s="10")), last)) == results
    assert len(server.asked) == 2


def test_pages_are_bounded(server: WebServer) -> None:
    """If an engine always links to another page, five pages are requested."""
    numbers = count()
    pages = [page(numbered([next(numbers)]), form(q="ducks", s=str(10 * n))) for n in range(1, 9)]
    assert len(search(server, *pages)) == len(server.asked) == 5


def test_only_a_refused_page_is_requested_again(server: WebServer) -> None:
    """A refused page does not end the results, and earlier pages are not requested again."""
    first, last = page(numbered([1]), form(q="ducks", s="10")), page(numbered([2]))
    site = server.script("", http(first), http(CHALLENGE, "202 Accepted"), http(last))
    found = DuckDuckGo(RetryPolicy(sleep=lambda _: None), Connection(site=site)).search("ducks", "wt-wt")
    assert isinstance(found, Hits)
    assert len(found.hits) == 2
    assert [asked.fields.get("s") for asked in server.asked] == [None, "10", "10"]


REDIRECT = "//duckduckgo.com/l/?uddg=https%3A%2F%2Fgo.example%2Fa%3Fx%3D1%2526%26y%3D2&amp;rut=ab"


@pytest.mark.parametrize(
    ("href", "target"),
    [
        (REDIRECT, "https://go.example/a?x=1%26&y=2"),
        ("/l/?kh=-1&amp;uddg=http%3A%2F%2Fgo.example%2F", "http://go.example/"),
        ("https://duckduckgo.com/about", "https://duckduckgo.com/about"),
        ("https://other.example/l/?uddg=https%3A%2F%2Fa", "https://other.example/l/?uddg=https%3A%2F%2Fa"),
        ("//duckduckgo.com/l/?rut=ab", "https://duckduckgo.com/l/?rut=ab"),
        ("https://de.wikipedia.org/wiki/Gänse", "https://de.wikipedia.org/wiki/Gänse"),
        ("https://[broken/", "https://[broken/"),
    ],
)
def test_redirects_are_unwrapped_once(server: WebServer, href: str, target: str) -> None:
    """A redirect of DuckDuckGo becomes where it leads, decoded once; any other link stays."""
    assert [hit.href for hit in search(server, page(result("T", href)))] == [target]


def test_what_ddgs_alone_loses(server: WebServer) -> None:
    """ddgs alone decodes addresses, keeps redirects, loses addresses without snippet and tags in titles."""
    body = page(
        result("What &lt;div&gt; means", "https://a.example/AC%2FDC?q=1%26&amp;r=2", "&amp;lt; is &lt;"),
        result("Redirect", REDIRECT),
        result("Without snippet", "https://bare.example/", None),
    )
    alone = Duckduckgo().extract_results(body)
    assert [(found.title, found.href, found.body) for found in alone] == [
        ("What means", "https://a.example/AC/DC?q=1&&r=2", "< is <"),
        ("Redirect", "//duckduckgo.com/l/?uddg=https://go.example/a?x=1%26&y=2&rut=ab", ""),
        ("Without snippet", "", ""),
    ]
    assert search(server, body) == (
        Hit("What <div> means", "https://a.example/AC%2FDC?q=1%26&r=2", "&lt; is <"),
        Hit("Redirect", "https://go.example/a?x=1%26&y=2", ""),
        Hit("Without snippet", "https://bare.example/", ""),
    )


def test_advertisements_are_left_out(server: WebServer) -> None:
    """Results marked as advertisements, and links to the click counter, also through a redirect, are
    excluded."""
    counter = "https://duckduckgo.com/y.js?ad_domain=a.example"
    wrapped = f"//duckduckgo.com/l/?uddg={quote(counter, safe='')}&amp;rut=a"
    blocks = [AD, result("Ad", counter), result("Ad", wrapped), result("T", "https://t.example/")]
    assert [hit.title for hit in search(server, page(*blocks))] == ["T"]


def paced(server: WebServer, time: PausedTime, waits: list[float]) -> DuckDuckGo:
    """DuckDuckGo on this machine, with the pauses of a run."""
    pace = HostPace(2.0, clock=time.clock, sleep=time.sleep)
    opened = open_engine("duckduckgo", DIRECT, pace, RetryPolicy())
    assert isinstance(opened, DuckDuckGo)
    connection = Connection(site=server.address, pace=opened.connection.pace)
    return DuckDuckGo(RetryPolicy(3, sleep=waits.append, jitter=lambda: 1.0), connection)


def test_each_page_of_a_search_waits_for_its_turn(server: WebServer) -> None:
    """The pages of one search, and searches that follow each other, are a pause apart."""
    first = page(numbered(range(10)), form(q="ducks", s="10", dc="11"))
    server.script("", http(first), http(page(numbered(range(10, 40)))))
    time = PausedTime()
    searching = paced(server, time, [])
    searching.search("ducks", "us-en")
    assert len(server.asked) == 2
    assert time.slept == [2.0]
    searching.search("geese", "us-en")
    assert time.slept == [2.0, 2.0]


DATES: dict[str, Any] = {
    "Retry_After": "Fri, 02 Oct 2026 10:00:40 GMT",
    "Date": "Fri, 02 Oct 2026 10:00:00 GMT",
}


@pytest.mark.parametrize(
    ("headers", "held", "waited"),
    [
        ({"Retry_After": "20"}, 20.0, 20),
        (DATES, 40.0, 40),
        ({}, REFUSED_SECONDS, 5),
        # What cannot be read is ignored.
        *(({"Retry_After": wrong}, REFUSED_SECONDS, 5) for wrong in ("soon", "-5", "1e9", "9" * 5000)),
        ({"Retry_After": DATES["Retry_After"]}, REFUSED_SECONDS, 5),
    ],
)
def test_a_refusal_holds_back_the_next_request(
    server: WebServer, headers: dict[str, str], held: float, waited: float
) -> None:
    """For as long as the engine asks, or some seconds: this search, and whichever comes next."""
    refusal = http("", "429 Too Many Requests", **headers)
    server.script("", refusal, http(page(numbered(range(30)))))
    time, waits = PausedTime(), list[float]()
    paced(server, time, waits).search("ducks", "us-en")
    assert (time.slept, waits) == ([held], [waited])
