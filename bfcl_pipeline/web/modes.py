"""The web of each mode that is not simulated: live, recorded into the web cache, or replayed from it."""

import os
from pathlib import Path
from typing import Protocol

from bfcl_pipeline import __version__
from bfcl_pipeline.errors import ConfigError, NotRecorded
from bfcl_pipeline.tools.web_search.web import Hits, Page, Web, WebFailure
from bfcl_pipeline.web.cache import WebCache
from bfcl_pipeline.web.engines.duckduckgo import DuckDuckGo
from bfcl_pipeline.web.engines.serpapi import KEY_VARIABLE, SerpApi
from bfcl_pipeline.web.fetcher import Fetcher
from bfcl_pipeline.web.keys import FetchKey, Key, SearchKey
from bfcl_pipeline.web.recording import RecordingWeb, ReplayingWeb


class Engine(Protocol):
    """A search engine."""

    def search(self, keywords: str, region: str) -> Hits | WebFailure:
        """The results. Raises WebError if it does not answer after its retries."""


class LiveWeb:
    """A search engine and an HTTP client."""

    def __init__(self, engine: Engine, fetcher: Fetcher) -> None:
        self.search = engine.search
        self.fetch = fetcher.fetch


class UnrecordedWeb:
    """The replay of a run whose web was live, of which nothing is recorded."""

    def __init__(self, engine: str = "") -> None:
        self._engine = engine

    def search(self, keywords: str, region: str) -> Hits | WebFailure:
        """Raises NotRecorded."""
        raise _unrecorded(SearchKey.of(keywords, region, self._engine))

    def fetch(self, url: str) -> Page | WebFailure:
        """Raises NotRecorded."""
        raise _unrecorded(FetchKey.of(url))


def open_web(mode: str, cache: Path, engine: str = "duckduckgo", *, offline: bool = False) -> Web:
    """The web of a mode.

    Args:
        mode: record, replay or live.
        cache: the directory of the web cache.
        engine: one of config.job.SEARCH_ENGINES.
        offline: serve recorded outcomes only, which needs no key; the mode live has none.

    Raises:
        ConfigError: another mode, or the engine's key is missing.
    """
    if mode == "replay" or (offline and mode == "record"):
        return ReplayingWeb(WebCache(cache), engine)
    if offline and mode == "live":
        return UnrecordedWeb(engine)
    live = LiveWeb(SerpApi.from_environment(os.environ) if engine == "serpapi" else DuckDuckGo(), Fetcher())
    if mode == "live":
        return live
    if mode == "record":
        key = os.environ.get(KEY_VARIABLE, "").strip()
        client = f"requests of bfcl-pipeline {__version__}"
        engines = {"search": f"{engine} by {client}", "fetch": client}
        return RecordingWeb(WebCache(cache), live, engine, engines=engines, secrets=[key] if key else [])
    raise ConfigError(f"web: expected record, replay or live, got {mode!r}.")


def _unrecorded(key: Key) -> NotRecorded:
    return NotRecorded(f"The web was live in this run, so no outcome is recorded for the {key}.")
