"""Whatever a search engine answers, a search ends in an outcome that its cassette proves, or in a WebError.

Covers the whole path: our client with primp, ddgs's readers, the tape, and the cassette played again. All
requests go to a proxy on this machine, which answers for every host and notes which was asked for. The
number of examples is FUZZ_EXAMPLES, as in `test_fuzz`.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from bfcl_pipeline.base.errors import WebError
from bfcl_pipeline.world.tools.web_search.web import Hit, Hits
from bfcl_pipeline.world.web.cache import RecordedOutcome, outcome_document
from bfcl_pipeline.world.web.derivation import contradiction
from bfcl_pipeline.world.web.engines.asking import LIMITS, RetryPolicy
from bfcl_pipeline.world.web.engines.client import Connection
from bfcl_pipeline.world.web.engines.duckduckgo import MOST_PAGES, WANTED, DuckDuckGo
from bfcl_pipeline.world.web.evidence.tape import taping
from bfcl_pipeline.world.web.keys import SearchKey
from bfcl_pipeline.world.web.modes import engine_text
from bfcl_pipeline.world.web.proxies import Proxies
from tests.fuzz.test_fuzz import LIMIT_CALLS  # with its number of examples
from tests.support import ROOT
from tests.support.search_pages import CHANGED, NONE, RESULTS, duckduckgo_page
from tests.support.simulated_sites import DUCKDUCKGO
from tests.support.web_server import WebServer, http, web_server
from tests.support.work import HANG_SECONDS

assert LIMIT_CALLS
NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)
PLAIN = f"http://{DUCKDUCKGO}"
"""The site is asked by HTTP, so that the proxy reads the requests without a certificate."""

PIECES = (
    "<div class='links_main result__body'>",
    "<h2>T</h2>",
    "<a href='//duckduckgo.com/l/?uddg=%ff&rut=1'>x</a>",
    "<a href='https://[::1'>x</a>",
    "<a href='javascript:alert(1)'>x</a>",
    "<div data-type='web'>",
    "<div class='title snippet content'>t",
    "</div>",
    "</a>",
    "<li>",
    "</html>",
    "<ol id='b_results'><li class='b_algo'><h2><a href='https://www.bing.com/ck/a?u=a1!!'>x</a></h2>",
    "<ul class='results'><li><h2><a href='http://a.example/%2F'>m</a></h2><p class='s'>b</p></li></ul>",
    "<div class='nav-link'><form action='https://evil.example/'><input name='s' value='10'></form></div>",
    "<div class='nav-link'><form><input name='kl' value='@e'><input name='s' value='9'></form></div>",
    "<div class='no-results'>",
    "<form id='challenge-form'>",
    "<base href='https://evil.example/'>",
    "<meta http-equiv='refresh' content='0;url=https://evil.example/'>",
    "<img src='https://evil.example/x'>",
    "<?xml version='1.0' encoding='utf-16'?>",
    "<!DOCTYPE a [<!ENTITY b 'c'>]>",
    "&b;&#0;&#x110000;",
    "<![CDATA[",
    "]]>",
    "<script>",
    "<!--",
    "<svg><a xlink:href='x'>",
    "<b>" * 3_000,
    "<a " * 500,
    "x" * 20_000,
    "\x00",
    "\ud83e",
    "\u202e",
)
"""Of pages, whole and broken."""

_ADDRESSES = st.text(max_size=40) | st.just("https://a.example/?x=%26")
_HITS = st.lists(st.builds(Hit, st.text(max_size=20), _ADDRESSES, st.text()), max_size=12).map(
    lambda hits: Hits(tuple(hits))
)
_BODIES = st.one_of(
    _HITS.map(duckduckgo_page),
    st.lists(st.sampled_from(PIECES), max_size=30).map(lambda pieces: f"<html>{''.join(pieces)}</html>"),
    st.text(max_size=200),
).map(lambda text: text.encode("utf-8", "surrogatepass")) | st.binary(max_size=300)
_FAILURES = (202, 204, 206, 301, 302, 307, 400, 403, 404, 429, 500, 503, 599, 999)
_STATUSES = st.sampled_from([200] * 60 + [*_FAILURES])
_TARGETS = st.sampled_from(
    ["https://evil.example/", "//evil.example", "/sorry/index", "/50x.html", "", "\t", "ftp://evil.example"]
)
_KINDS = st.sampled_from(
    [*(f"text/html; charset={name}" for name in ("utf-8", "ISO-8859-1", "nonsense")), "application/json"]
)


@st.composite
def changed_pages(draw: st.DrawFn) -> bytes:
    """A page of the engine, with pieces in it or in the place of parts of it."""
    page = draw(st.sampled_from([RESULTS, RESULTS, NONE, CHANGED]))
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(page)))
        page = page[:at] + draw(st.sampled_from(PIECES)) + page[at + draw(st.integers(0, 20)) :]
    return page.encode("utf-8", "surrogatepass")


@st.composite
def answers(draw: st.DrawFn) -> bytes:
    """A response: a page with a status and headers, perhaps compressed, perhaps cut."""
    if draw(st.integers(0, 25)) == 0:
        return draw(st.sampled_from([b"", b"nonsense\r\n\r\n", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 20"]))
    body = draw(changed_pages() if draw(st.integers(0, 3)) else _BODIES)
    status = draw(_STATUSES)
    headers = {"Content-Type": draw(_KINDS), "Connection": "close"}
    match draw(st.integers(0, 15)):
        case 0:
            body, headers["Content-Encoding"] = gzip.compress(body), "gzip"
        case 1:
            headers["Content-Encoding"] = draw(st.sampled_from(["gzip", "br", "zstd", "deflate", "x"]))
        case 2:
            body, headers["Content-Encoding"] = gzip.compress(body)[:-9], "gzip"
    headers["Content-Length"] = str(len(body) + draw(st.sampled_from([0] * 30 + [5])))
    if draw(st.booleans()):
        headers["Location"] = draw(_TARGETS)
        headers["Set-Cookie"] = "session=s3cret-of-the-site; Domain=example; Path=/"
    lines = [f"HTTP/1.1 {status} X", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
    return "\r\n".join(lines).encode() + body


_QUERIES = st.text(min_size=1, max_size=40) | st.sampled_from(
    ["tea", "@evil.example/", "\r\nHost: evil.example", "../../x", "#", "?q=1&kl=2", "!g tea", "a" * 600]
)
_REGIONS = st.text(max_size=12) | st.sampled_from(
    ["wt-wt", "us-en", "us-evil.example/", "us-en@evil.example", "x-evil.example#", "us-tzh", "jp-jp", "-"]
)


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    with web_server(tmp_path_factory.mktemp("sites"), ["evil.example"]) as running:
        yield running


@settings(
    max_examples=max(100, (settings.default or settings()).max_examples // 10)
)  # each sends several requests
@given(st.data())
def test_any_answer_ends_in_an_outcome_or_a_web_error(sites: WebServer, data: st.DataObject) -> None:
    """Results are texts, no host but the engine's is asked, and the cassette proves the outcome."""
    scripted, last = iter(data.draw(st.lists(answers(), max_size=3))), data.draw(answers())
    sites.answering = lambda _visit: next(scripted, last)
    sites.forget()
    limits = replace(LIMITS, connect_seconds=5, read_seconds=5, total_seconds=10)
    connection = Connection(limits=limits, proxies=Proxies({"all": sites.address}), site=PLAIN)
    engine = DuckDuckGo(RetryPolicy(attempts=2, sleep=lambda _: None), connection)
    query, region = data.draw(_QUERIES), data.draw(_REGIONS)
    started = time.monotonic()
    with taping() as tape:
        try:
            outcome = engine.search(query, region)
        except WebError:
            outcome = None
    assert time.monotonic() - started < HANG_SECONDS
    event(f"{type(outcome).__name__}, {len(outcome.hits) if isinstance(outcome, Hits) else '-'} results")
    assert sites.hosts <= {DUCKDUCKGO}
    assert len(sites.asked) <= 2 * (MOST_PAGES + 1)
    cassette = tape.cassette()
    assert cassette is None or b"s3cret" not in cassette
    if outcome is None:
        return
    json.dumps(outcome_document(outcome))
    if isinstance(outcome, Hits):
        assert len(outcome.hits) <= WANTED
        texts = [text for hit in outcome.hits for text in (hit.title, hit.href, hit.body)]
        assert all(isinstance(text, str) and text == text.encode().decode() for text in texts)
    key = SearchKey.of(query, region)
    recorded = RecordedOutcome(key, outcome, NOON, engine_text("duckduckgo"), None, None)
    assert contradiction(recorded, cassette) is None


