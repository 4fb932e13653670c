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


class Fine:
    """A web in which every page is there, but for one address."""

    def __init__(self):
        self.asked = []

    def search(self, keywords, region):
        return HITS

    def fetch(self, url):
        self.asked.append(url)
        return WebFailure("404 of its own") if url.endswith("/gone") else Page(f"page {url}")


@pytest.fixture(scope="module")
def templates(constants):
    """The texts of the release."""
    return constants.items("web_search", "ERROR_TEMPLATES")


@pytest.fixture
def faulty(templates):
    """A web with failures, of one conversation."""
    return lambda probability, seed=1, entry_id="web_search_base_0": Faulty(
        Fine(), probability, seed, entry_id, templates
    )


def outcomes(web, urls=URLS):
    return {url: web.fetch(url) for url in urls}


def test_probability_zero_is_the_web_itself(faulty):
    """With probability zero, no fetch fails."""
    assert outcomes(faulty(0)) == {url: Page(f"page {url}") for url in URLS}


def test_probability_one_always_fails(faulty):
    """With probability 1 every attempt fails."""
    web = faulty(1.0)
    assert all(isinstance(web.fetch(url), WebFailure) for url in URLS * 3)


def test_the_share_of_failures_matches_the_probability(faulty):
    """Of 400 pages with probability 0.3, about 120 fail."""
    failed = sum(isinstance(outcome, WebFailure) for outcome in outcomes(faulty(0.3)).values())
    assert 90 < failed < 150


def test_order_does_not_matter(faulty):
    """An attempt has the same outcome regardless of earlier fetches."""
    assert outcomes(faulty(0.5), reversed(URLS)) == outcomes(faulty(0.5))
    assert faulty(0.5).fetch(URLS[77]) == outcomes(faulty(0.5))[URLS[77]]


@pytest.mark.parametrize("other", [{"seed": 2}, {"entry_id": "web_search_no_snippet_0"}])
def test_seed_and_entry_matter(faulty, other):
    """Different seeds and different entries have different failures."""
    assert outcomes(faulty(0.5, **other)) != outcomes(faulty(0.5))


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


def test_the_model_sees_an_injected_failure_without_a_prefix(templates, constants):
    """A model sees the text of the release alone, and a real failure with the words before it."""
    config = WorldConfig(constants, web=Faulty(Fine(), 1, 1, "e", templates))
    world = World.of(["WebSearchAPI"], None, config, "model")
    injected, real = (
        json.loads(world.run(Call("fetch_url_content", {"url": url})))["error"]
        for url in (URLS[0], "https://tea.test/gone")
    )
    assert injected == Faulty(Fine(), 1, 1, "e", templates).fetch(URLS[0]).message
    assert real == "An error occurred while fetching https://tea.test/gone: 404 of its own"


def test_an_address_without_host_and_path(faulty):
    """If the URL has no host or path, the failure text is that of the release."""
    web = faulty(1)
    messages = {web.fetch("https://").message for _ in range(60)}
    assert any("host='unknown'" in message for message in messages)
    assert any("with url: / (" in message for message in messages)


def test_a_failure_of_the_web_stays(faulty):
    """A page that is not there fails with the web's own text, as it would without failures put in."""
    assert faulty(1).fetch("https://tea.test/gone") == WebFailure("404 of its own")


def test_a_page_that_is_made_to_fail_is_fetched(templates):
    """The page is fetched before it fails, so that the recorded outcomes do not depend on injected
    faults."""
    web = Fine()
    Faulty(web, 1, 1, "e", templates).fetch(URLS[0])
    assert web.asked == [URLS[0]]


def test_searches_never_fail(faulty):
    """A search is the web's own."""
    assert faulty(1).search("tea", "wt-wt") is HITS


def test_a_failure_of_the_machinery_passes(templates):
    """An exception of the web is raised, and not reported to the model as a failure text."""

    class Unrecorded(Fine):
        def fetch(self, url):
            raise NotRecorded(url)

    with pytest.raises(NotRecorded):
        Faulty(Unrecorded(), 1, 1, "e", templates).fetch(URLS[0])


@pytest.mark.parametrize("probability", [-0.1, 1.1, float("nan")])
def test_an_invalid_probability_is_rejected(templates, probability):
    """A value outside 0 to 1 is rejected."""
    with pytest.raises(ConfigError, match="probability"):
        Faulty(Fine(), probability, 1, "e", templates)


def test_no_texts():
    """Failures need a text."""
    with pytest.raises(ConfigError, match="0 texts"):
        Faulty(Fine(), 0.5, 1, "e", [])
