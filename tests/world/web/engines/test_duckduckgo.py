"""Searches with ddgs on a server on this machine that speaks DuckDuckGo's pages."""

import gzip
import socket
import zlib
from collections.abc import Iterable
from dataclasses import replace
from itertools import count
from typing import Any
from urllib.parse import quote

import brotli
import pytest
from ddgs.engines.duckduckgo import Duckduckgo

from bfcl_pipeline.base.errors import WebError
from bfcl_pipeline.world.tools.web_search.web import Hit, Hits, WebFailure
from bfcl_pipeline.world.web.engines.asking import (
    LIMITS,
    NOT_RETRIEVED,
    Outage,
    RetryPolicy,
    SearchRateLimited,
    UnknownAnswer,
)
from bfcl_pipeline.world.web.engines.client import Connection
from bfcl_pipeline.world.web.engines.duckduckgo import DuckDuckGo
from bfcl_pipeline.world.web.evidence.tape import taping


def result(title: str, href: str, snippet: str | None = "", kind: str = "web-result") -> str:
    described = "" if snippet is None else f'<a class="result__snippet" href="{href}">{snippet}</a>'
    return f"""
    <div class="result results_links results_links_deep {kind} ">
      <div class="links_main links_deep result__body"> <!-- This is the visible part -->
        <h2 class="result__title">
          <a rel="nofollow" class="result__a" href="{href}">{title}</a>
        </h2>
        <div class="result__extras"><div class="result__extras__url">
          <span class="result__icon"><a rel="nofollow" href="{href}"><img /></a></span>
          <a class="result__url" href="{href}"> somewhere </a><span>&nbsp; &nbsp; 2025-08-26T00:00:00</span>
        </div></div>
        {described}
        <div class="clear"></div>
      </div>
    </div>"""


def form(**fields: str) -> str:
    inputs = "".join(f'<input type="hidden" name="{name}" value="{fields[name]}" />' for name in fields)
    submit = '<input type="submit" class="btn btn--alt" name="go" value="Next" />'
    return f'<div class="nav-link"><form action="/html/" method="post">{submit}{inputs}</form></div>'


def page(*blocks: str) -> str:
    return f"""<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/xhtml1.dtd">
<html xmlns="http://www.w3.org/1999/xhtml"><head><title>ducks at DuckDuckGo</title></head>
<body class="body--html">
<form name="x" class="header__form" action="/html/" method="post"><input name="q" value="ducks"/></form>
<div class="serp__results"><div id="links" class="results">{"".join(blocks)}
</div></div></body>
</html>
"""


def numbered(numbers: Iterable[int]) -> str:
    return "".join(result(f"Title {n}", f"https://{n}.example/", f"Snippet {n}") for n in numbers)


AD = result("Buy ducks", "https://duckduckgo.com/y.js?ad_domain=a.example&amp;u3=x", "Cheap", "result--ad")
NOTHING = page(
    """<div class="result results_links results_links_deep web-result result--no-result">
      <div class="links_main links_deep result__body"><div class="no-results__container result__title">
      <span class='no-results'><div class="no-results__message">
      <h1>No results found for <strong>&quot;qzxv&quot;</strong></h1></div></span></div></div></div>"""
)
NO_MORE = page(
    """<div class="result results_links results_links_deep web-result result--no-result">
      <div class="links_main links_deep result__body"><h2 class="result__title"></h2>
      <div class="no-results">No more results.</div><a class="result__url" href=""></a></div></div>"""
)
ANOMALY = """<!DOCTYPE html><html><head><title>DuckDuckGo</title></head><body>
<form id="img-form" action="//duckduckgo.com/anomaly.js?sv=html&ti=1" target="ifr" method="POST"></form>
<form id="challenge-form" action="//duckduckgo.com/anomaly.js?sv=html&cc=sre&st=1&q=ducks" method="POST">
<div class="anomaly-modal__mask"><div class="anomaly-modal__modal" data-testid="anomaly-modal">
<div class="anomaly-modal__title">Unfortunately, bots use DuckDuckGo too.</div></div></div></form>
</body></html>"""