@cache
def _bomb() -> bytes:
    packer, piece = zlib.compressobj(9, wbits=31), b"<b>" * 1_000_000
    return b"".join([*(packer.compress(piece) for _ in range(100)), packer.flush()])


def _large(fields: dict[str, str]) -> bytes:
    asked = next((text for text in fields.values() if text in LARGE), "bomb")
    if asked == "bomb":
        return http(_bomb(), Content_Encoding="gzip")
    return http(f"<html>{LARGE[asked]}</html>")


_ITEM = "<div data-type='web' class='result__body snippet result'>"
_PART = "<div class='title content'>x</div>"
LARGE = {
    "items": "<li class='b_algo serp-item'><div data-type='web' class='body'><h2><a href=y>t</a>" * 11_000,
    "nested items": _ITEM * 90 + _PART * 28_000,
    "nested parts": _ITEM + "<div class='snippet result'>" * 200 + _PART * 28_000,
    "the most parts": _ITEM + "<div class='snippet result'>" * 50 + _PART * 4_000,
    "forms": "<div class='nav-link'><form><input name='s' value='1'>" * 18_000,
    "nested forms": "<div class='nav-link result'>" * 90 + "<form><input name='s'></form>" * 25_000,
    "open tags": "<a " * 320_000,
}
"""Pages of almost the most that is read."""

