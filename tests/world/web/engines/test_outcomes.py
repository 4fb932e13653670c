"""What every search engine makes of every situation, on a server on this machine."""

import re
from typing import Any

import pytest

from bfcl_pipeline.benchmark.config.job import SEARCH_ENGINES
from bfcl_pipeline.world.tools.web_search.web import Hits, WebFailure
from bfcl_pipeline.world.web.engines.adapted import ENGINES
from bfcl_pipeline.world.web.engines.client import Connection
from bfcl_pipeline.world.web.engines.ddgs_engine import DdgsEngine
from bfcl_pipeline.world.web.engines.facts import FACTS
from bfcl_pipeline.world.web.engines.requested import NOT_RETRIEVED
from bfcl_pipeline.world.web.engines.retries import RetryPolicy
from bfcl_pipeline.world.web.evidence.playing import CassettePlayer, playing
from bfcl_pipeline.world.web.evidence.tape import taping
from tests.support.search_pages import PAGES
from tests.support.search_situations import table

OUTCOMES = """\
situation                  outcome          except
results                    results
compressed: gzip           results
compressed: br             results
compressed: zstd           results
compressed: deflate        results
chunked                    results
XML declaration            results          outage: grokipedia, wikipedia
none, as the site says     no results       no such page: google, startpage, yandex
none, without a mark       unknown answer
changed markup             unknown answer
a query that quotes marks  unknown answer
captcha, HTTP 200          rate limit       no such page: grokipedia, startpage, wikipedia, yahoo
redirect to a captcha      rate limit       no such page: duckduckgo, grokipedia, mojeek, wikipedia, yahoo
redirect to consent        unknown answer
HTTP 202                   rate limit
HTTP 403                   rate limit
HTTP 404                   unknown answer
HTTP 418                   rate limit
HTTP 429                   rate limit
HTTP 999                   rate limit
HTTP 500                   outage
HTTP 503                   outage
empty                      outage
cut short: Content-Length  outage
cut short: chunks          outage
cut short: in gzip         outage
cut short: no end          outage
not gzip                   outage
not HTTP                   outage
silent                     outage
slow                       outage
reset                      outage
too large                  unknown answer
nested too deeply          unknown answer   outage: grokipedia, wikipedia
not UTF-8                  results, U+FFFD  results: grokipedia, wikipedia
"""


def engine(name: str, server: Any, attempts: int = 1) -> DdgsEngine:
    """An engine whose site is on this machine."""
    pages = PAGES[name]
    server.beside = pages.beside
    connection = Connection(addresses={pages.host: server.url.removesuffix("/html/")})
    retries = RetryPolicy(attempts=attempts, sleep=lambda _seconds: None)
    return DdgsEngine(name, retries, connection)


def test_outcomes() -> None:
    """A page without results is "no results" only by the mark of its site; refusals never are."""
    assert [*table()] == OUTCOMES.splitlines()


def test_every_engine_is_covered() -> None:
    """Facts, classes and pages are there for every engine that a config can name, but SerpApi."""
    names = {*SEARCH_ENGINES} - {"serpapi"}
    assert names == FACTS.keys() == ENGINES.keys() == PAGES.keys()


