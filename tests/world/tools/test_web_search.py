"""The web tools: results of searches and pages as the model sees them."""

from __future__ import annotations

import ast
import json
from dataclasses import replace

import pytest

from bfcl_pipeline.base.errors import MalformedRelease, NotRecorded, WebError
from bfcl_pipeline.benchmark.records import Call
from bfcl_pipeline.world.tools import APIS, World, effects
from bfcl_pipeline.world.tools.api import MAX_RESULT
from bfcl_pipeline.world.tools.web_search.api import MAX_ASKED, NOTHING_FOUND
from bfcl_pipeline.world.tools.web_search.web import Hit, Hits, Page, WebFailure

LONG = "x" * MAX_ASKED
FAILED = "Error during execution: "
URL = "https://tea.test/wiki/Tea_(plant)"
HITS = Hits(tuple(Hit(f"Tea {n}", f"https://tea.test/{n}", f"about tea {n}") for n in range(12)))
PAGE = Page("<html><head><style>p {}</style></head><body><h1>Tea</h1><p>It grows.</p></body></html>")


class Scripted:
    """A web with a fixed outcome that records its requests."""

    def __init__(self, outcome=None):
        self.outcome = outcome
        self.asked = []

    def search(self, keywords, region):
        return self._answer((keywords, region), HITS)

    def fetch(self, url):
        return self._answer(url, PAGE)

    def _answer(self, asked, usual):
        self.asked.append(asked)
        outcome = usual if self.outcome is None else self.outcome
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


@pytest.fixture
def world(setting):
    """A world with the web tools over a web."""
    return lambda web, aliases=None, **state: World.of(
        ["WebSearchAPI"], {"WebSearchAPI": state}, replace(setting, web=web, aliases=aliases or {}), "me"
    )


def search(keywords="tea", **more):
    return Call("search_engine_query", {"keywords": keywords, **more})


def fetch(url=URL, **more):
    return Call("fetch_url_content", {"url": url, **more})


def results(count):
    """The first results, as they are printed."""
    return str([{"title": hit.title, "href": hit.href, "body": hit.body} for hit in HITS.hits[:count]])


def error(text):
    return json.dumps({"error": text})


def of_page(text):
    return error(f"An error occurred while fetching {URL}: {text}")


SLICE = f"{FAILED}slice indices must be integers or None or have an __index__ method"
TOO_LONG = f"{FAILED}the web is asked for no more than {MAX_ASKED:,} characters"
TEA = ("tea", "wt-wt")
GONE = WebFailure(f"404 Client Error: Not Found for url: {URL}")

CALLS = [
    # A search returns ten results by default; max_results slices them like a Python list.
    (search(), None, results(10), TEA),
    *((search(max_results=most), None, results(count), TEA)
      for most, count in ((3, 3), (0, 0), (50, 12), (None, 12), (-2, 10), (True, 1))),
    *((search(max_results=most), None, SLICE, TEA) for most in ("3", 2.5, [1])),
    # The web receives the keywords as text, and the region, or the default region.
    (search(region="us-en"), None, results(10), ("tea", "us-en")),
    (search(region=None), None, results(10), TEA),
    (search(2024), None, results(10), ("2024", "wt-wt")),
    # A search without keywords is not sent; its result is that of a search without results.
    *((search(keywords), None, error(NOTHING_FOUND), None) for keywords in (None, "", " \n")),
    (search(), Hits(()), error(NOTHING_FOUND), TEA),
    (search(), WebFailure("no such region"), error("no such region"), TEA),
    # A page is its HTML, Markdown, or plain text; an unknown mode is an error after it was fetched.
    (fetch(), None, json.dumps({"content": PAGE.text}), URL),
    (fetch(mode="markdown"), None, json.dumps({"content": "# Tea\n\nIt grows.\n\n"}), URL),
    (fetch(mode="truncate"), None, json.dumps({"content": "Tea\nIt grows."}), URL),
    *((fetch(mode=mode), None, of_page(f"Unsupported mode: {mode}"), URL)
      for mode in ("html", None, ["raw"])),
    # The failure of a page precedes an unknown mode; any other exception of a fetch is a text as well.
    (fetch(mode="html"), GONE, of_page(GONE.message), URL),
    (fetch(), ValueError("Invalid IPv6 URL"), of_page("Invalid IPv6 URL"), URL),
    # An address that does not start with http:// or https:// fails without a request.
    *((fetch(url), None, f"{FAILED}Invalid URL: {url}", None)
      for url in ("tea.test", "ftp://tea.test", "", "HTTPS://tea.test", " https://tea.test")),
    (fetch(7), None, f"{FAILED}'int' object has no attribute 'startswith'", None),
    # The length of a request to the web is bounded.
    (search(LONG + "x"), None, TOO_LONG, None),
    (search(region=LONG + "x"), None, TOO_LONG, None),
    (fetch(f"https://{LONG}"), None, TOO_LONG, None),
]  # fmt: skip
"""Calls, the outcome of the web (None: results or a page), their results, and what the web is asked."""


