"""Keys of web requests: requests with equal keys have the same outcome.

Two searches have the same key if their regions are equal and their keywords are equal after runs of white
space are collapsed and the ends trimmed; case, order and punctuation may change the results and are kept.
Two addresses have the same key if they are equal after the case of scheme and host, the scheme's default
port, an empty path and the fragment (which is never sent) are normalized; nothing else is changed: not
percent-encoding, not dots in the path, not the order of parameters. Requests of executed calls to web APIs
are in their normalized form already (`executables.apis`), with placeholders in the place of API keys.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import urlencode

from bfcl_pipeline.base.strict_json import canonical
from bfcl_pipeline.base.text import printable
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.world.executables import ApiRequest

_ADDRESS = re.compile(r"(https?)://([^/?#]*)([^?#]*)(\?[^#]*)?(?:#.*)?", re.IGNORECASE | re.DOTALL)
_AUTHORITY = re.compile(r"(.*@)?(\[[^]]*\]|[^:@]*)(:[0-9]+)?", re.DOTALL)
_DEFAULT_PORTS = {"http": ":80", "https": ":443"}
_SHOWN = 300  # characters of the address of a request in a message
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


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A request of an executed call to a web API."""

    request: ApiRequest

    def __str__(self) -> str:
        query = urlencode(self.request.params, errors="replace")
        address = f"{self.request.url}{'?' if query else ''}{query}"
        shown = address if len(address) <= _SHOWN else f"{address[:_SHOWN]}..."
        return f"request {printable(shown)}"


Key: TypeAlias = SearchKey | FetchKey | ApiKey


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


def key_document(key: Key) -> dict[str, Json]:
    """The key as JSON, as an outcome file of the web cache holds it."""
    if isinstance(key, ApiKey):
        request = key.request
        return {
            "function": "api",
            "url": request.url,
            "params": [[name, value] for name, value in request.params],
            "headers": [[name, value] for name, value in request.headers],
        }
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
        case {
            "function": "api",
            "url": str(url),
            "params": list(params),
            "headers": list(headers),
            **rest,
        } if not rest:
            return ApiKey(ApiRequest(url, _pairs(params), _pairs(headers)))
    raise ValueError("its key is not that of a search, a page or a request of a web API")


def _pairs(listed: list[Json]) -> tuple[tuple[str, str], ...]:
    pairs = tuple(tuple(item) for item in listed if isinstance(item, list) and len(item) == 2)
    if len(pairs) < len(listed) or not all(isinstance(text, str) for pair in pairs for text in pair):
        raise ValueError("a parameter or header in its key is not a name and a value")
    return pairs


def digest(document: Json) -> str:
    """The sha256 of a document."""
    return hashlib.sha256(canonical(document, allow_nan=True)).hexdigest()