@pytest.mark.parametrize("name", PAGES)
def test_a_cassette_proves_a_search(name: str, scripted_engine: Any) -> None:
    """Playing the tape of a search, refused and reset before, gives the same results without a server."""
    http, pages = scripted_engine.http, PAGES[name]
    good = http(pages.results)
    scripted_engine.script(http("", "429 No", Retry_After="9"), scripted_engine.RESET, good)
    keywords, region = ("ducks & geese 鴨", "de-de" if name != "wikipedia" else "us-en")
    with taping() as tape:
        found = engine(name, scripted_engine, attempts=3).search(keywords, region)
    assert found == Hits(pages.hits)
    cassette = tape.cassette()
    assert cassette is not None
    player = CassettePlayer(cassette)
    unwaited = DdgsEngine(name, RetryPolicy(attempts=3, sleep=lambda _seconds: pytest.fail("waits")))
    with playing(player):
        played = unwaited.search(keywords, region)
    assert played == found
    assert player.left() == 0


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize(
    "region", ["x@evil.example/-y", "a.b-c", "de-de/../", "-", "", "wt-wt", "xx-zz", "DE-DE"]
)
def test_a_region_never_becomes_a_host(name: str, region: str, scripted_engine: Any) -> None:
    """Whatever a model writes as a region, only the engine's own site is asked."""
    scripted_engine.script(scripted_engine.http(PAGES[name].results))
    with taping() as tape:
        assert engine(name, scripted_engine).search("ducks", region) == Hits(PAGES[name].hits)
    assert {exchange.url.split("/")[2] for exchange in tape.exchanges} == {PAGES[name].host}


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("keywords", ["", " \n", "!", "d" * 500])
def test_a_query_that_no_engine_accepts(name: str, keywords: str, scripted_engine: Any) -> None:
    """For an empty or overlong query the model sees the release's text, without a request."""
    assert engine(name, scripted_engine).search(keywords, "wt-wt") == WebFailure(NOT_RETRIEVED)
    assert scripted_engine.asked == []


@pytest.mark.parametrize("name", PAGES)
def test_requests_are_the_same_again(name: str, scripted_engine: Any) -> None:
    """Nothing in a request is random: two searches send the same addresses and bodies."""
    sent = []
    for _ in range(2):
        scripted_engine.script(scripted_engine.http(PAGES[name].results))
        scripted_engine.asked.clear()
        with taping() as tape:
            engine(name, scripted_engine).search("ducks", "us-en")
        sent.append([(one.method, one.url, one.request_body) for one in tape.exchanges])
    assert sent[0] == sent[1]


def test_engines_that_ddgs_has_switched_off() -> None:
    """An engine is switched off if its class in ddgs says so: three of them."""
    assert [name for name in PAGES if DdgsEngine(name).switched_off] == ["bing", "google", "yandex"]


def with_other_hits(page: str, number: int) -> str:
    """The page with another first result, without its advertisements."""
    direct = re.sub(r'https://www\.bing\.com/ck/a\?[^"]*', "https://ducks.example/", page)
    return direct.replace("ducks.example", f"{number}.example")


@pytest.mark.parametrize("name", [name for name in PAGES if FACTS[name].pages > 1 and name != "duckduckgo"])
def test_pages_are_requested_until_the_last(name: str, scripted_engine: Any) -> None:
    """Each page is another request; the results of all pages are returned once, in order."""
    pages, most = PAGES[name], FACTS[name].pages
    scripted_engine.script(*(scripted_engine.http(with_other_hits(pages.results, n)) for n in range(9)))
    found = engine(name, scripted_engine).search("ducks", "us-en")
    assert isinstance(found, Hits)
    hosts = [hit.href.split("/")[2] for hit in found.hits]
    assert [host for host in hosts if host != "u.example"] == [f"{n}.example" for n in range(most)]
    assert hosts.count("u.example") <= 1
    requests = [tuple(asked.fields.items()) for asked in scripted_engine.asked]
    assert len({*requests}) == len(requests) == most


@pytest.mark.parametrize("name", ["mojeek", "startpage"])
def test_there_are_enough_results(name: str, scripted_engine: Any) -> None:
    """At 30 results no further page is requested, and no more are returned."""
    page = PAGES[name].results
    item = re.search(r"<(li|div class=.result css).*?(</li>|</p></div>)", page, re.DOTALL)
    assert item is not None
    many = "".join(item[0].replace("ducks.example", f"{n}.example") for n in range(40))
    scripted_engine.script(scripted_engine.http(page.replace(item[0], many)))
    found = engine(name, scripted_engine).search("ducks", "us-en")
    assert isinstance(found, Hits)
    assert len(scripted_engine.asked) == 1
    assert len(found.hits) == 30
