"""The webs of the modes `record` and `replay`: each request has one outcome, which is recorded once.

`RecordingWeb` requests what the web cache lacks from a live web; `ReplayingWeb` makes no requests. Both use
the normalized arguments of the key, so that the outcome does not depend on which spelling came first.
Retries, and which failures count as outcomes, are decided by the live web.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from typing import cast

from bfcl_pipeline.base import __version__
from bfcl_pipeline.base.errors import NotRecorded
from bfcl_pipeline.world.tools.web_search.web import Hits, Page, Web, WebFailure
from bfcl_pipeline.world.web.cache import Outcome, WebCache
from bfcl_pipeline.world.web.keys import FetchKey, SearchKey
from bfcl_pipeline.world.web.recorder import Recorder, utc_now


class _CachedWeb(ABC):
    """A web with one outcome per key; the cache ensures that its kind fits the function."""

    def __init__(self, engine: str) -> None:
        """engine: the search engine whose results are found, one of config.job.SEARCH_ENGINES."""
        self._engine = engine

    def search(self, keywords: str, region: str) -> Hits | WebFailure:
        """The results. Raises WebError."""
        return cast("Hits | WebFailure", self._outcome(SearchKey.of(keywords, region, self._engine)))

    def fetch(self, url: str) -> Page | WebFailure:
        """The page. Raises WebError."""
        return cast("Page | WebFailure", self._outcome(FetchKey.of(url)))

    @abstractmethod
    def _outcome(self, key: SearchKey | FetchKey) -> Outcome:
        """The outcome of `key`."""


class ReplayingWeb(_CachedWeb):
    """The web cache as a web. Raises NotRecorded for a missing outcome, WebError for a damaged one."""

    def __init__(self, cache: WebCache, engine: str = "") -> None:
        super().__init__(engine)
        self._cache = cache

    def _outcome(self, key: SearchKey | FetchKey) -> Outcome:
        outcome = self._cache.find(key)
        if outcome is None:
            raise NotRecorded(
                f"No outcome in {self._cache.folder} for the {key}. Run once in the mode `record`, or "
                "copy a web cache that has it."
            )
        return outcome


class RecordingWeb(_CachedWeb):
    """A live web whose outcomes are recorded; each key is requested once (`Recorder`)."""

    def __init__(
        self,
        cache: WebCache,
        live: Web,
        engine: str = "",
        *,
        engines: Mapping[str, str] | None = None,
        secrets: Collection[str] = (),
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        """engines: the software of `search` and `fetch`, with versions. secrets: keys, never written."""
        super().__init__(engine)
        self._live = live
        unnamed = f"{type(live).__name__} of bfcl-pipeline {__version__}"
        self._engines = {"search": unnamed, "fetch": unnamed, **(engines or {})}
        self._recorder = Recorder(cache, secrets=secrets, now=now)

    def _outcome(self, key: SearchKey | FetchKey) -> Outcome:
        match key:
            case SearchKey(keywords, region, _):
                return self._recorder.outcome(
                    key, self._engines["search"], lambda: self._live.search(keywords, region)
                )
            case FetchKey(url):
                return self._recorder.outcome(key, self._engines["fetch"], lambda: self._live.fetch(url))