@pytest.mark.parametrize(("call", "outcome", "text", "asked"), CALLS, ids=range(len(CALLS)))
def test_results(world, call, outcome, text, asked):
    """Each call has its result, and asks the web once, or not at all."""
    web = Scripted(outcome)
    assert world(web).run(call) == text
    assert web.asked == ([] if asked is None else [asked])


def test_without_snippets(world):
    """If snippets are off, no result has a body; that is the whole state, and no call changes it."""
    small = world(Scripted(), show_snippet=False)
    before = str(small.states())
    shown = ast.literal_eval(small.run(search()))
    small.run(fetch())
    assert shown == [{"title": hit.title, "href": hit.href} for hit in HITS.hits[:10]]
    assert before == str(small.states()) == "{'WebSearchAPI': WebSearchState(show_snippet=False)}"


def test_a_long_page_fails(world):
    """A page longer than the bound on results fails with that reason."""
    assert "is too long" in world(Scripted(Page("x" * MAX_RESULT))).run(fetch())


@pytest.mark.parametrize("call", [search(), fetch()])
def test_no_web(world, call):
    """Without a web a call stops the conversation and names the configuration key to set."""
    with pytest.raises(WebError, match="`web`"):
        world(None).run(call)


@pytest.mark.parametrize("call", [fetch(), search(fetch())])
def test_an_infrastructure_failure_is_raised(world, call):
    """An infrastructure failure is raised through the tool and the world, also from a nested call."""
    with pytest.raises(NotRecorded, match="no outcome"):
        world(Scripted(NotRecorded("no outcome"))).run(call)


def test_a_damaged_state(world):
    """An initial state of another type is an error of the release."""
    with pytest.raises(MalformedRelease, match="show_snippet"):
        world(None, show_snippet="yes")


@pytest.mark.parametrize(
    ("category", "shown"), [("web_search_base", True), ("web_search_no_snippet", False)]
)
def test_the_entries(entries, setting, category, shown):
    """The entries of the benchmark offer exactly these methods, with snippets or without."""
    for entry in entries(category):
        assert [doc["name"] for doc in entry.functions] == list(effects(APIS["WebSearchAPI"]))
        world = World.of(entry.apis, entry.initial_state, setting, "me")
        assert world.states()["WebSearchAPI"].show_snippet is shown


def test_another_name(world):
    """A method can be called by an alias; an alias of a missing method has no effect."""
    aliases = {"duckduckgo_search": "search_engine_query", "other": "ls"}
    small, call = world(Scripted(), aliases), search()
    assert small.run(replace(call, name="duckduckgo_search")) == small.run(call)
    assert small.run(replace(call, name="other")) == f"{FAILED}name 'other' is not defined"
    assert "duckduckgo_search" in world(Scripted()).run(replace(call, name="duckduckgo_search"))


def test_another_name_within_a_call(world):
    """An alias works in nested calls, and is not rewritten in texts."""
    web = Scripted()
    inner = Call("duckduckgo_search", {"keywords": "a", "max_results": 1})
    small = world(web, {"duckduckgo_search": "search_engine_query"})
    small.run(search(inner))
    assert web.asked[1][0] == str([{"title": "Tea 0", "href": "https://tea.test/0", "body": "about tea 0"}])
