"""The interface between the web tools and a web, with its outcomes.

A search or fetch returns a result, or a failure that the model sees. A failure of the infrastructure (a
lasting rate limit, an outcome that is not in the web cache) is raised as `errors.WebError` instead, and
becomes a status of the entry.
"""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Hit:
    """One result of a search."""

    title: str
    href: str  # the page's address
    body: str  # the snippet


@dataclass(frozen=True, slots=True)
class Hits:
    """The results of a search, best first; may be empty."""

    hits: tuple[Hit, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """A page as text: the body of the response, decoded."""

    text: str


@dataclass(frozen=True, slots=True)
class WebFailure:
    """A failure with the text that the model sees, such as `404 Client Error: Not Found for url: ...`."""

    message: str
    injected: bool = False  # made to fail by the configuration; the model sees the message without a prefix


class Web(Protocol):
    """A web: real, recorded or simulated."""

    def search(self, keywords: str, region: str) -> Hits | WebFailure:
        """Searches the web. `region`: a DuckDuckGo region code, `wt-wt` for none."""

    def fetch(self, url: str) -> Page | WebFailure:
        """Fetches the page at `url`, which starts with http:// or https://."""