SEARCHER = """
import re, sys, time
from bfcl_pipeline.base.errors import WebError
from bfcl_pipeline.world.web.engines.client import Connection
from bfcl_pipeline.world.web.engines.duckduckgo import DuckDuckGo
from bfcl_pipeline.world.web.engines.asking import RetryPolicy
from bfcl_pipeline.world.web.proxies import Proxies

connection = Connection(proxies=Proxies({"all": sys.argv[1]}, certificates=sys.argv[2]))
longest = 0
for page in sys.argv[3:]:
    started = time.process_time()
    try:
        DuckDuckGo(RetryPolicy(attempts=1), connection).search(page, "us-en")
    except WebError:
        pass
    longest = max(longest, time.process_time() - started)
# Of this program: the figure of getrusage begins with that of the process that started it.
print(longest, int(re.search(r"VmHWM:\\s*(\\d+) kB", open("/proc/self/status").read())[1]) // 1024)
"""


def test_large_pages_need_little_time_and_memory(tmp_path: Path) -> None:
    """A page that unpacks to 300 MB and the largest pages of hostile markup need less than 400 MB, and none
    occupies the reader."""
    with web_server(tmp_path, [DUCKDUCKGO]) as sites:
        sites.answering = lambda visit: _large(visit.fields)
        command = [sys.executable, "-c", SEARCHER, sites.address, str(sites.authority), "bomb", *LARGE]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    seconds, megabytes = map(float, done.stdout.split())
    assert seconds < HANG_SECONDS
    assert megabytes < 400
