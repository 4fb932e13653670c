"""What counts as the same request."""

import json

import pytest

from bfcl_pipeline.web.keys import FetchKey, SearchKey, canonical, digest, key_document, read_key


def test_white_space_does_not_change_the_key_of_a_search():
    """Keywords that differ only in white space have the same key; case, order and region change it."""
    key = SearchKey.of("most  expensive\ttea ", "wt-wt")
    assert key == SearchKey.of("most expensive tea", "wt-wt")
    assert key != SearchKey.of("Most expensive tea", "wt-wt")
    assert key != SearchKey.of("tea most expensive", "wt-wt")
    assert key != SearchKey.of("most expensive tea", "us-en")


@pytest.mark.parametrize(
    ("url", "same"),
    [
        ("HTTP://Example.COM", "http://example.com/"),
        ("http://example.com:80/a", "http://example.com/a"),
        ("https://example.com:443?q=1", "https://example.com/?q=1"),
        ("https://example.com/a#:~:text=Tea", "https://example.com/a"),
        ("http://User:Pass@Example.com:80/", "http://User:Pass@example.com/"),
        ("http://[2001:DB8::1]:80/", "http://[2001:db8::1]/"),
    ],
)
def test_parts_that_are_not_sent_do_not_change_the_key_of_a_page(url, same):
    """Case of scheme and host, the default port, an empty path and the fragment do not matter."""
    assert FetchKey.of(url) == FetchKey.of(same) == FetchKey(same)


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com/A",
        "http://example.com:443/",
        "https://example.com:80/",
        "http://example.com/a/../b",
        "http://example.com/%7ea",
        "http://example.com/?b=1&a=2",
        "http://example.com/?",
        "http://example.com/ ",
        "http://\u0130.example/",
        "http://a:b:c/",
        "http://[::1/",
        "http:example.com",
        "http://example.com/\ud800",
        "http://example.com/a\nb",
    ],
)
def test_parts_that_a_server_may_see_are_unchanged(url):
    """Paths, parameters, other ports and unusual URLs are unchanged, and normalizing twice has no further
    effect."""
    assert FetchKey.of(url) == FetchKey(url)


def test_a_key_is_read_as_it_was_written():
    """Keys survive their file, lone surrogates too, and different keys have different digests."""
    keys = [SearchKey("a", "b"), SearchKey("b", "a"), FetchKey("a"), FetchKey("http://x/\ud800")]
    assert [read_key(json.loads(canonical(key_document(key)))) for key in keys] == keys
    assert len({digest(key_document(key)) for key in keys}) == len(keys)
    for document in ({}, [], None, {"function": "fetch", "url": 1}, {**key_document(keys[2]), "more": 1}):
        with pytest.raises(ValueError, match="not that of a search, a page"):
            read_key(document)
