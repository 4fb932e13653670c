"""The web of each mode that is not simulated: live, recorded into the web cache, or replayed from it.

ddgs and its HTTP client are imported only where a search may be sent.
"""

import os
from importlib.metadata import version
from pathlib import Path

from bfcl_pipeline.base import __version__
from bfcl_pipeline.base.errors import ConfigError, NotRecorded, WebStopped
from bfcl_pipeline.benchmark.config.job import DUCKDUCKGO, PROXY_OF_ENVIRONMENT, SERPAPI, SERPAPI_KEY
from bfcl_pipeline.world.tools.web_search.web import Hits, Web, WebFailure
from bfcl_pipeline.world.web.cache import Outcome, WebCache
from bfcl_pipeline.world.web.engines.asking import Breaker, Engine, RetryPolicy
from bfcl_pipeline.world.web.engines.serpapi import SerpApi
from bfcl_pipeline.world.web.fetcher import Fetcher
from bfcl_pipeline.world.web.keys import FetchKey, SearchKey
from bfcl_pipeline.world.web.pace import FOLDER, PAUSE_SECONDS, HostPace
from bfcl_pipeline.world.web.proxies import Proxies
from bfcl_pipeline.world.web.recording import REQUESTS, KeyedWeb, RecordingWeb, ReplayingWeb


class LiveWeb:
    """A search engine, which is not asked any more once it has ceased to answer, and an HTTP client."""

    def __init__(self, name: str, engine: Engine, fetcher: Fetcher) -> None:
        self._name = name
        self._engine = engine
        self._breaker = Breaker("searches", WebStopped)
        self.fetch = fetcher.fetch

    def search(self, keywords: str, region: str) -> Hits | WebFailure:
        """The results. Raises WebStopped once the engine is not asked, else WebError as the engine does."""
        return self._breaker(self._name, lambda: self._engine.search(keywords, region))


class UnrecordedWeb(KeyedWeb):
    """The replay of a run whose web was live, of which nothing is recorded. Raises NotRecorded."""

    def _outcome(self, key: SearchKey | FetchKey) -> Outcome:
        raise NotRecorded(f"The web was live in this run, so no outcome is recorded for the {key}.")


def open_web(
    mode: str,
    cache: Path,
    engine: str = DUCKDUCKGO,
    *,
    offline: bool = False,
    proxy: str = PROXY_OF_ENVIRONMENT,
    pause: float = PAUSE_SECONDS,
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
        ConfigError: another mode, a proxy that cannot be used, or the engine's key is missing.
    """
    if mode == "replay" or (offline and mode == "record"):
        return ReplayingWeb(WebCache(cache))
    if offline and mode == "live":
        return UnrecordedWeb()
    if mode not in ("live", "record"):
        raise ConfigError(f"web: expected record, replay or live, got {mode!r}.")
    proxies, pace = Proxies.of(proxy), HostPace(pause, cache / FOLDER)
    searching = open_engine(engine, proxies, pace, RetryPolicy())
    live = LiveWeb(engine, searching, Fetcher(proxies=proxies, pace=pace))
    if mode == "live":
        return live
    key = os.environ.get(SERPAPI_KEY, "").strip()
    engines = {"search": engine_text(engine), "fetch": REQUESTS}
    secrets = [*([key] if key else []), *proxies.secrets]
    return RecordingWeb(WebCache(cache), live, engines=engines, secrets=secrets)


def open_engine(name: str, proxies: Proxies, pace: HostPace, retries: RetryPolicy) -> Engine:
    """A search engine: one of SEARCH_ENGINES. Raises ConfigError if its key is missing.

    pace: of its requests. A paid service is asked without pauses.
    """
    if name == SERPAPI:
        return SerpApi.from_environment(os.environ, proxies, retries)
    from bfcl_pipeline.world.web.engines.client import Connection  # loads primp
    from bfcl_pipeline.world.web.engines.duckduckgo import DuckDuckGo  # loads ddgs

    return DuckDuckGo(retries, Connection(proxies=proxies, pace=pace))


def engine_text(name: str) -> str:
    """The software that searches with an engine, with its version, as `RecordedOutcome.engine` has it."""
    if name == SERPAPI:
        return f"{name} by {REQUESTS}"
    return f"{name} by ddgs {version('ddgs')} of bfcl-pipeline {__version__}"