class Client:
    """The engine under test and how long it slept."""

    def __init__(self, url: str, **changed: Any) -> None:
        self.waits: list[float] = []
        retries = RetryPolicy(attempts=3, sleep=self.waits.append, jitter=lambda: 1.0)
        connection = Connection(site=url.removesuffix("/html/"), **changed)
        self.engine = DuckDuckGo(retries, connection)

    def search(self, keywords: str = "ducks", region: str = "wt-wt") -> tuple[Hit, ...]:
        found = self.engine.search(keywords, region)
        assert isinstance(found, Hits)
        return found.hits


def read(scripted_engine: Any, body: str) -> tuple[Hit, ...]:
    """The results on a page."""
    return Client(scripted_engine.script(scripted_engine.http(body))).search()


def test_a_page_of_results(scripted_engine: Any) -> None:
    """Title, URL and snippet of each result are returned in the order of the page."""
    body = page(
        AD,
        result(
            "All about <b>ducks</b>", "https://ducks.example/a?b=1&amp;c=2", "A <b>duck</b> &amp;\n  more"
        ),
        result("Without snippet", "https://bare.example/", None),
    )
    client = Client(scripted_engine.script(scripted_engine.http(body)))
    assert client.search() == (
        Hit("All about ducks", "https://ducks.example/a?b=1&c=2", "A duck & more"),
        Hit("Without snippet", "https://bare.example/", ""),
    )
    assert client.waits == []


def test_the_request_is_a_browsers(scripted_engine: Any) -> None:
    """The search form is posted with a browser's headers and fields, and with the given region."""
    client = Client(scripted_engine.script(scripted_engine.http(NOTHING)))
    client.search(" Enten &\n Gänse ", "xx-unknown")
    (asked,) = scripted_engine.asked
    assert (asked.method, asked.path) == ("POST", "/html/")
    assert asked.fields == {
        "q": "Enten & Gänse", "b": "", "l": "xx-unknown", "kl": "xx-unknown",
    }  # fmt: skip
    assert asked.headers["user-agent"].startswith("Mozilla/5.0")
    assert asked.headers["sec-fetch-mode"] == "navigate"
    assert asked.headers["content-type"] == "application/x-www-form-urlencoded"
    assert "br" in asked.headers["accept-encoding"]


def test_pages_are_followed_until_there_are_enough(scripted_engine: Any) -> None:
    """The Next form is sent back with all its fields until enough results are there."""
    pages = [
        page(numbered(range(10)), form(q="ducks", s="10", vqd="4-1", kl="wt-wt", nextParams="")),
        page(numbered(range(9, 25)), form(q="ducks", s="0"), form(q="ducks", s="25", vqd="4-2")),
        page(numbered(range(25, 40)), form(q="ducks", s="40", vqd="4-3")),
    ]
    client = Client(scripted_engine.script(*map(scripted_engine.http, pages)))
    assert [hit.href for hit in client.search()] == [f"https://{n}.example/" for n in range(30)]
    assert [asked.fields.get("s") for asked in scripted_engine.asked] == [None, "10", "25"]
    assert scripted_engine.asked[1].fields == {
        "q": "ducks", "s": "10", "vqd": "4-1", "kl": "wt-wt", "nextParams": "",
    }  # fmt: skip


@pytest.mark.parametrize(
    "last",
    [
        page(numbered([3])),
        page(numbered([3]), form(q="ducks", s="10")),  # back, not forth
        NO_MORE,
        page(numbered([1, 2]), form(q="ducks", s="30")),
        page(result("EOF", "http://www.google.com/search?q=ducks"), form(q="ducks", s="30")),
    ],
    ids=["no form", "only back", "no more results", "nothing new", "end of results"],
)
def test_pages_end(scripted_engine: Any, last: str) -> None:
    """Following ends without a Next form, without new results, or at the end mark of the page."""
    first = page(numbered([1, 2]), form(q="ducks", s="10"))
    client = Client(scripted_engine.script(scripted_engine.http(first), scripted_engine.http(last)))
    assert len(client.search()) in (2, 3)
    assert len(scripted_engine.asked) == 2


def test_pages_are_bounded(scripted_engine: Any) -> None:
    """If an engine always links to another page, five pages are requested."""
    numbers = count()
    scripted_engine.script(
        *(
            scripted_engine.http(page(numbered([next(numbers)]), form(q="ducks", s=str(10 * n))))
            for n in range(1, 9)
        )
    )
    assert len(Client(scripted_engine.url).search()) == 5
    assert len(scripted_engine.asked) == 5


