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

FAILED = "Error during execution: "
URL = "https://tea.test/wiki/Tea_(plant)"
HITS = Hits(tuple(Hit(f"Tea {n}", f"https://tea.test/{n}", f"about tea {n}") for n in range(12)))
PAGE = Page("<html><head><style>p {}</style></head><body><h1>Tea</h1><p>It grows.</p></body></html>")


class Scripted:
    """A web with a fixed outcome that records its requests."""

    def __init__(self, found=HITS, page=PAGE):
        self.found, self.page = found, page
        self.asked = []

    def search(self, keywords, region):
        self.asked.append((keywords, region))
        return self.found

    def fetch(self, url):
        self.asked.append(url)
        if isinstance(self.page, Exception):
            raise self.page
        return self.page


@pytest.fixture
def world(setting):
    """A world with the web tools over a web."""
    return lambda web, aliases=None, **state: World.of(
        ["WebSearchAPI"], {"WebSearchAPI": state}, replace(setting, web=web, aliases=aliases or {}), "me"
    )


@pytest.fixture
def search(world):
    """The text of a search in a scripted web."""
    return lambda web=None, show_snippet=True, **arguments: world(
        web or Scripted(), show_snippet=show_snippet
    ).run(Call("search_engine_query", arguments))


@pytest.fixture
def fetch(world):
    """The text of a fetch from a scripted web."""
    return lambda page=PAGE, **arguments: world(Scripted(page=page)).run(
        Call("fetch_url_content", arguments)
    )


# Searches


def test_ten_results(search):
    """A search returns ten results by default, each with title, href and body."""
    shown = ast.literal_eval(search(keywords="tea"))
    assert len(shown) == 10
    assert shown[0] == {"title": "Tea 0", "href": "https://tea.test/0", "body": "about tea 0"}
    assert [list(one) for one in shown] == [["title", "href", "body"]] * 10


def test_without_snippets(search):
    """If snippets are off, no result has a body."""
    shown = ast.literal_eval(search(keywords="tea", show_snippet=False))
    assert shown[0] == {"title": "Tea 0", "href": "https://tea.test/0"}
    assert not any("body" in one for one in shown)


@pytest.mark.parametrize(("most", "count"), [(3, 3), (0, 0), (50, 12), (None, 12), (-2, 10), (True, 1)])
def test_how_many(search, most, count):
    """max_results slices the results like a Python list: None takes all, a negative number omits some."""
    assert len(ast.literal_eval(search(keywords="tea", max_results=most))) == count


@pytest.mark.parametrize("most", ["3", 2.5, [1]])
def test_an_invalid_number_of_results(search, most):
    """A max_results that cannot slice a list fails with Python's message."""
    text = search(keywords="tea", max_results=most)
    assert text == f"{FAILED}slice indices must be integers or None or have an __index__ method"


@pytest.mark.parametrize(
    ("arguments", "asked"),
    [
        ({"keywords": "tea"}, ("tea", "wt-wt")),
        ({"keywords": "tea", "region": "us-en"}, ("tea", "us-en")),
        ({"keywords": "tea", "region": None}, ("tea", "wt-wt")),
        ({"keywords": 2024}, ("2024", "wt-wt")),
    ],
)
def test_the_keywords_and_region_of_a_search(world, arguments, asked):
    """The web receives the keywords as text, and the region, or the default region."""
    web = Scripted()
    world(web).run(Call("search_engine_query", arguments))
    assert web.asked == [asked]


@pytest.mark.parametrize("keywords", [None, "", " \n"])
def test_no_keywords(world, keywords):
    """A search without keywords is not sent; its result is the search engine's refusal."""
    web = Scripted()
    text = world(web).run(Call("search_engine_query", {"keywords": keywords}))
    assert (json.loads(text), web.asked) == ({"error": NOTHING_FOUND}, [])


def test_nothing_found(search):
    """A search without results has the release's error, which suggests another attempt."""
    assert json.loads(search(Scripted(found=Hits(())), keywords="tea")) == {"error": NOTHING_FOUND}


def test_a_failed_search(search):
    """A failure of a search that the model sees is an error with that text."""
    assert json.loads(search(Scripted(found=WebFailure("no such region")), keywords="tea")) == {
        "error": "no such region"
    }


# Pages


def test_a_raw_page(fetch):
    """Without a mode a page is its HTML."""
    assert json.loads(fetch(url=URL)) == {"content": PAGE.text}


