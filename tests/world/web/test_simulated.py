"""The simulated web, built from the hops of the web questions."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from dataclasses import replace
from html import unescape

import pytest

from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.benchmark.records import Entry
from bfcl_pipeline.world.tools.web_search.web import Hits, Page, WebFailure
from bfcl_pipeline.world.web.simulated import MAX_HITS, NOTICE, SNIPPET_LENGTH, Hop, SimulatedWeb, hops

TEA = {"subquestion": "Most expensive tea", "answer": " Da Hong  Pao ", "source": "https://tea.test/a#top"}
LAND = {"subquestion": "Land of Da Hong Pao", "answer": "China <3 & co", "source": "https://tea.test/b?x=1"}

MAKING = """
import json, sys
from bfcl_pipeline.benchmark.records import Entry
from bfcl_pipeline.world.web.simulated import SimulatedWeb
source = json.loads(sys.argv[1])
web = SimulatedWeb.of(Entry(str(n), "web_search_base", (), (), source=source[:n]) for n in range(3))
assert len(web.pages) == 4
print(list(web.pages.items()), web.search("tea", "wt-wt"))
"""


def asking(*source):
    """A web question with these hops."""
    return Entry("web_search_base_0", "web_search_base", (), (), source=list(source))


@pytest.fixture(scope="module")
def questions(entries):
    """All web questions."""
    return entries("web_search_base") + entries("web_search_no_snippet")


@pytest.fixture(scope="module")
def web(questions):
    """The web of all of them."""
    return SimulatedWeb.of(questions)


def found(web, keywords):
    """The addresses that a search finds, best first."""
    return [hit.href for hit in web.search(keywords, "wt-wt").hits]


# Hops and pages


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            [TEA, LAND],
            (
                Hop("Most expensive tea", "Da Hong Pao", "https://tea.test/a"),
                Hop("Land of Da Hong Pao", "China <3 & co", "https://tea.test/b?x=1"),
            ),
        ),
        *((source, ()) for source in (None, "as the user said", {}, [])),
    ],
)
def test_hops(source, expected):
    """A hop is a sub-question, its answer and the URL of its page, each without surrounding text; an entry
    that is not a web question has none."""
    assert hops(replace(asking(), source=source)) == expected


@pytest.mark.parametrize("damaged", ["text", {}, {**TEA, "answer": None}])
def test_damaged_hops(damaged):
    """An incomplete hop is an error of the release that names the entry."""
    with pytest.raises(MalformedRelease, match="web_search_base_0"):
        hops(asking(TEA, damaged))


def test_every_hop_has_its_page(web, questions):
    """Each question has hops, and each hop a page, also by its address with a fragment."""
    for entry in questions:
        assert len(hops(entry)) >= 2
        for hop, source in zip(hops(entry), entry.source, strict=True):
            page = web.fetch(hop.url)
            assert isinstance(page, Page)
            assert web.fetch(source["source"].strip()) == page


def test_a_page():
    """It has its sub-question and its answer, escaped, states that it is simulated, and links to the page
    of the next hop."""
    small = SimulatedWeb.of([asking(TEA, LAND)])
    first, last = (small.fetch(f"https://tea.test/{path}").text for path in ("a", "b?x=1"))
    assert "<h2>Most expensive tea</h2>\n<p>The answer is “Da Hong Pao”.</p>" in first
    assert '<a href="https://tea.test/b?x=1">' in first
    assert "“China &lt;3 &amp; co”" in last


def test_links_lead_somewhere(web):
    """A page links to pages of this web only, and none can be taken for the real one."""
    assert all(NOTICE in html for html in web.pages.values())
    linked = {
        unescape(href) for html in web.pages.values() for href in re.findall('<a href="([^"]*)"', html)
    }
    assert linked
    assert linked <= set(web.pages)


@pytest.mark.parametrize(
    "url", ["https://nowhere.test/", "http://[", "https://", "https://en.wikipedia.org/wiki/" + "x" * 9_000]
)
def test_an_unknown_page(web, url):
    """Fetching a page outside this web fails as for a missing page."""
    assert web.fetch(url) == WebFailure(f"404 Client Error: Not Found for url: {url}")


# Search


def test_a_subquestion_finds_its_page(web, questions):
    """Searching for a sub-question brings its page among the first three, nearly always first."""
    ranks = [found(web, hop.subquestion).index(hop.url) for entry in questions for hop in hops(entry)]
    assert max(ranks) <= 2
    assert ranks.count(0) > 0.97 * len(ranks)


def test_a_whole_question_finds_the_first_hop(web, questions):
    """Pasting a question finds mostly the page of its first hop, seldom that of its last."""
    best = [(found(web, entry.turns[0][-1]["content"])[0], hops(entry)) for entry in questions]
    assert sum(url == chain[0].url for url, chain in best) > 0.8 * len(questions)
    assert sum(url == chain[-1].url for url, chain in best) < 0.1 * len(questions)


def test_some_snippets_keep_the_answer_back(web, questions):
    """Of many pages the answer can be read in the snippet, of many only on the page."""
    shown = {True: 0, False: 0}
    for hop in {hop for entry in questions for hop in hops(entry)}:
        snippets = {hit.href: hit.body for hit in web.search(hop.subquestion, "wt-wt").hits}
        shown[f"“{hop.answer}”" in snippets[hop.url]] += 1
    assert min(shown.values()) > 100


@pytest.mark.parametrize("keywords", ["", " ", "?!", "zzyzzyzzy"])
def test_nothing_found(web, keywords):
    """A search for words that occur on no page has no results."""
    assert web.search(keywords, "wt-wt") == Hits(())


def test_a_search_is_bounded(web):
    """The number and length of results are limited, also for many words and for words on all pages."""
    hits = web.search("the who what is answer " * 20_000, "us-en").hits
    assert len(hits) == MAX_HITS
    assert max(len(hit.body) for hit in hits) <= SNIPPET_LENGTH


def test_a_search_finds_pages_without_an_answer_too(web):
    """Some pages contain a question without its answer."""
    assert any(NOTICE in web.pages[url] and ".example/" in url for url in found(web, "most expensive tea"))


def test_an_empty_web():
    """Entries that are not web questions make an empty web."""
    web = SimulatedWeb.of([asking(), replace(asking(), source="as the user said")])
    assert web.search("tea", "wt-wt") == Hits(())
    assert isinstance(web.fetch("https://tea.test/a"), WebFailure)


# The same for all


def test_the_order_of_entries_does_not_matter(web, questions):
    """Entries in any order, once or twice, make the same web, to the byte."""
    shuffled = random.Random(7).sample(questions, len(questions))
    other = SimulatedWeb.of([*shuffled, *shuffled[:9]])
    assert list(other.pages.items()) == list(web.pages.items())
    asked = [hop.subquestion for entry in questions[:20] for hop in hops(entry)]
    assert [other.search(one, "wt-wt") for one in asked] == [web.search(one, "wt-wt") for one in asked]


def test_hashes_of_python_do_not_matter():
    """Two processes with different hash seeds build byte-identical webs."""
    made = {
        subprocess.run(  # a small process of this same interpreter
            [sys.executable, "-c", MAKING, json.dumps([TEA, LAND])],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            timeout=60,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(made) == 1