@pytest.mark.parametrize(
    ("href", "target"),
    [
        ("//duckduckgo.com/l/?uddg=https%3A%2F%2Fgo.example%2Fa%3Fx%3D1%2526%26y%3D2&amp;rut=ab", "https://go.example/a?x=1%26&y=2"),
        ("/l/?kh=-1&amp;uddg=http%3A%2F%2Fgo.example%2F", "http://go.example/"),
        ("https://duckduckgo.com/about", "https://duckduckgo.com/about"),
        ("https://elsewhere.example/l/?uddg=https%3A%2F%2Fgo.example", "https://elsewhere.example/l/?uddg=https%3A%2F%2Fgo.example"),
        ("//duckduckgo.com/l/?rut=ab", "https://duckduckgo.com/l/?rut=ab"),
        ("https://de.wikipedia.org/wiki/Gänse", "https://de.wikipedia.org/wiki/Gänse"),
        ("https://[broken/", "https://[broken/"),
    ],
)  # fmt: skip
def test_redirects_are_unwrapped_once(scripted_engine: Any, href: str, target: str) -> None:
    """A redirect of DuckDuckGo becomes where it leads, decoded once; any other link stays."""
    assert [hit.href for hit in read(scripted_engine, page(result("T", href)))] == [target]


def test_what_ddgs_alone_loses(scripted_engine: Any) -> None:
    """ddgs alone decodes addresses, keeps redirects, loses addresses without snippet and tags in titles."""
    redirect = "//duckduckgo.com/l/?uddg=https%3A%2F%2Fgo.example%2Fa%3Fx%3D1%2526&amp;rut=ab"
    body = page(
        result("What &lt;div&gt; means", "https://a.example/AC%2FDC?q=1%26&amp;r=2", "&amp;lt; is &lt;"),
        result("Redirect", redirect),
        result("Without snippet", "https://bare.example/", None),
    )
    alone = Duckduckgo().extract_results(body)
    assert [(found.title, found.href, found.body) for found in alone] == [
        ("What means", "https://a.example/AC/DC?q=1&&r=2", "< is <"),
        ("Redirect", "//duckduckgo.com/l/?uddg=https://go.example/a?x=1%26&rut=ab", ""),
        ("Without snippet", "", ""),
    ]
    assert read(scripted_engine, body) == (
        Hit("What <div> means", "https://a.example/AC%2FDC?q=1%26&r=2", "&lt; is <"),
        Hit("Redirect", "https://go.example/a?x=1%26", ""),
        Hit("Without snippet", "https://bare.example/", ""),
    )


def test_advertisements_are_left_out(scripted_engine: Any) -> None:
    """Results marked as advertisements, and links to the click counter, also through a redirect, are
    excluded."""
    counter = "https://duckduckgo.com/y.js?ad_domain=a.example"
    wrapped = f"//duckduckgo.com/l/?uddg={quote(counter, safe='')}&amp;rut=a"
    blocks = [AD, result("Ad", counter), result("Ad", wrapped), result("T", "https://t.example/")]
    assert [hit.title for hit in read(scripted_engine, page(*blocks))] == ["T"]


@pytest.mark.parametrize("body", [NOTHING, NO_MORE, page(AD, NOTHING)], ids=["none", "no more", "only ads"])
def test_no_results(scripted_engine: Any, body: str) -> None:
    """A page with the marker for no results is an empty result."""
    client = Client(scripted_engine.script(scripted_engine.http(body)))
    assert client.search() == ()
    assert len(scripted_engine.asked) == 1


@pytest.mark.parametrize(
    ("status", "body"),
    [
        ("202 Accepted", ANOMALY),
        ("202 Accepted", ""),
        ("200 OK", ANOMALY),
        ("403 Forbidden", "<html>Forbidden</html>"),
        ("418 I'm a teapot", ""),
        ("429 Too Many Requests", NOTHING),
        ("202 Accepted", page(numbered([1]))),
    ],
)
def test_a_rate_limit_is_never_an_empty_result(scripted_engine: Any, status: str, body: str) -> None:
    """A refusal with any page is retried a few times, and is then an error that names the rate limit."""
    client = Client(scripted_engine.script(scripted_engine.http(body, status)))
    with pytest.raises(WebError, match="duckduckgo failed 3 times") as raised:
        client.search()
    assert isinstance(raised.value.__cause__, SearchRateLimited)
    assert client.waits == [5, 10]


