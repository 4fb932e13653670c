"""Keys of web requests: requests with equal keys have the same outcome.

Two searches have the same key if their regions are equal and their keywords are equal after runs of white
space are collapsed and the ends trimmed; case, order and punctuation may change the results and are kept.
Two addresses have the same key if they are equal after the case of scheme and host, the scheme's default
port, an empty path and the fragment (which is never sent) are normalized; nothing else is changed: not
percent-encoding, not dots in the path, not the order of parameters.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from typing import TypeAlias

from bfcl_pipeline.records import Json

_ADDRESS = re.compile(r"(https?)://([^/?#]*)([^?#]*)(\?[^#]*)?(?:#.*)?", re.IGNORECASE | re.DOTALL)
_AUTHORITY = re.compile(r"(.*@)?(\[[^]]*\]|[^:@]*)(:[0-9]+)?", re.DOTALL)
_DEFAULT_PORTS = {"http": ":80", "https": ":443"}
_CAPITALS = {ord(letter): letter.lower() for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}


@dataclass(frozen=True, slots=True)
class SearchKey:
    """A search."""

    keywords: str  # with normalized white space
    region: str  # as DuckDuckGo names them

    @classmethod
    def of(cls, keywords: str, region: str) -> SearchKey:
        """The key of a search with a model's arguments."""
        return cls(" ".join(keywords.split()), region)

    def __str__(self) -> str:
        return f"search for {self.keywords!r} (region {self.region!r})"


@dataclass(frozen=True, slots=True)
class FetchKey:
    """A page."""

    url: str  # normalized, without a fragment

    @classmethod
    def of(cls, url: str) -> FetchKey:
        """The key of a page with a model's argument."""
        return cls(normalised_url(url))

    def __str__(self) -> str:
        return f"fetch of {self.url!r}"


Key: TypeAlias = SearchKey | FetchKey


def normalised_url(url: str) -> str:
    """`url` in the form that all equivalent addresses share; unchanged if it is not an HTTP address."""
    address = _ADDRESS.fullmatch(url)
    authority = address and _AUTHORITY.fullmatch(address[2])
    if not address or not authority:
        return url
    scheme = address[1].lower()
    host = authority[2].translate(_CAPITALS)  # ASCII letters only
    port = authority[3] or ""
    if port == _DEFAULT_PORTS[scheme]:
        port = ""
    return f"{scheme}://{authority[1] or ''}{host}{port}{address[3] or '/'}{address[4] or ''}"


def key_document(key: Key) -> dict[str, str]:
    """The key as JSON, as an outcome file of the web cache holds it."""
    if isinstance(key, SearchKey):
        return {"function": "search", "keywords": key.keywords, "region": key.region}
    return {"function": "fetch", "url": key.url}


def read_key(document: Json) -> Key:
    """The key that `key_document` returned as JSON. Raises ValueError."""
    match document:
        case {"function": "search", "keywords": str(keywords), "region": str(region), **rest} if not rest:
            return SearchKey(keywords, region)
        case {"function": "fetch", "url": str(url), **rest} if not rest:
            return FetchKey(url)
    raise ValueError("its key is not that of a search or a page")


def canonical(document: Json) -> bytes:
    """JSON in the canonical form that is hashed: sorted, without spaces, ASCII (allows lone surrogates)."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode("ascii")


def digest(document: Json) -> str:
    """The sha256 of a document."""
    return hashlib.sha256(canonical(document)).hexdigest()
