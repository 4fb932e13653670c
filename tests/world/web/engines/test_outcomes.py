"""What a search with DuckDuckGo makes of every answer of a server on this machine."""

import gzip
import zlib
from collections.abc import Mapping
from dataclasses import replace
from itertools import count

import brotli
import pyarrow as pa
import pytest
from ddgs.base import BaseSearchEngine

from bfcl_pipeline.base.errors import WebError
from bfcl_pipeline.world.tools.web_search.web import Hits
from bfcl_pipeline.world.web.engines.asking import (
    LIMITS,
    Outage,
    RetryPolicy,
    SearchRateLimited,
    UnknownAnswer,
)
from bfcl_pipeline.world.web.engines.client import Connection, EngineClient
from bfcl_pipeline.world.web.engines.duckduckgo import (
    CHALLENGE as CHALLENGE_MARK,
)
from bfcl_pipeline.world.web.engines.duckduckgo import (
    FAILING,
    LONGEST_CLASS,
    MOST_ATTRIBUTES,
    MOST_ELEMENTS,
    NOTHING,
    DuckDuckGo,
    ResultPages,
)
from bfcl_pipeline.world.web.evidence.playing import CassettePlayer, playing
from bfcl_pipeline.world.web.evidence.tape import taping
from tests.support.search_pages import (
    AD,
    CHALLENGE,
    CHANGED,
    HITS,
    NO_MORE,
    NONE,
    RESULTS,
    numbered,
    page,
    result,
)
from tests.support.web_server import RESET, SILENCE, Answer, WebServer, http

FOUND, EMPTY, REFUSED, OUTAGE, UNKNOWN = "results", "no results", "rate limit", "outage", "unknown answer"
REPLACED = "results, U+FFFD"
"""Results with U+FFFD in the place of what is not text."""

_BODY = RESULTS.encode()
_FORM = "<input name='q' value='EOF'><textarea>No results found for EOF</textarea><title>EOF</title>"
"""Of a page that repeats a query made of the site's own sentences."""

_NEW_MARKUP = '<article class="serp-item"><h3><a href="https://x.example/">New markup</a></h3></article>'
_PERSISTS = "If this error persists, please let us know: error-lite@duckduckgo.com"


def _packed(body: bytes, encoding: str) -> bytes:
    return http(body, Content_Encoding=encoding)


def _chunked(body: bytes, end: bytes) -> bytes:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    return head + b"%x\r\n%b\r\n" % (len(body), body) + end


