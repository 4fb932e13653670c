"""What a search makes of every situation, on a server on this machine."""

import gzip
import zlib
from collections.abc import Mapping
from dataclasses import replace
from itertools import count
from typing import Any

import brotli
import pyarrow as pa
import pytest

from bfcl_pipeline.base.errors import WebError
from bfcl_pipeline.world.tools.web_search.web import Hits
from bfcl_pipeline.world.web.engines.asking import (
    LIMITS,
    Outage,
    RetryPolicy,
    SearchRateLimited,
    UnknownAnswer,
)
from bfcl_pipeline.world.web.engines.client import Connection
from bfcl_pipeline.world.web.engines.duckduckgo import DuckDuckGo
from bfcl_pipeline.world.web.evidence.playing import CassettePlayer, playing
from bfcl_pipeline.world.web.evidence.tape import taping
from tests.support.scripted_engine import ScriptedEngine
from tests.support.search_pages import CHALLENGE, CHANGED, HITS, NONE, RESULTS, UNMARKED, html

FOUND, NOTHING, REFUSED, OUTAGE, UNKNOWN = "results", "no results", "rate limit", "outage", "unknown answer"
REPLACED = "results, U+FFFD"
"""Results with U+FFFD in the place of what is not text."""

_http = ScriptedEngine.http
_BODY = RESULTS.encode()
_LARGE = b"<html>" + b" " * 3_000_000 + b"</html>"
_FORM = "<input name='q' value='EOF'><textarea>No results found for EOF</textarea><title>EOF</title>"
"""Of a page that repeats a query made of the site's own sentences."""


def _packed(body: Any, encoding: str) -> bytes:
    return _http(bytes(body), Content_Encoding=encoding)


def _chunked(body: bytes, end: bytes) -> bytes:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    return head + b"%x\r\n%b\r\n" % (len(body), body) + end


SITUATIONS: Mapping[str, tuple[bytes, str]] = {
    "results": (_http(RESULTS), FOUND),
    "compressed: gzip": (_packed(gzip.compress(_BODY), "gzip"), FOUND),
    "compressed: br": (_packed(brotli.compress(_BODY), "br"), FOUND),
    "compressed: zstd": (_packed(pa.compress(_BODY, codec="zstd"), "zstd"), FOUND),
    "compressed: deflate": (_packed(zlib.compress(_BODY), "deflate"), FOUND),
    "chunked": (_chunked(_BODY, b"0\r\n\r\n"), FOUND),
    "XML declaration": (_http(f'<?xml version="1.0" encoding="x"?>\n{RESULTS}'), FOUND),
    "none, as the site says": (_http(NONE), NOTHING),
    "none, without a mark": (_http(UNMARKED), UNKNOWN),
    "changed markup": (_http(CHANGED), UNKNOWN),
    "a query that quotes marks": (_http(html(f"<main><form>{_FORM}</form></main>")), UNKNOWN),
    "captcha, HTTP 200": (_http(CHALLENGE), REFUSED),
    "redirect to consent": (_http("", "302 Found", Location="https://consent.example/m"), UNKNOWN),
    # The page with results, which a status other than 200 makes worthless.
    "HTTP 202": (_http(RESULTS, "202 Accepted"), REFUSED),
    "HTTP 403": (_http(RESULTS, "403 Forbidden"), REFUSED),
    "HTTP 404": (_http(RESULTS, "404 Not Found"), UNKNOWN),
    "HTTP 418": (_http(RESULTS, "418 I'm a teapot"), REFUSED),
    "HTTP 429": (_http(RESULTS, "429 Too Many Requests", Retry_After="7"), REFUSED),
    "HTTP 999": (_http(RESULTS, "999 Request denied"), REFUSED),
    "HTTP 500": (_http(RESULTS, "500 Internal Server Error"), OUTAGE),
    "HTTP 503": (_http(RESULTS, "503 Service Unavailable"), OUTAGE),
    "empty": (_http(""), OUTAGE),
    "cut short: Content-Length": (_http(RESULTS[:-9], length=len(_BODY)), OUTAGE),
    "cut short: chunks": (_chunked(_BODY, b""), OUTAGE),
    "cut short: in gzip": (_packed(gzip.compress(_BODY)[:-9], "gzip"), OUTAGE),
    "cut short: no end": (_http(RESULTS[: len(RESULTS) // 2]), OUTAGE),
    "not gzip": (_packed(_BODY, "gzip"), OUTAGE),
    "not HTTP": (b"nonsense\r\n\r\n", OUTAGE),
    "silent": (ScriptedEngine.SILENCE, OUTAGE),
    "slow": (_http(RESULTS), OUTAGE),
    "reset": (ScriptedEngine.RESET, OUTAGE),
    "too large": (_packed(gzip.compress(_LARGE), "gzip"), UNKNOWN),
    "nested too deeply": (_http(html("<div class='result body'>" * 50_000)), UNKNOWN),
    "not UTF-8": (_http(RESULTS.encode("latin-1", "replace")), REPLACED),
}
"""By name: the answer of the server to the search, and the outcome."""


@pytest.mark.parametrize("situation", SITUATIONS)
def test_outcomes(situation: str, scripted_engine: Any) -> None:
    """A page without results is "no results" only by the mark of its site; refusals never are."""
    answer, outcome = SITUATIONS[situation]
    base = scripted_engine.script(answer).removesuffix("/html/")
    # A slow answer: between two readings of the clock pass more than the 60 seconds of a whole answer.
    seconds = count(step=70.0 if situation == "slow" else 0.0)
    limits = replace(LIMITS, read_seconds=0.05 if situation == "silent" else 20.0)
    connection = Connection(limits=limits, site=base, clock=lambda: float(next(seconds)))
    engine = DuckDuckGo(RetryPolicy(attempts=1), connection)
    assert _outcome(engine) == outcome


def _outcome(engine: DuckDuckGo) -> str:
    try:
        found = engine.search("ducks", "wt-wt")
    except UnknownAnswer:
        return UNKNOWN
    except WebError as error:
        return {SearchRateLimited: REFUSED, Outage: OUTAGE}[type(error.__cause__)]
    if found == Hits(()):
        return NOTHING
    if found == Hits(HITS):
        return FOUND
    return REPLACED if isinstance(found, Hits) and "\ufffd" in found.hits[-1].title else f"wrong: {found}"


def test_a_cassette_proves_a_search(scripted_engine: Any) -> None:
    """Playing the tape of a search, refused and reset before, gives the same results without a server, for
    which the same requests are made."""
    refusal = _http("", "429 No", Retry_After="9")
    base = scripted_engine.script(refusal, scripted_engine.RESET, _http(RESULTS)).removesuffix("/html/")
    engine = DuckDuckGo(RetryPolicy(attempts=3, sleep=lambda _seconds: None), Connection(site=base))
    with taping() as tape:
        found = engine.search("ducks & geese 鴨", "de-de")
    assert found == Hits(HITS)
    player = CassettePlayer(tape.cassette() or b"")
    unwaited = DuckDuckGo(RetryPolicy(attempts=3, sleep=lambda _seconds: pytest.fail("waits")))
    with playing(player):
        assert unwaited.search("ducks & geese 鴨", "de-de") == found
    assert player.left() == 0
