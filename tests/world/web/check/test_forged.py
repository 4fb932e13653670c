"""Outcomes and cassettes that were edited so that all hashes are right."""

import hashlib
import json

import pytest

from bfcl_pipeline.world.web.check import check_cache
from bfcl_pipeline.world.web.keys import FetchKey, SearchKey, key_document

from .conftest import SECRET

TITLE, LINK, SNIPPET = "title of result", "address of result", "snippet of result"
SLASH = "https://sencha.example/?a=1&b=/"
FAILURE, EMPTY = {"kind": "failure", "message": "no"}, {"kind": "hits", "hits": []}


def _page(text):
    return {"kind": "page", "text": text}


def _answer(status, cases):
    return {"kind": "answer", "status": status, "body": f'{{"cases": {cases}}}'}


def _set(position, field, text):
    return lambda hits: hits[position].update({field: text})


@pytest.mark.parametrize(
    ("name", "edit", "said"),
    [
        ("search", _set(0, "title", "oolong!"), f'{TITLE} 1 is "oolong!", in its cassette "oolong"'),
        ("search", _set(1, "href", "https://evil.example/"), f"{LINK} 2 is"),
        ("search", _set(1, "href", SLASH), f"{LINK} 2 is"),
        ("search", _set(0, "body", ""), f"{SNIPPET} 1 is"),
        ("search", lambda hits: hits.reverse(), "results are in another order"),
        ("search", lambda hits: hits.pop(), "number of results is 1, in"),
        ("search", lambda hits: hits.append(hits[0]), "number of results is 3, in its cassette 2"),
        ("search", EMPTY, "number of results is 0"),
        ("search", FAILURE, "outcome is a failure, its cassette leads to results"),
        ("search without results", FAILURE, "outcome is a failure, its cassette leads to results"),
        ("search that is not accepted", FAILURE, 'text of the failure is "no"'),
        ("search by DuckDuckGo", _set(0, "title", "black tea"), f"{TITLE} 1 is"),
        ("search by DuckDuckGo", _set(1, "href", SLASH), f"{LINK} 2"),
        ("search by DuckDuckGo", _set(1, "body", "More."), f"{SNIPPET} 2 is"),
        ("search after a reset", lambda hits: hits.pop(0), "number of results is 1, in its cassette 2"),
        ("empty search", EMPTY, "leads to a failure"),
        ("page", _page("<p>tea</p>"), "text of the page is"),
        ("page with a secret", _page("<p>Your secret0123456789abcde.</p>"), "text of the page is"),
        ("page after a redirect", _page(f"<a href='/other?sid={SECRET}'>next</a>"), "text of the page is"),
        ("missing page", {**FAILURE, "message": "410 Client Error"}, "text of the failure is"),
        ("missing page", _page("no"), "outcome is a page, its cassette leads to a failure"),
        ("reset", FAILURE, "text of the failure is"),
        ("answer of an API", _answer(404, 7), 'HTTP status is "404", in its cassette "200"'),
        ("answer of an API", _answer(200, 8), "body is"),
        ("no address", _page("Anything."), "outcome is a page, its cassette leads to a failure"),
    ],
)
def test_an_edited_outcome_is_named(recorded, name, edit, said):
    """An outcome that says something else than its cassette is a contradiction, with what differs."""
    outcome = recorded.document(name)["outcome"]
    if callable(edit):
        edit(outcome["hits"])
    recorded.rewrite(name, outcome=outcome if callable(edit) else edit)
    check = check_cache(recorded.cache)
    (line,) = check.contradictions
    assert check.failed
    assert line.startswith(f"{recorded.path(name)}: ")
    assert said in line
    assert check.damaged == check.undecided == check.missing == []


