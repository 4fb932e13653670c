"""What counts as the same request."""

import json

import pytest

from bfcl_pipeline.base.strict_json import canonical
from bfcl_pipeline.world.executables import ApiRequest
from bfcl_pipeline.world.web.keys import (
    ApiKey,
    FetchKey,
    SearchKey,
    digest,
    key_document,
    read_key,
)


def test_white_space_does_not_change_the_key_of_a_search():
    """Keywords that differ only in white space have the same key; case, order and region change it."""
    key = SearchKey.of("most  expensive\ttea ", "wt-wt")
    assert key == SearchKey.of("most expensive tea", "wt-wt")
    assert key != SearchKey.of("Most expensive tea", "wt-wt")
    assert key != SearchKey.of("tea most expensive", "wt-wt")
    assert key != SearchKey.of("most expensive tea", "us-en")


@pytest.mark.parametrize(
    ("url", "key"),
    [
        # Case of scheme and host, the default port, an empty path and the fragment do not matter.
        ("HTTP://Example.COM", "http://example.com/"),
        ("http://example.com:80/a", "http://example.com/a"),
        ("https://example.com:443?q=1", "https://example.com/?q=1"),
        ("https://example.com/a#:~:text=Tea", "https://example.com/a"),
        ("http://User:Pass@Example.com:80/", "http://User:Pass@example.com/"),
        ("http://[2001:DB8::1]:80/", "http://[2001:db8::1]/"),
        # Paths, parameters, other ports and unusual URLs, which a server may see, are unchanged.
        *((url, url) for url in (
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
        )),
    ],
)  # fmt: skip
def test_the_key_of_a_page(url, key):
    """Equivalent addresses have one key, which is its own."""
    assert FetchKey.of(url) == FetchKey.of(key) == FetchKey(key)


def test_a_key_is_read_as_it_was_written():
    """Keys survive their file, lone surrogates too, and different keys have different digests."""
    asked = ApiRequest("http://x/", (("a", "b"),))
    headed = ApiRequest("http://x/", (), (("a", "b"),))
    keys = [SearchKey("a", "b"), SearchKey("b", "a"), FetchKey("a"), FetchKey("http://x/\ud800")]
    keys += [ApiKey(asked), ApiKey(headed), ApiKey(ApiRequest("http://x/\ud800"))]
    assert [read_key(json.loads(canonical(key_document(key)))) for key in keys] == keys
    assert len({digest(key_document(key)) for key in keys}) == len(keys)
    for document in ({}, [], None, {"function": "fetch", "url": 1}, {**key_document(keys[2]), "more": 1}):
        with pytest.raises(ValueError, match="not that of a search, a page"):
            read_key(document)
    document = key_document(ApiKey(asked))
    for pairs in ([["a"]], [["a", "b", "c"]], [["a", 1]], ["ab"], [{}]):
        with pytest.raises(ValueError, match="not a name and a value"):
            read_key({**document, "params": pairs})


@pytest.mark.parametrize(
    ("key", "digested"),
    [
        (SearchKey("tea", "wt-wt"), "d0bf9e29ccb14994d95496f8db1708ecaa35aa6e0287fb9b67c19ba97f4a3b45"),
        (
            SearchKey.of(" tea ", "wt-wt"),
            "d0bf9e29ccb14994d95496f8db1708ecaa35aa6e0287fb9b67c19ba97f4a3b45",
        ),
        (
            FetchKey("http://example.com/"),
            "73503c2660c2154f621933aa518755d6bb73e4a5f6d365d6c813951041da8016",
        ),
        (
            ApiKey(ApiRequest("http://ip-api.com/json", (("lang", "fr"),), (("a", "b"),))),
            "103553fde5b7a06ee6702634c94648d204a7df50828466e32588e4a17efd00a9",
        ),
    ],
)
def test_file_names_of_recorded_outcomes_stay(key, digested):
    """The key of an outcome does not change: what was recorded is found again."""
    assert digest(key_document(key)) == digested