def test_a_rate_limit_that_ends(scripted_engine: Any) -> None:
    """After waiting for Retry-After, the results are returned."""
    refusal = scripted_engine.http("", "429 Too Many Requests", Retry_After="7")
    date = "Fri, 02 Oct 2026 10:00:40 GMT"
    refusal_until = scripted_engine.http(
        "", "503 Unavailable", Retry_After=date, Date="Fri, 02 Oct 2026 10:00:00 GMT"
    )
    answer = scripted_engine.http(page(numbered([1])))
    client = Client(scripted_engine.script(refusal, refusal_until, answer))
    assert len(client.search()) == 1
    assert client.waits == [7, 40]


@pytest.mark.parametrize("wrong", ["soon", "-5", "1e9", "9" * 5000, "Fri, 02 Oct 2026 10:00:40 GMT"])
def test_an_unreadable_retry_after_is_ignored(scripted_engine: Any, wrong: str) -> None:
    """The default wait is used instead."""
    refusal = scripted_engine.http("", "429 Too Many Requests", Retry_After=wrong)
    client = Client(scripted_engine.script(refusal, scripted_engine.http(NOTHING)))
    client.search()
    assert client.waits == [5]


def test_only_a_refused_page_is_requested_again(scripted_engine: Any) -> None:
    """A refused page does not end the results, and earlier pages are not requested again."""
    scripted_engine.script(
        scripted_engine.http(page(numbered([1]), form(q="ducks", s="10"))),
        scripted_engine.http(ANOMALY, "202 Accepted"),
        scripted_engine.http(page(numbered([2]))),
    )
    assert len(Client(scripted_engine.url).search()) == 2
    assert [asked.fields.get("s") for asked in scripted_engine.asked] == [None, "10", "10"]


def test_results_about_captchas_are_results(scripted_engine: Any) -> None:
    """Words of a challenge in a title or snippet do not make a challenge."""
    body = page(result("anomaly-modal challenge-form", "https://c.example/anomaly.js", "captcha 202 429"))
    assert len(read(scripted_engine, body)) == 1


@pytest.mark.parametrize(
    "body",
    [
        page(),
        page(AD),
        page('<article class="serp-item"><h3><a href="https://x.example/">New markup</a></h3></article>'),
        page(result("T", "https://t.example/").replace("href", "data-href")),
        "<html><body>No results found for ducks</body></html>",
        "<html><body><form><input name='q'></form></body></html>",
        "<html><![x",
        "<?xml version='1.0'?><html></html>",
        page(numbered(range(101))),
    ],
)  # fmt: skip
def test_changed_markup_is_an_error(scripted_engine: Any, body: str) -> None:
    """An unrecognized page is never an empty result, and not requested again."""
    body = body if "</html>" in body else f"{body}</html>"
    client = Client(scripted_engine.script(scripted_engine.http(body)))
    with pytest.raises(UnknownAnswer, match="expected a page of results"):
        client.search()
    assert len(scripted_engine.asked) == 1


@pytest.mark.parametrize("status", ["404 Not Found", "301 Moved", "204 No Content"])
def test_an_unexpected_status_is_an_error(scripted_engine: Any, status: str) -> None:
    """A status that is not an answer, a refusal or an outage is an error; redirects are not followed."""
    elsewhere = scripted_engine.http("", status, Location="https://elsewhere.example/login?x=1")
    client = Client(scripted_engine.script(elsewhere))
    with pytest.raises(UnknownAnswer, match=r"HTTP (404|301|204)"):
        client.search()
    assert len(scripted_engine.asked) == 1