def test_an_outcome_that_claims_that_nothing_was_sent_is_named(recorded):
    """Without its cassette, an outcome for which its reader sends a request is a contradiction."""
    recorded.rewrite("page", cassette=None, cassette_sha256=None)
    (line,) = check_cache(recorded.cache).contradictions
    assert "nothing was sent for it" in line


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("search", b"oolong", b"lapsang", 'in its cassette "lapsang"'),
        ("search", b"green+tea", b"black+tea", "has other requests"),
        ("search", b"us-en", b"uk-en", "has other requests"),
        ("search", b"code: 503", b"code: 401", "leads to no outcome"),
        ("search", b"code: 200", b"code: 503", "has other requests"),
        ("search", b"serpapi.com", b"example.com", "has other requests"),
        ("search by DuckDuckGo", b"q=black", b"q=green", "other requests"),
        ("search by DuckDuckGo", b"l=us-en", b"l=uk-en", "other requests"),
        ("search by DuckDuckGo", b"code: 202", b"code: 404", "no outcome"),
        ("search after a reset", b"oolong", b"lapsang", "title of result 1"),
        ("search after a reset", b"html.duckduckgo", b"web.duckduckgo", "other requests"),
        ("page", b"more", b"less", "text of the page"),
        ("page", b"code: 200", b"code: 500", "leads to a failure"),
        ("page", b"text/html", b"image/png", "leads to a failure"),
        ("missing page", b"code: 404", b"code: 403", "text of the failure"),
        ("reset", b"html/reset", b"html/other", "has 1 request"),
        ("answer of an API", b"Fiji", b"Peru", "has other requests"),
        ("answer of an API", b"cases", b"deads", "body is"),
        ("page", None, b"interactions: []\nversion: 1\n", "has other requests"),
        ("page", None, b"no cassette", "cannot be read"),
    ],
)
def test_an_edited_cassette_is_named(recorded, name, old, new, said):
    """A cassette that holds something else than the outcome (old: None: nothing else than `new`) is a
    contradiction, with what differs."""
    recorded.rewrite_cassette(name, lambda content: new if old is None else content.replace(old, new))
    check = check_cache(recorded.cache)
    (line,) = check.contradictions
    assert line.startswith(f"{recorded.path(name)}: ")
    assert said in line


def test_an_answer_that_nobody_requests_is_named(recorded):
    """A cassette with one answer more than its reader asks for is a contradiction."""
    more = recorded.cassette("missing page").read_text().split("interactions:\n")[1].split("version:")[0]
    recorded.rewrite_cassette(
        "page", lambda content: content.replace(b"version: 1", more.encode() + b"version: 1")
    )
    (line,) = check_cache(recorded.cache).contradictions
    assert "has 1 request that its reader does not make" in line


def test_exchanged_outcomes_are_named(recorded):
    """Two outcomes that were exchanged are both contradictions."""
    first, second = (recorded.document(name)["outcome"] for name in ("page", "missing page"))
    recorded.rewrite("page", outcome=second)
    recorded.rewrite("missing page", outcome=first)
    check = check_cache(recorded.cache)
    assert len(check.contradictions) == 2
    assert check.damaged == []


def test_exchanged_cassettes_are_named(recorded):
    """Two cassettes that were exchanged are damage; with hashes that fit, they are contradictions."""
    first, second = (recorded.cassette(name) for name in ("page", "missing page"))
    contents = first.read_bytes(), second.read_bytes()
    first.write_bytes(contents[1])
    second.write_bytes(contents[0])
    check = check_cache(recorded.cache)
    assert [str(path) in "".join(check.damaged) for path in (first, second)] == [True, True]
    recorded.rewrite("page", cassette_sha256=hashlib.sha256(contents[1]).hexdigest())
    recorded.rewrite("missing page", cassette_sha256=hashlib.sha256(contents[0]).hexdigest())
    check = check_cache(recorded.cache)
    assert (len(check.contradictions), check.damaged) == (2, [])


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("search", SearchKey("green tea", "uk-en")),
        ("search", SearchKey("black tea", "us-en")),
        ("page", FetchKey("http://other.example/")),
    ],
)
def test_an_outcome_of_another_request_is_named(recorded, name, key):
    """An outcome with its cassette that is filed under another region, query or address is found."""
    document = json.loads(recorded.path(name).read_bytes())
    old = recorded.path(name)
    new = recorded.cache.path(key)
    renamed = document["cassette"].replace(old.stem, new.stem)
    recorded.rewrite(name, key=key_document(key), cassette=renamed)
    new.parent.mkdir(parents=True, exist_ok=True)
    old.with_name(document["cassette"]).rename(new.with_name(renamed))
    old.rename(new)
    (line,) = check_cache(recorded.cache).contradictions
    assert "its cassette has other requests" in line
