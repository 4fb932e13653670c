"""What the web tools of a conversation ask of a web, whichever it is.

A web answers with what was found or with a failure that the model is told of. A failure of the
machinery (a rate limit that does not end, an outcome that was never recorded) is neither: it is raised
as `errors.WebError` and becomes a status of the entry.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Hit:
    """One result of a search."""

    title: str
    href: str  # the address of the page
    body: str  # the snippet


@dataclass(frozen=True, slots=True)
class Hits:
    """What a search found, best first; empty if nothing was."""

    hits: tuple[Hit, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """A page as text: the body of the response, decoded."""

    text: str


@dataclass(frozen=True, slots=True)
class Failure:
    """A failure of the web as a model is told of it, such as `404 Client Error: Not Found for url: ...`."""

    message: str


class Web(Protocol):
    """A web: real, recorded or simulated."""

    def search(self, keywords: str, region: str) -> Hits | Failure:
        """What a search engine answers. `region`: as DuckDuckGo names them, `wt-wt` for none."""

    def fetch(self, url: str) -> Page | Failure:
        """The page at `url`, which starts with http:// or https://."""
