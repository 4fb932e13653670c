"""What counts as the same request to the web.

Two searches are the same if their keywords are equal once runs of white space are one space and the ends
are trimmed, and their regions are equal; case, order and punctuation may change what an engine finds
and stay. Two addresses are the same if they are equal once the case of scheme and host, the port that
the scheme has anyway, an empty path and the fragment (which is never sent) are put in order; nothing
else is touched: no percent-encoding, no dots in the path, no order of parameters.
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

    keywords: str  # white space in order
    region: str  # as DuckDuckGo names them

    @classmethod
    def of(cls, keywords: str, region: str) -> SearchKey:
        """The key of a search as a model asks for it."""
        return cls(" ".join(keywords.split()), region)

    def __str__(self) -> str:
        return f"search for {self.keywords!r} (region {self.region!r})"


@dataclass(frozen=True, slots=True)
class FetchKey:
    """A page."""

    url: str  # in order, without a fragment

    @classmethod
    def of(cls, url: str) -> FetchKey:
        """The key of a page as a model asks for it."""
        return cls(normalised_url(url))

    def __str__(self) -> str:
        return f"fetch of {self.url!r}"


Key: TypeAlias = SearchKey | FetchKey


def normalised_url(url: str) -> str:
    """`url` with what cannot matter to a server put in order; an address of an odd form stays as it is."""
    address = _ADDRESS.fullmatch(url)
    authority = address and _AUTHORITY.fullmatch(address[2])
    if not address or not authority:
        return url
    scheme = address[1].lower()
    host = authority[2].translate(_CAPITALS)  # letters of other scripts are not ours to change
    port = authority[3] or ""
    if port == _DEFAULT_PORTS[scheme]:
        port = ""
    return f"{scheme}://{authority[1] or ''}{host}{port}{address[3] or '/'}{address[4] or ''}"


def key_document(key: Key) -> dict[str, str]:
    """The key in clear, as it stands in a file of the record."""
    if isinstance(key, SearchKey):
        return {"function": "search", "keywords": key.keywords, "region": key.region}
    return {"function": "fetch", "url": key.url}


def read_key(document: Json) -> Key:
    """The key that `key_document` wrote. Raises ValueError."""
    match document:
        case {"function": "search", "keywords": str(keywords), "region": str(region), **rest} if not rest:
            return SearchKey(keywords, region)
        case {"function": "fetch", "url": str(url), **rest} if not rest:
            return FetchKey(url)
    raise ValueError("its key is neither a search nor a page")


def canonical(document: Json) -> bytes:
    """JSON in the one form that is hashed: sorted, without spaces, ASCII (so lone surrogates pass)."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode("ascii")


def digest(document: Json) -> str:
    """The sha256 of a document."""
    return hashlib.sha256(canonical(document)).hexdigest()
