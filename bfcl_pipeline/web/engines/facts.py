"""What ddgs does not tell about its search engines: hosts, limits, and how to read pages without results.

Source of the marks: the sites' pages as other programs read them, in November 2026.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EngineFacts:
    """One search engine of ddgs."""

    hosts: tuple[str, ...]  # that it may ask; `.wikipedia.org` means every host that ends so
    pages: int = 3  # of results that are requested for one search
    longest_query: int = 499  # characters
    nothing: tuple[str, ...] = ()  # XPaths of the site's own mark that a search has no results
    challenge: tuple[str, ...] = ()  # XPaths of a page that takes the client for a robot
    complete: str = "</html>"  # near the end of every complete page; empty: the page is JSON
    random_parameters: tuple[
        str, ...
    ] = ()  # of its addresses: new in every search, not part of the request
    switched_off: bool = False  # by ddgs itself, because the site does not answer its requests at present
