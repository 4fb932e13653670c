"""Which hosts are asked, and which texts are keys."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bfcl_pipeline.base.errors import NotRecorded
from bfcl_pipeline.world.executables import ApiRequest
from bfcl_pipeline.world.executables.apis import HOSTS, PLACEHOLDERS
from bfcl_pipeline.world.web.apis import keys_in, missing_keys, sendable
from tests.support.api_hosts import KEYS
from tests.support.random_texts import CHARACTERS


def test_every_key_is_used_and_no_other() -> None:
    """No host receives a key that is not known, and each key has a host."""
    assert {name for name in HOSTS.values() if name} == set(PLACEHOLDERS)


@pytest.mark.parametrize(
    "text", ["", "   ", "short", "two words", "YOUR-OMDB-API-KEY", "line\nbreak", "kéy-0123", "k" * 501]
)
def test_a_text_that_cannot_be_a_key_counts_as_missing(text: str) -> None:
    """It is never sent."""
    environment = {"OMDB_API_KEY": text, "RAPID_API_KEY": " 0123456789 "}
    assert keys_in(environment) == {"RAPID_API_KEY": "0123456789"}
    assert "OMDB_API_KEY" in missing_keys(environment)
    assert "RAPID_API_KEY" not in missing_keys(environment)


_PARTS = st.one_of(
    st.sampled_from([*HOSTS, *PLACEHOLDERS.values(), "http://", "https://", "@", ":", "/", "//", "?"]),
    st.text(CHARACTERS, max_size=5),
)
_TEXTS = st.lists(_PARTS, max_size=6).map("".join)


@given(
    _TEXTS, st.lists(st.tuples(_TEXTS, _TEXTS), max_size=2), st.lists(st.tuples(_TEXTS, _TEXTS), max_size=2)
)
@example("https://ip-api.com@evil.example/", [], [])
@example("https://www.omdbapi.com/YOUR-OMDB-API-KEY", [("YOUR-OMDB-API-KEY", "x")], [])
@example("https://www.omdbapi.com/YOUR-RAPID-API-KEY", [], [])
def test_a_key_goes_to_its_host_only(
    url: str, params: list[tuple[str, str]], headers: list[tuple[str, str]]
) -> None:
    """Whatever the request: it is not sent, or to a known host, with no key but that of the host,
    and without any placeholder."""
    try:
        sent = sendable(ApiRequest(url, tuple(params), tuple(headers)), KEYS)
    except NotRecorded:
        return
    assert sent.host in HOSTS
    assert sent.url.partition("://")[2].startswith(sent.host)
    texts = [sent.url, *(text for pair in (*sent.params, *sent.headers) for text in pair)]
    with_keys = {name for name, key in KEYS.items() if any(key in text for text in texts)}
    assert with_keys <= {HOSTS[sent.host]}
    assert sent.variable is None or sent.url.startswith("https://")
    assert not [one for one in PLACEHOLDERS.values() if any(one in text for text in texts)]
    assert not [key for key in KEYS.values() if key in repr(sent)]
