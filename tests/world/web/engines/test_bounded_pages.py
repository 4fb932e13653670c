"""Pages of results that were made to occupy the reader: refused before a tree is built of them."""

import pytest
from ddgs.base import BaseSearchEngine

from bfcl_pipeline.world.web.engines.asking import RetryPolicy, UnknownAnswer
from bfcl_pipeline.world.web.engines.client import Connection, EngineClient
from bfcl_pipeline.world.web.engines.duckduckgo import (
    CHALLENGE,
    FAILING,
    LONGEST_CLASS,
    MOST_ATTRIBUTES,
    MOST_ELEMENTS,
    NOTHING,
    ResultPages,
)


def _pages():
    return ResultPages(EngineClient(Connection(), RetryPolicy()))


@pytest.mark.parametrize(
    "inner",
    [
        f"<p {' '.join(f'a{number}' for number in range(MOST_ATTRIBUTES + 1))}>",
        "<p " + " ".join(f"a{number}='>'" for number in range(MOST_ATTRIBUTES + 1)) + ">",
        "<p></p>" * (MOST_ELEMENTS + 1),
        f"<p class='{'a ' * LONGEST_CLASS}'>",
    ],
    ids=["attributes", "attributes with quotes", "elements", "classes"],
)
def test_large_pages_are_refused_before_they_are_parsed(monkeypatch, inner):
    """A page of too many elements, attributes or classes is an unknown answer; no tree is built of it."""
    monkeypatch.setattr(BaseSearchEngine, "extract_tree", lambda *_: pytest.fail("a tree is built"))
    with pytest.raises(UnknownAnswer, match="too many elements, attributes or classes"):
        _pages().check(f"<html><body>{inner}</body></html>")


@pytest.mark.parametrize(
    "inner",
    [
        f"<p {' '.join(f'a{number}' for number in range(MOST_ATTRIBUTES))}>",
        "<p></p>" * (MOST_ELEMENTS - 3),
        f"<p class='{'a' * LONGEST_CLASS}'>",
    ],
    ids=["attributes", "elements", "classes"],
)
def test_smaller_pages_are_parsed(inner):
    """A page at the bounds is read."""
    pages = _pages()
    pages.check(f"<html><body><b class='no-results'></b>{inner}</body></html>")
    assert pages.nothing


def test_marks_do_not_search_below_what_they_search_for():
    """No mark selects `//a//b`, which takes quadratic time in nested elements."""
    for mark in "|".join((NOTHING, CHALLENGE, FAILING)).split("|"):
        assert mark.replace("http://", "").count("//") == 1
