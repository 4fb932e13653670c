"""Injected failures of fetches."""

from __future__ import annotations

import json
import re

import pytest

from bfcl_pipeline.base.errors import ConfigError, NotRecorded
from bfcl_pipeline.benchmark.records import Call
from bfcl_pipeline.world.tools import World, WorldConfig
from bfcl_pipeline.world.tools.web_search.web import Hit, Hits, Page, WebFailure
from bfcl_pipeline.world.web.presented import Faulty

HITS = Hits((Hit("Tea", "https://tea.test/a", "of tea"),))
URLS = [f"https://tea.test/{number}" for number in range(400)]
GONE = "https://tea.test/gone"


class Fine:
    """A web in which every page is there, but for two addresses."""

    def __init__(self):
        self.asked = []

    def search(self, keywords, region):
        return HITS

    def fetch(self, url):
        self.asked.append(url)
        if url.endswith("/unrecorded"):
            raise NotRecorded(url)
        return WebFailure("404 of its own") if url == GONE else Page(f"page {url}")


@pytest.fixture(scope="module")
def templates(constants):
    """The texts of the release."""
    return constants.items("web_search", "ERROR_TEMPLATES")


@pytest.fixture
def faulty(templates):
    """A web with failures, of one conversation."""
    return lambda probability, seed=1, entry_id="web_search_base_0", web=None: Faulty(
        web or Fine(), probability, seed, entry_id, templates
    )


def failed(web, urls=URLS):
    """The addresses whose fetch fails, in the order of URLS."""
    return sorted((url for url in urls if isinstance(web.fetch(url), WebFailure)), key=URLS.index)


@pytest.mark.parametrize(
    ("probability", "least", "most"), [(0, 0, 0), (0.3, 91, 149), (0.5, 160, 240), (1, 400, 400)]
)
def test_the_share_of_failures_matches_the_probability(faulty, probability, least, most):
    """Of 400 pages; without a failure the page is that of the web."""
    assert least <= len(failed(faulty(probability))) <= most
    assert faulty(0).fetch(URLS[0]) == Page(f"page {URLS[0]}")


def test_failures_depend_on_seed_entry_and_address_alone(faulty):
    """An attempt has the same outcome regardless of earlier fetches; another seed or entry has others."""
    found = failed(faulty(0.5))
    assert failed(faulty(0.5), [*reversed(URLS)]) == found
    assert isinstance(faulty(0.5).fetch(URLS[77]), WebFailure) == (URLS[77] in found)
    assert failed(faulty(0.5, seed=2)) != found
    assert failed(faulty(0.5, entry_id="web_search_no_snippet_0")) != found


def test_a_retry_can_succeed(faulty):
    """Attempts are independent: with probability 0.5, ten attempts fetch nearly every page."""
    web = faulty(0.5)
    came = {url for url in URLS * 10 if isinstance(web.fetch(url), Page)}
    assert len(came) >= len(URLS) - 3


def test_the_texts_of_the_release(faulty):
    """All six texts occur, filled with the address, its host, its path and ids as of objects."""
    host, url = "en.wikipedia.org", "https://en.wikipedia.org/wiki/Tea"
    web, an_id = faulty(1), "0x[1-9a-f][0-9a-f]{7}"
    expected = [
        f"503 Server Error: Service Unavailable for url: {url}",
        f"429 Client Error: Too Many Requests for url: {url}",
        f"403 Client Error: Forbidden for url: {url}",
        rf"HTTPSConnectionPool\(host='{host}', port=443\): Max retries exceeded with url: /wiki/Tea "
        rf"\(Caused by ConnectTimeoutError\(<urllib3.connection.HTTPSConnection object at {an_id}>, "
        rf"'Connection to {host} timed out. \(connect timeout=5\)'\)\)",
        rf"HTTPSConnectionPool\(host='{host}', port=443\): Read timed out. \(read timeout=5\)",
        rf"Max retries exceeded with url: /wiki/Tea \(Caused by NewConnectionError\('<urllib3.connection."
        rf"HTTPSConnection object at {an_id}>: Failed to establish a new connection: \[Errno -2\] Name or "
        r"service not known'\)\)",
    ]
    messages = [web.fetch(url).message for _ in range(60)]
    kinds = [[bool(re.fullmatch(text, message)) for text in expected] for message in messages]
    assert all(sum(kind) == 1 for kind in kinds)
    assert all(any(kind[number] for kind in kinds) for number in range(6))
    bare = {web.fetch("https://").message for _ in range(60)}  # neither host nor path
    assert any("host='unknown'" in message for message in bare)
    assert any("with url: / (" in message for message in bare)


def test_the_model_sees_an_injected_failure_without_a_prefix(faulty, constants):
    """A model sees the text of the release alone, and a real failure with the words before it."""
    config = WorldConfig(constants, web=faulty(1))
    world = World.of(["WebSearchAPI"], None, config, "model")
    injected, real = (
        json.loads(world.run(Call("fetch_url_content", {"url": url})))["error"] for url in (URLS[0], GONE)
    )
    assert injected == faulty(1).fetch(URLS[0]).message
    assert real == f"An error occurred while fetching {GONE}: 404 of its own"


def test_the_web_is_asked_whatever_fails(faulty):
    """A page that is made to fail is fetched, so that the record does not depend on injected faults. A
    failure of the web keeps its text, one of the machinery is raised, and searches never fail."""
    web = Fine()
    broken = faulty(1, web=web)
    assert broken.fetch(GONE) == WebFailure("404 of its own")
    broken.fetch(URLS[0])
    with pytest.raises(NotRecorded):
        broken.fetch("https://tea.test/unrecorded")
    assert web.asked == [GONE, URLS[0], "https://tea.test/unrecorded"]
    assert broken.search("tea", "wt-wt") is HITS


@pytest.mark.parametrize(
    ("probability", "texts", "said"),
    [(-0.1, ["x"], "probability"), (1.1, ["x"], "probability"), (float("nan"), ["x"], "probability"),
     (0.5, [], "0 texts")],
)  # fmt: skip
def test_what_cannot_be_injected_is_rejected(probability, texts, said):
    """A value outside 0 to 1, and failures without a text."""
    with pytest.raises(ConfigError, match=said):
        Faulty(Fine(), probability, 1, "e", texts)