def test_outages_are_retried(scripted_engine: Any) -> None:
    """After a reset, silence, broken compression or a server error the request is repeated."""
    good = page(numbered([1]))
    http = scripted_engine.http
    outages = [
        scripted_engine.RESET,
        scripted_engine.SILENCE,
        http(good[:400]),  # whole by its length, cut by its content
        http(good[:400], length=len(good)),
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n20\r\n<html><body>",
        http(gzip.compress(good.encode())[:-20], Content_Encoding="gzip"),
        http(good, Content_Encoding="gzip"),
        http("", "500 Internal Server Error"),
        http("", "302 Found", Location="/50x.html"),
        http(page("If this error persists, please let us know: error-lite@duckduckgo.com")),
        b"nonsense\r\n\r\n",
    ]
    for outage in outages:
        scripted_engine.asked.clear()
        client = Client(
            scripted_engine.script(outage, http(good)), limits=replace(LIMITS, read_seconds=0.2)
        )
        assert client.search() == (Hit("Title 1", "https://1.example/", "Snippet 1"),), outage
        assert client.waits == [5], outage


def test_an_unreachable_engine_is_an_outage(unused_port: int) -> None:
    """If the connection is refused, an error reports it after a few attempts."""
    client = Client(f"http://127.0.0.1:{unused_port}/html/")
    with pytest.raises(WebError, match=r"failed 3 times.* \(Connection refused") as raised:
        client.search()
    assert isinstance(raised.value.__cause__, Outage)


@pytest.fixture
def unused_port(scripted_engine: Any) -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    return port


@pytest.mark.parametrize(
    ("encoding", "compress"), [("gzip", gzip.compress), ("br", brotli.compress), ("deflate", zlib.compress)]
)
def test_compressed_pages_are_read(scripted_engine: Any, encoding: str, compress: Any) -> None:
    """A page may be compressed with each offered encoding."""
    body = compress(
        page(result("Ünïcödé 鴨 🦆 &lt;b&gt;", "https://u.example/鴨", "naïve &nbsp; “ducks”")).encode()
    )
    client = Client(scripted_engine.script(scripted_engine.http(body, Content_Encoding=encoding)))
    assert client.search() == (Hit("Ünïcödé 鴨 🦆 <b>", "https://u.example/鴨", "naïve “ducks”"),)


def test_answers_are_bounded(scripted_engine: Any) -> None:
    """A page larger than any page of results is rejected, even if it is small when compressed."""
    bomb = gzip.compress(b"<html>" + b" " * 30_000_000)
    client = Client(scripted_engine.script(scripted_engine.http(bomb, Content_Encoding="gzip")))
    with pytest.raises(UnknownAnswer, match="more than 2000000 bytes"):
        client.search()


def test_reading_is_bounded_in_time(scripted_engine: Any) -> None:
    """An answer that exceeds the total time limit is an outage."""
    seconds = count(step=40)
    url = scripted_engine.script(scripted_engine.http(page(" " * 200_000)))
    client = Client(url, clock=lambda: float(next(seconds)))
    with pytest.raises(WebError, match="not complete after 60 s"):
        client.search()


@pytest.mark.parametrize(
    ("keywords", "sent"),
    [
        ("!w ducks", "w ducks"),
        ("ducks g! !!", "ducks g"),
        ("\\ducks C++!=C a!b", "ducks C++!=C a!b"),
        ("half a pair \ud83e here", "half a pair ? here"),
    ],
)
def test_keywords_are_words(scripted_engine: Any, keywords: str, sent: str) -> None:
    """Commands that would send a browser elsewhere are sent as words, what cannot be encoded as marks."""
    client = Client(scripted_engine.script(scripted_engine.http(NOTHING)))
    client.search(keywords)
    assert scripted_engine.asked[0].fields["q"] == sent


@pytest.mark.parametrize("keywords", ["", " \n", "!", "duck" * 125])
def test_an_invalid_query_is_a_failure(scripted_engine: Any, keywords: str) -> None:
    """For an empty or overlong query the model sees the release's text, without a request."""
    client = Client(scripted_engine.script(scripted_engine.http(NOTHING)))
    assert client.engine.search(keywords, "wt-wt") == WebFailure(NOT_RETRIEVED)
    assert scripted_engine.asked == []


def test_the_traffic_is_recorded_as_evidence(scripted_engine: Any) -> None:
    """Every page that was read is on the tape of the search, decompressed."""
    pages = [page(numbered([1]), form(q="ducks", s="10")), page(numbered([2]))]
    packed = [scripted_engine.http(gzip.compress(p.encode()), Content_Encoding="gzip") for p in pages]
    client = Client(scripted_engine.script(*packed))
    with taping() as tape:
        client.search()
    assert [bytes(exchange.body).decode() for exchange in tape.exchanges] == pages
