"""What can happen to a request to a search engine, and what a search makes of it, engine by engine."""

import gzip
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Any

import brotli
import pyarrow as pa

from bfcl_pipeline.base.errors import WebError
from bfcl_pipeline.world.tools.web_search.web import Hits, WebFailure
from bfcl_pipeline.world.web.engines.client import Connection
from bfcl_pipeline.world.web.engines.ddgs_engine import DdgsEngine
from bfcl_pipeline.world.web.engines.requested import SearchLimits, UnknownAnswer
from bfcl_pipeline.world.web.engines.retries import Outage, RetryPolicy, SearchRateLimited
from tests.support.scripted_engine import ScriptedEngine, scripted_engine_server
from tests.support.search_pages import PAGES, EnginePages, html

RESULTS, NONE, REFUSED, OUTAGE, UNKNOWN = "results", "no results", "rate limit", "outage", "unknown answer"
REPLACED = "results, U+FFFD"
"""Results with U+FFFD in the place of what is not text."""
WRONG = "wrong results"
"""Never expected."""

IMPOSSIBLE = "no such page"
"""The situation does not exist for an engine: its site has no such page, as far as is known."""

_http = ScriptedEngine.http
_LARGE = b"<html>" + b" " * 3_000_000 + b"</html>"
_SENTENCES = (
    "Not many great matches came back",
    "No pages found matching",
    "EOF",
    "Captcha",
    "PoW Captcha",
)


def _packed(pack: Callable[[bytes], Any], encoding: str) -> Callable[[EnginePages], bytes]:
    return lambda pages: _http(bytes(pack(pages.results.encode())), Content_Encoding=encoding)


def _with_status(status: str, **headers: str) -> Callable[[EnginePages], bytes]:
    """The page with results, which a status other than 200 makes worthless."""
    return lambda pages: _http(pages.results, status, **headers)


def _redirect(address: str) -> bytes:
    return _http("", "302 Found", Location=address)


def _chunked(body: bytes, end: bytes) -> bytes:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    return head + b"%x\r\n%b\r\n" % (len(body), body) + end


def _echo(pages: EnginePages) -> bytes:
    """A page with unknown markup that repeats a query made of the sites' own sentences."""
    forms = "".join(f"<input name='q' value='{text}'><textarea>{text}</textarea>" for text in _SENTENCES)
    titles = "".join(f"<title>{text} - Search</title>" for text in _SENTENCES)
    return _http(pages.unmarked if pages.is_json else html(f"<main><form>{forms}</form></main>", titles))


def _deep(pages: EnginePages) -> bytes:
    return _http("[" * 200_000 if pages.is_json else html("<div class='result body'>" * 50_000))