@pytest.mark.parametrize(
    ("mode", "text"), [("markdown", "# Tea\n\nIt grows.\n\n"), ("truncate", "Tea\nIt grows.")]
)
def test_a_page_as_text(fetch, mode, text):
    """A page is Markdown or plain text in those modes."""
    assert json.loads(fetch(url=URL, mode=mode)) == {"content": text}


@pytest.mark.parametrize("mode", ["html", None, ["raw"]])
def test_another_mode(fetch, mode):
    """An unknown mode is an error after the page was fetched."""
    expected = f"An error occurred while fetching {URL}: Unsupported mode: {mode}"
    assert json.loads(fetch(url=URL, mode=mode)) == {"error": expected}


def test_a_page_that_fails(fetch):
    """The failure of a page precedes an unknown mode, with the web's text."""
    failure = WebFailure(f"404 Client Error: Not Found for url: {URL}")
    expected = f"An error occurred while fetching {URL}: {failure.message}"
    assert json.loads(fetch(failure, url=URL, mode="html")) == {"error": expected}


@pytest.mark.parametrize("url", ["tea.test", "ftp://tea.test", "", "HTTPS://tea.test", " https://tea.test"])
def test_an_invalid_url(world, url):
    """A URL that does not start with http:// or https:// fails without a request."""
    web = Scripted()
    text = world(web).run(Call("fetch_url_content", {"url": url}))
    assert (text, web.asked) == (f"{FAILED}Invalid URL: {url}", [])


def test_a_url_that_is_not_text(fetch):
    """A URL that is not a string fails with Python's message."""
    assert fetch(url=7) == f"{FAILED}'int' object has no attribute 'startswith'"


# Failures of the machinery


@pytest.mark.parametrize(
    "call", [Call("search_engine_query", {"keywords": "tea"}), Call("fetch_url_content", {"url": URL})]
)
def test_no_web(world, call):
    """Without a web a call stops the conversation and names the configuration key to set."""
    with pytest.raises(WebError, match="`web`"):
        world(None).run(call)


def test_an_infrastructure_failure_is_raised(world):
    """An infrastructure failure is raised through the tool and the world, also from a nested call."""
    lost = world(Scripted(page=NotRecorded("no outcome")))
    inner = Call("fetch_url_content", {"url": URL})
    for call in (inner, Call("search_engine_query", {"keywords": inner})):
        with pytest.raises(NotRecorded, match="no outcome"):
            lost.run(call)


def test_any_other_exception_of_a_page_is_a_text(fetch):
    """Any other exception of a fetch is an error text, as in the release."""
    expected = f"An error occurred while fetching {URL}: Invalid IPv6 URL"
    assert json.loads(fetch(ValueError("Invalid IPv6 URL"), url=URL)) == {"error": expected}


# Bounds


def test_a_long_request_is_not_sent(world):
    """The length of a request to the web is bounded."""
    web, long = Scripted(), "x" * MAX_ASKED
    for call in (
        Call("search_engine_query", {"keywords": long + "x"}),
        Call("search_engine_query", {"keywords": "tea", "region": long + "x"}),
        Call("fetch_url_content", {"url": f"https://{long}"}),
    ):
        assert world(web).run(call).startswith(f"{FAILED}the web is asked for no more than")
    assert web.asked == []


def test_a_long_page_fails(fetch):
    """A page longer than the bound on results fails with that reason."""
    assert "is too long" in fetch(Page("x" * MAX_RESULT), url=URL)


# State and names


def test_the_state_stays(world):
    """Whether snippets are shown is the whole state, and no call changes it."""
    small = world(Scripted(), show_snippet=False)
    before = str(small.states())
    small.run(Call("search_engine_query", {"keywords": "tea"}))
    small.run(Call("fetch_url_content", {"url": URL}))
    assert before == str(small.states()) == "{'WebSearchAPI': WebSearchState(show_snippet=False)}"


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
    small, call = world(Scripted(), aliases), Call("search_engine_query", {"keywords": "tea"})
    assert small.run(replace(call, name="duckduckgo_search")) == small.run(call)
    assert small.run(replace(call, name="other")) == f"{FAILED}name 'other' is not defined"
    assert "duckduckgo_search" in world(Scripted()).run(replace(call, name="duckduckgo_search"))


def test_another_name_within_a_call(world):
    """An alias works in nested calls, and is not rewritten in texts."""
    web = Scripted()
    inner = Call("duckduckgo_search", {"keywords": "a", "max_results": 1})
    small = world(web, {"duckduckgo_search": "search_engine_query"})
    small.run(Call("search_engine_query", {"keywords": inner}))
    assert web.asked[1][0] == str([{"title": "Tea 0", "href": "https://tea.test/0", "body": "about tea 0"}])
