"""Outcomes and cassettes that were edited so that all hashes are right."""

import hashlib
import json

import pytest

from bfcl_pipeline.world.web.check import check_cache
from bfcl_pipeline.world.web.keys import FetchKey, SearchKey, key_document

from .conftest import SECRET


def _hits(change):
    def edit(document):
        change(document["outcome"]["hits"])
        return {"outcome": document["outcome"]}

    return edit


def _set(position, field, text):
    return _hits(lambda hits: hits[position].update({field: text}))


@pytest.mark.parametrize(
    ("name", "edit", "said"),
    [
        ("search", _set(0, "title", "oolong!"), 'title of result 1 is "oolong!", in its cassette "oolong"'),
        ("search", _set(1, "href", "https://evil.example/"), "address of result 2 is"),
        ("search", _set(1, "href", "https://sencha.example/?a=1&b=/"), "address of result 2 is"),
        ("search", _set(0, "body", ""), "snippet of result 1 is"),
        ("search", _hits(lambda hits: hits.reverse()), "results are in another order"),
        ("search", _hits(lambda hits: hits.pop()), "number of results is 1, in"),
        ("search", _hits(lambda hits: hits.append(hits[0])), "number of results is 3, in its cassette 2"),
        ("search", lambda _: {"outcome": {"kind": "hits", "hits": []}}, "number of results is 0"),
        (
            "search",
            lambda _: {"outcome": {"kind": "failure", "message": "no"}},
            "outcome is a failure, its cassette leads to results",
        ),
        (
            "search without results",
            lambda _: {"outcome": {"kind": "failure", "message": "no"}},
            "outcome is a failure, its cassette leads to results",
        ),
        (
            "search that is not accepted",
            lambda _: {"outcome": {"kind": "failure", "message": "Failed."}},
            'text of the failure is "Failed."',
        ),
        ("search by DuckDuckGo", _set(0, "title", "black tea"), "title of result 1 is"),
        ("search by DuckDuckGo", _set(1, "href", "https://sencha.example/?a=1&b=/"), "address of result 2"),
        ("search by DuckDuckGo", _set(1, "body", "More."), "snippet of result 2 is"),
        (
            "search after a reset",
            _hits(lambda hits: hits.pop(0)),
            "number of results is 1, in its cassette 2",
        ),
        ("empty search", lambda _: {"outcome": {"kind": "hits", "hits": []}}, "leads to a failure"),
        ("page", lambda _: {"outcome": {"kind": "page", "text": "<p>tea</p>"}}, "text of the page is"),
        (
            "page with a secret",
            lambda _: {"outcome": {"kind": "page", "text": "<p>Your secret0123456789abcde.</p>"}},
            "text of the page is",
        ),
        (
            "page after a redirect",
            lambda _: {"outcome": {"kind": "page", "text": f"<a href='/other?sid={SECRET}'>next</a>"}},
            "text of the page is",
        ),
        (
            "missing page",
            lambda document: {
                "outcome": {
                    "kind": "failure",
                    "message": document["outcome"]["message"].replace("404", "410"),
                }
            },
            "text of the failure is",
        ),
        (
            "missing page",
            lambda _: {"outcome": {"kind": "page", "text": "no"}},
            "outcome is a page, its cassette leads to a failure",
        ),
        (
            "reset",
            lambda _: {"outcome": {"kind": "failure", "message": "Read timed out."}},
            "text of the failure is",
        ),
        (
            "answer of an API",
            lambda _: {"outcome": {"kind": "answer", "status": 404, "body": '{"cases": 7}'}},
            'HTTP status is "404", in its cassette "200"',
        ),
        (
            "answer of an API",
            lambda _: {"outcome": {"kind": "answer", "status": 200, "body": '{"cases": 8}'}},
            "body is",
        ),
        (
            "no address",
            lambda _: {"outcome": {"kind": "page", "text": "Anything."}},
            "outcome is a page, its cassette leads to a failure",
        ),
        ("page", lambda _: {"cassette": None, "cassette_sha256": None}, "nothing was sent for it"),
    ],
)
def test_an_edited_outcome_is_named(recorded, name, edit, said):
    """An outcome that says something else than its cassette is a contradiction, with what differs."""
    recorded.rewrite(name, **edit(recorded.document(name)))
    check = check_cache(recorded.cache)
    (line,) = check.contradictions
    assert check.failed
    assert line.startswith(f"{recorded.path(name)}: ")
    assert said in line
    assert check.damaged == check.undecided == check.missing == []


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("search", lambda content: content.replace(b"oolong", b"lapsang"), 'in its cassette "lapsang"'),
        ("search", lambda content: content.replace(b"green+tea", b"black+tea"), "has other requests"),
        ("search", lambda content: content.replace(b"us-en", b"uk-en"), "has other requests"),
        ("search", lambda content: content.replace(b"code: 503", b"code: 401"), "leads to no outcome"),
        ("search", lambda content: content.replace(b"code: 200", b"code: 503"), "has other requests"),
        ("search", lambda content: content.replace(b"serpapi.com", b"example.com"), "has other requests"),
        ("search by DuckDuckGo", lambda content: content.replace(b"q=black", b"q=green"), "other requests"),
        ("search by DuckDuckGo", lambda content: content.replace(b"l=us-en", b"l=uk-en"), "other requests"),
        ("search by DuckDuckGo", lambda content: content.replace(b"code: 202", b"code: 404"), "no outcome"),
        (
            "search after a reset",
            lambda content: content.replace(b"oolong", b"lapsang"),
            "title of result 1",
        ),
        (
            "search after a reset",
            lambda content: content.replace(b"html.duckduckgo", b"web.duckduckgo"),
            "other requests",
        ),
        ("page", lambda content: content.replace(b"more", b"less"), "text of the page"),
        ("page", lambda content: content.replace(b"code: 200", b"code: 500"), "leads to a failure"),
        ("page", lambda content: content.replace(b"text/html", b"image/png"), "leads to a failure"),
        (
            "missing page",
            lambda content: content.replace(b"code: 404", b"code: 403"),
            "text of the failure",
        ),
        ("reset", lambda content: content.replace(b"html/reset", b"html/other"), "has 1 request"),
        ("answer of an API", lambda content: content.replace(b"Fiji", b"Peru"), "has other requests"),
        ("answer of an API", lambda content: content.replace(b"cases", b"deads"), "body is"),
        ("page", lambda _: b"interactions: []\nversion: 1\n", "has other requests"),
        ("page", lambda _: b"no cassette", "cannot be read"),
    ],
)
def test_an_edited_cassette_is_named(recorded, name, change, said):
    """A cassette that holds something else than the outcome is a contradiction, with what differs."""
    recorded.rewrite_cassette(name, change)
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