SITUATIONS: Mapping[str, Callable[[EnginePages], bytes | None]] = {
    "results": lambda pages: _http(pages.results),
    "compressed: gzip": _packed(gzip.compress, "gzip"),
    "compressed: br": _packed(brotli.compress, "br"),
    "compressed: zstd": _packed(lambda body: pa.compress(body, codec="zstd"), "zstd"),
    "compressed: deflate": _packed(zlib.compress, "deflate"),
    "chunked": lambda pages: _chunked(pages.results.encode(), b"0\r\n\r\n"),
    "XML declaration": lambda pages: _http(f'<?xml version="1.0" encoding="x"?>\n{pages.results}'),
    "none, as the site says": lambda pages: None if pages.none is None else _http(pages.none),
    "none, without a mark": lambda pages: _http(pages.unmarked),
    "changed markup": lambda pages: _http(pages.changed),
    "a query that quotes marks": _echo,
    "captcha, HTTP 200": lambda pages: None if pages.challenge is None else _http(pages.challenge),
    "redirect to a captcha": lambda pages: (
        None if pages.captcha_address is None else _redirect(pages.captcha_address)
    ),
    "redirect to consent": lambda _pages: _redirect("https://consent.example/m?continue=x"),
    "HTTP 202": _with_status("202 Accepted"),
    "HTTP 403": _with_status("403 Forbidden"),
    "HTTP 404": _with_status("404 Not Found"),
    "HTTP 418": _with_status("418 I'm a teapot"),
    "HTTP 429": _with_status("429 Too Many Requests", Retry_After="7"),
    "HTTP 999": _with_status("999 Request denied"),
    "HTTP 500": _with_status("500 Internal Server Error"),
    "HTTP 503": _with_status("503 Service Unavailable"),
    "empty": lambda _pages: _http(""),
    "cut short: Content-Length": lambda pages: _http(
        pages.results[:-9], length=len(pages.results.encode())
    ),
    "cut short: chunks": lambda pages: _chunked(pages.results.encode(), b""),
    "cut short: in gzip": lambda pages: _http(
        gzip.compress(pages.results.encode())[:-9], Content_Encoding="gzip"
    ),
    "cut short: no end": lambda pages: _http(pages.results[: len(pages.results) // 2]),
    "not gzip": lambda pages: _http(pages.results, Content_Encoding="gzip"),
    "not HTTP": lambda _pages: b"nonsense\r\n\r\n",
    "silent": lambda _pages: ScriptedEngine.SILENCE,
    "slow": lambda pages: _http(pages.results),
    "reset": lambda _pages: ScriptedEngine.RESET,
    "too large": lambda _pages: _http(gzip.compress(_LARGE), Content_Encoding="gzip"),
    "nested too deeply": _deep,
    "not UTF-8": lambda pages: _http(pages.results.encode("latin-1", "replace")),
}
"""By name: the answer of the server to the search; None: there is no such page of the engine."""


def search_outcome(engine: str, situation: str, server: ScriptedEngine) -> str:
    """What a search with one attempt makes of a situation."""
    pages = PAGES[engine]
    answer = SITUATIONS[situation](pages)
    if answer is None:
        return IMPOSSIBLE
    server.asked.clear()
    server.beside = pages.beside
    base = server.script(answer).removesuffix("/html/")
    # A slow answer: between two readings of the clock pass more than the 60 seconds of a whole answer.
    seconds = count(step=70.0 if situation == "slow" else 0.0)
    limits = SearchLimits(
        silence_seconds=0.05 if situation == "silent" else 20.0, clock=lambda: float(next(seconds))
    )
    connection = Connection(limits=limits, addresses={pages.host: base})
    try:
        found = DdgsEngine(engine, RetryPolicy(attempts=1), connection).search("ducks", "wt-wt")
    except UnknownAnswer:
        return UNKNOWN
    except WebError as error:
        return {SearchRateLimited: REFUSED, Outage: OUTAGE}[type(error.__cause__)]
    return _kind(found, pages)


def outcomes() -> Iterator[tuple[str, dict[str, str]]]:
    """Every situation, with the outcome by engine."""
    with scripted_engine_server() as server:
        for situation in SITUATIONS:
            yield situation, {engine: search_outcome(engine, situation, server) for engine in PAGES}


def table() -> Iterator[str]:
    """The outcomes as lines: the outcome of most engines, and the engines for which it is another."""
    width = max(map(len, SITUATIONS))
    yield f"{'situation':<{width}}  {'outcome':<15}  except"
    for situation, by_engine in outcomes():
        usual = Counter(one for one in by_engine.values() if one != IMPOSSIBLE).most_common(1)[0][0]
        others: dict[str, list[str]] = {}
        for engine, outcome in by_engine.items():
            if outcome != usual:
                others.setdefault(outcome, []).append(engine)
        rest = "; ".join(f"{outcome}: {', '.join(engines)}" for outcome, engines in others.items())
        yield f"{situation:<{width}}  {usual:<15}  {rest}".rstrip()


def _kind(found: Hits | WebFailure, pages: EnginePages) -> str:
    if found == Hits(()):
        return NONE
    if found == Hits(pages.hits):
        return RESULTS
    return REPLACED if isinstance(found, Hits) and "\ufffd" in found.hits[-1].title else WRONG
