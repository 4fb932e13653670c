"""The web of each mode that is not simulated: the web itself, with or without a record, or the record."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Protocol

from bfcl_pipeline import __version__
from bfcl_pipeline.errors import ConfigError, NotRecorded
from bfcl_pipeline.tools.web import Failure, Hits, Page, Web
from bfcl_pipeline.web.duckduckgo import DuckDuckGo
from bfcl_pipeline.web.fetching import Fetcher
from bfcl_pipeline.web.keys import FetchKey, Key, SearchKey
from bfcl_pipeline.web.record import Record
from bfcl_pipeline.web.recorded import Recording, Replaying
from bfcl_pipeline.web.serpapi import KEY_VARIABLE, SerpApi


class Engine(Protocol):
    """A search engine."""

    def search(self, keywords: str, region: str) -> Hits | Failure:
        """What it finds. Raises WebError if it does not answer after patience."""


class LiveWeb:
    """The web itself: an engine to search with, HTTP to fetch with."""

    def __init__(self, engine: Engine, fetcher: Fetcher) -> None:
        self._engine = engine
        self._fetcher = fetcher

    def search(self, keywords: str, region: str) -> Hits | Failure:
        """What the engine finds. Raises WebError if it does not answer."""
        return self._engine.search(keywords, region)

    def fetch(self, url: str) -> Page | Failure:
        """The page, or how it failed."""
        return self._fetcher.fetch(url)


class UnrecordedWeb:
    """A web that was searched live, of which nothing was kept. Raises NotRecorded whatever is asked."""

    def search(self, keywords: str, region: str) -> Hits | Failure:
        """Raises NotRecorded."""
        raise NotRecorded(_unrecorded(SearchKey.of(keywords, region)))

    def fetch(self, url: str) -> Page | Failure:
        """Raises NotRecorded."""
        raise NotRecorded(_unrecorded(FetchKey.of(url)))


def open_web(mode: str, record: Path, engine: str = "duckduckgo", *, offline: bool = False) -> Web:
    """The web of `mode`: record, replay or live. Raises ConfigError for another, or if a key is missing.

    offline: what the mode has kept of the web, without a key; of mode live that is nothing.
    """
    if mode == "replay" or (offline and mode == "record"):
        return Replaying(Record(record))
    if offline and mode == "live":
        return UnrecordedWeb()
    live = LiveWeb(_engine(engine), Fetcher())
    if mode == "live":
        return live
    if mode == "record":
        key = os.environ.get(KEY_VARIABLE, "").strip()
        client = f"requests of bfcl-pipeline {__version__}"
        engines = {"search": f"{engine} by {client}", "fetch": client}
        return Recording(Record(record), live, engines=engines, secrets=[key] if key else [])
    raise ConfigError(f"web: expected record, replay or live, got {mode!r}.")


def _engine(name: str) -> Engine:
    return SerpApi.from_environment(os.environ) if name == "serpapi" else DuckDuckGo()


def _unrecorded(key: Key) -> str:
    return f"The web was searched live, which keeps nothing: there is no outcome for the {key}."
