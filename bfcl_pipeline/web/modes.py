"""The web of each mode that is not simulated: live, recorded into the web cache, or replayed from it.

ddgs and its HTTP client are imported only where a search may be sent.
"""

import os
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Protocol

from bfcl_pipeline import __version__
from bfcl_pipeline.config.job import PROXY_OF_ENVIRONMENT, SEARCH_ENGINES
from bfcl_pipeline.errors import ConfigError, NotRecorded
from bfcl_pipeline.tools.web_search.web import Hits, Page, Web, WebFailure
from bfcl_pipeline.web.cache import WebCache
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


def open_web(
    mode: str,
    cache: Path,
    engine: str = SEARCH_ENGINES[0],
    *,
    offline: bool = False,
    proxy: str = PROXY_OF_ENVIRONMENT,
    pause: float = 0.0,
) -> Web:
    """The web of a mode.

    Args:
        mode: record, replay or live.
        cache: the directory of the web cache.
        engine: one of SEARCH_ENGINES.
        offline: serve recorded outcomes only, which needs no key; the mode live has none.
        proxy: as `config.job.WebChoice` has it.
        pause: seconds between two requests to the same host.

    Raises:
        ConfigError: another mode, or the engine's key is missing.
    """
    if mode == "replay" or (offline and mode == "record"):
        return ReplayingWeb(WebCache(cache), engine)
    if offline and mode == "live":
        return UnrecordedWeb(engine)
    live = LiveWeb(open_engine(engine, proxy=proxy, pause=pause), Fetcher())
    if mode == "live":
        return live
    if mode == "record":
        key = os.environ.get(KEY_VARIABLE, "").strip()
        engines = {"search": engine_text(engine), "fetch": f"requests of bfcl-pipeline {__version__}"}
        return RecordingWeb(WebCache(cache), live, engine, engines=engines, secrets=[key] if key else [])
    raise ConfigError(f"web: expected record, replay or live, got {mode!r}.")


def open_engine(
    name: str,
    *,
    proxy: str = PROXY_OF_ENVIRONMENT,  # noqa: ARG001 (for Connection.proxy)
    pause: float = 0.0,  # noqa: ARG001 (for Connection.before)
) -> Engine:
    """A search engine: one of SEARCH_ENGINES. Raises ConfigError if its key is missing."""
    if name == "serpapi":
        return SerpApi.from_environment(os.environ)
    from bfcl_pipeline.web.engines.client import Connection
    from bfcl_pipeline.web.engines.ddgs_engine import DdgsEngine

    return DdgsEngine(name, connection=Connection(ca_file=_ca_file(os.environ)))


def engine_text(name: str) -> str:
    """The software that searches with an engine, with its version, as `RecordedOutcome.engine` has it."""
    if name == "serpapi":
        return f"{name} by requests of bfcl-pipeline {__version__}"
    return f"{name} by ddgs {version('ddgs')} of bfcl-pipeline {__version__}"


def _ca_file(environment: Mapping[str, str]) -> str | None:
    """The file of certificates that the environment names, as for `requests`."""
    return environment.get("REQUESTS_CA_BUNDLE") or environment.get("SSL_CERT_FILE") or None


def _unrecorded(key: Key) -> NotRecorded:
    return NotRecorded(f"The web was live in this run, so no outcome is recorded for the {key}.")