SITUATIONS: Mapping[str, tuple[Answer, str]] = {
    "results": (http(RESULTS), FOUND),
    "compressed: gzip": (_packed(gzip.compress(_BODY), "gzip"), FOUND),
    "compressed: br": (_packed(brotli.compress(_BODY), "br"), FOUND),
    "compressed: zstd": (_packed(bytes(pa.compress(_BODY, codec="zstd")), "zstd"), FOUND),
    "compressed: deflate": (_packed(zlib.compress(_BODY), "deflate"), FOUND),
    "chunked": (_chunked(_BODY, b"0\r\n\r\n"), FOUND),
    "XML declaration": (http(f'<?xml version="1.0" encoding="x"?>\n{RESULTS}'), FOUND),
    "not UTF-8": (http(RESULTS.encode("latin-1", "replace")), REPLACED),
    "none, as the site says": (http(NONE), EMPTY),
    "no more, as the site says": (http(NO_MORE), EMPTY),
    "none but advertisements": (http(page(AD, NONE)), EMPTY),
    "none, without a mark": (http(page()), UNKNOWN),
    "advertisements, without a mark": (http(page(AD)), UNKNOWN),
    "a sentence that is no mark": (http("<html>No results found for ducks</html>"), UNKNOWN),
    "a query that quotes marks": (http(page(f"<form>{_FORM}</form>")), UNKNOWN),
    "changed markup": (http(CHANGED), UNKNOWN),
    "new markup": (http(page(_NEW_MARKUP)), UNKNOWN),
    "changed attributes": (http(page(numbered([1])).replace("href", "data-href")), UNKNOWN),
    "half a declaration": (http("<html><![x</html>"), UNKNOWN),
    "XML without content": (http("<?xml version='1.0'?><html></html>"), UNKNOWN),
    "too many results": (http(page(numbered(range(101)))), UNKNOWN),
    "nested too deeply": (http(page("<div class='result body'>" * 50_000)), UNKNOWN),
    "too large": (_packed(gzip.compress(b"<html>" + b" " * 30_000_000), "gzip"), UNKNOWN),
    "redirect to consent": (http("", "302 Found", Location="https://consent.example/m"), UNKNOWN),
    "redirect to a login": (http("", "301 Moved", Location="https://a.example/login?x=1"), UNKNOWN),
    # The page with results, which a status other than 200 makes worthless.
    "HTTP 202": (http(RESULTS, "202 Accepted"), REFUSED),
    "HTTP 204": (http("", "204 No Content"), UNKNOWN),
    "HTTP 403": (http(RESULTS, "403 Forbidden"), REFUSED),
    "HTTP 404": (http(RESULTS, "404 Not Found"), UNKNOWN),
    "HTTP 408": (http(RESULTS, "408 Request Timeout"), OUTAGE),
    "HTTP 418": (http(RESULTS, "418 I'm a teapot"), REFUSED),
    "HTTP 429": (http(RESULTS, "429 Too Many Requests"), REFUSED),
    "HTTP 429 without results": (http(NONE, "429 Too Many Requests"), REFUSED),
    "HTTP 999": (http(RESULTS, "999 Request denied"), REFUSED),
    "captcha, HTTP 200": (http(CHALLENGE), REFUSED),
    "captcha, HTTP 202": (http(CHALLENGE, "202 Accepted"), REFUSED),
    "HTTP 202, empty": (http("", "202 Accepted"), REFUSED),
    "HTTP 500": (http(RESULTS, "500 Internal Server Error"), OUTAGE),
    "HTTP 503": (http(RESULTS, "503 Service Unavailable"), OUTAGE),
    "redirect to its error": (http("", "302 Found", Location="/50x.html"), OUTAGE),
    "its page of an error": (http(page(_PERSISTS)), OUTAGE),
    "empty": (http(""), OUTAGE),
    "cut short: Content-Length": (http(RESULTS[:-9], length=len(_BODY)), OUTAGE),
    "cut short: chunks": (_chunked(_BODY, b""), OUTAGE),
    "cut short: in gzip": (_packed(gzip.compress(_BODY)[:-9], "gzip"), OUTAGE),
    "cut short: no end": (http(RESULTS[: len(RESULTS) // 2]), OUTAGE),
    "not gzip": (_packed(_BODY, "gzip"), OUTAGE),
    "not HTTP": (b"nonsense\r\n\r\n", OUTAGE),
    "silent": (SILENCE, OUTAGE),
    "slow": (http(RESULTS), OUTAGE),
    "reset": (RESET, OUTAGE),
}
"""By name: the answer of the server to the search, and the outcome."""


@pytest.mark.parametrize("situation", SITUATIONS)
def test_outcomes(situation: str, server: WebServer) -> None:
    """A page without results is "no results" only by the mark of its site; refusals never are. Refusals and
    outages are asked again, and nothing else is."""
    answer, outcome = SITUATIONS[situation]
    # A slow answer: between two readings of the clock pass more than the 60 seconds of a whole answer.
    seconds = count(step=70.0 if situation == "slow" else 0.0)
    limits = replace(LIMITS, read_seconds=0.05 if situation == "silent" else 20.0)
    connection = Connection(limits=limits, site=server.address, clock=lambda: float(next(seconds)))
    waits: list[float] = []
    engine = DuckDuckGo(RetryPolicy(3, sleep=waits.append, jitter=lambda: 1.0), connection)
    server.script("", answer)
    assert _outcome(engine) == outcome
    again = outcome in (REFUSED, OUTAGE)
    assert (len(server.asked), waits) == ((3, [5, 10]) if again else (1, []))
    if again and situation != "slow":
        server.script("", answer, http(RESULTS))
        assert _outcome(engine) == FOUND


def _outcome(engine: DuckDuckGo) -> str:
    try:
        found = engine.search("ducks", "wt-wt")
    except UnknownAnswer as error:
        return UNKNOWN if "expected a page of results" in str(error) else str(error)
    except WebError as error:
        kind = {SearchRateLimited: REFUSED, Outage: OUTAGE}[type(error.__cause__)]
        return kind if "duckduckgo failed 3 times" in str(error) else str(error)
    if found == Hits(()):
        return EMPTY
    if found == Hits(HITS):
        return FOUND
    return REPLACED if isinstance(found, Hits) and "\ufffd" in found.hits[-1].title else f"wrong: {found}"


def test_a_cassette_proves_a_search(server: WebServer) -> None:
    """Playing the tape of a search, refused and reset before, gives the same results without a server, for
    which the same requests are made. Every page is on it, decompressed."""
    packed = _packed(gzip.compress(_BODY), "gzip")
    base = server.script("", http("", "429 No", Retry_After="9"), RESET, packed)
    engine = DuckDuckGo(RetryPolicy(3, sleep=lambda _seconds: None), Connection(site=base))
    with taping() as tape:
        found = engine.search("ducks & geese 鴨", "de-de")
    assert found == Hits(HITS)
    assert [bytes(exchange.body) for exchange in tape.exchanges] == [b"", b"", _BODY]
    player = CassettePlayer(tape.cassette() or b"")
    unwaited = DuckDuckGo(RetryPolicy(3, sleep=lambda _seconds: pytest.fail("waits")))
    with playing(player):
        assert unwaited.search("ducks & geese 鴨", "de-de") == found
    assert player.left() == 0


def test_results_about_captchas_are_results(server: WebServer) -> None:
    """Words of a challenge in a title or snippet do not make a challenge."""
    about = page(result("anomaly-modal challenge-form", "https://c.example/anomaly.js", "captcha 202 429"))
    engine = DuckDuckGo(RetryPolicy(1), Connection(site=server.script("", http(about))))
    found = engine.search("ducks", "wt-wt")
    assert isinstance(found, Hits)
    assert len(found.hits) == 1


@pytest.mark.parametrize(
    ("inner", "more"),
    [
        (" ".join(f"a{number}" for number in range(MOST_ATTRIBUTES)), ""),
        (" ".join(f"a{number}='>'" for number in range(MOST_ATTRIBUTES)), ""),
        (f"class='{'a' * LONGEST_CLASS}'", ""),
        ("", "<p></p>" * (MOST_ELEMENTS - 4)),
    ],
    ids=["attributes", "attributes with quotes", "classes", "elements"],
)
def test_large_pages_are_refused_before_they_are_parsed(
    monkeypatch: pytest.MonkeyPatch, inner: str, more: str
) -> None:
    """A page at the bounds on elements, attributes and classes is read; of one beyond, no tree is built."""
    pages = ResultPages(EngineClient(Connection(), RetryPolicy()))
    bounded = f"<html><body><b class='no-results'></b><p {inner}>{more}</body></html>"
    pages.check(bounded)
    assert pages.nothing
    monkeypatch.setattr(BaseSearchEngine, "extract_tree", lambda *_: pytest.fail("a tree is built"))
    beyond = bounded.replace("<p a0", "<p b a0").replace("class='a", "class='aa")
    beyond = beyond.replace("<p></p>", "<p></p>" * 2, 1)
    assert beyond != bounded
    with pytest.raises(UnknownAnswer, match="too many elements, attributes or classes"):
        pages.check(beyond)


def test_marks_do_not_search_below_what_they_search_for() -> None:
    """No mark selects `//a//b`, which takes quadratic time in nested elements."""
    for mark in "|".join((NOTHING, CHALLENGE_MARK, FAILING)).split("|"):
        assert mark.replace("http://", "").count("//") == 1
