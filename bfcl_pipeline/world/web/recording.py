"""The webs of the modes `record` and `replay`: each request has one outcome, which is recorded once.

`RecordingWeb` requests what the web cache lacks from a live web; `ReplayingWeb` makes no requests. Both use
the normalized arguments of the key, so that the outcome does not depend on which spelling came first.
Retries, and which failures count as outcomes, are decided by the live web. `Recorder` shares a request that
is running, keeps the HTTP evidence, and removes our keys from what is written.
"""

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Future
from datetime import UTC, datetime
from typing import assert_never, cast

from bfcl_pipeline.base import __version__
from bfcl_pipeline.base.errors import NotRecorded
from bfcl_pipeline.base.secrets import Redactor
from bfcl_pipeline.world.executables import ApiAnswer
from bfcl_pipeline.world.tools.web_search.web import Hit, Hits, Page, Web, WebFailure
from bfcl_pipeline.world.web.cache import Outcome, WebCache
from bfcl_pipeline.world.web.evidence.tape import taping
from bfcl_pipeline.world.web.keys import FetchKey, Key, SearchKey

REQUESTS = f"requests of bfcl-pipeline {__version__}"
"""The software that asks pages and web APIs, as `RecordedOutcome.engine` has it."""


def utc_now() -> datetime:
    """The time."""
    return datetime.now(UTC)


class Recorder:
    """The outcomes of requests, from the web cache or recorded into it.

    Threads that need a key while its request is running share the outcome or the error. After an error
    nothing is recorded, and the next call makes the request again.
    """

    def __init__(
        self, cache: WebCache, *, secrets: Collection[str] = (), now: Callable[[], datetime] = utc_now
    ) -> None:
        """secrets: keys, never written."""
        self._cache = cache
        self._secrets = tuple(secrets)
        self._redactor = Redactor(secrets)
        self._now = now
        self._lock = threading.Lock()
        self._running: dict[Key, Future[Outcome]] = {}

    def outcome(self, key: Key, engine: str, request: Callable[[], Outcome]) -> Outcome:
        """The outcome of `key`: as recorded, else that of `request`, which is recorded.

        engine: the software that makes the request, with its version. Raises WebError, and what `request`
        raises.
        """
        with self._lock:
            shared = self._running.get(key)
            if shared is None:
                mine = self._running[key] = Future()
        if shared is not None:
            return shared.result()
        try:
            outcome = self._recorded_or_requested(key, engine, request)
        except BaseException as error:
            mine.set_exception(error)
            raise
        else:
            mine.set_result(outcome)
            return outcome
        finally:
            with self._lock:
                del self._running[key]

    def _recorded_or_requested(self, key: Key, engine: str, request: Callable[[], Outcome]) -> Outcome:
        recorded = self._cache.find(key)
        if recorded is not None:
            return recorded
        with taping() as tape:
            outcome = request()
        return self._cache.add(
            key,
            self._without_secrets(outcome),
            engine=engine,
            recorded_at=self._now(),
            cassette=tape.cassette(self._secrets),
        )

    def _without_secrets(self, outcome: Outcome) -> Outcome:
        """The outcome without our keys, which a server may have echoed; it is used like this at once."""
        redact = self._redactor.text
        match outcome:
            case Hits(hits):
                return Hits(
                    tuple(Hit(redact(hit.title), redact(hit.href), redact(hit.body)) for hit in hits)
                )
            case Page(text):
                return Page(redact(text))
            case WebFailure(message):
                return WebFailure(redact(message))
            case ApiAnswer(status, body):
                content = self._redactor.content(body.encode("utf-8", "surrogatepass"))
                return ApiAnswer(status, content.decode("utf-8", "surrogatepass"))
            case _:
                assert_never(outcome)


class KeyedWeb(ABC):
    """A web with one outcome per key; the cache ensures that its kind fits the function."""

    def search(self, keywords: str, region: str) -> Hits | WebFailure:
        """The results. Raises WebError."""
        return cast("Hits | WebFailure", self._outcome(SearchKey.of(keywords, region)))

    def fetch(self, url: str) -> Page | WebFailure:
        """The page. Raises WebError."""
        return cast("Page | WebFailure", self._outcome(FetchKey.of(url)))

    @abstractmethod
    def _outcome(self, key: SearchKey | FetchKey) -> Outcome:
        """The outcome of `key`."""


class ReplayingWeb(KeyedWeb):
    """The web cache as a web. Raises NotRecorded for a missing outcome, WebError for a damaged one."""

    def __init__(self, cache: WebCache) -> None:
        self._cache = cache

    def _outcome(self, key: SearchKey | FetchKey) -> Outcome:
        outcome = self._cache.find(key)
        if outcome is None:
            raise NotRecorded(
                f"No outcome in {self._cache.folder} for the {key}. Run once in the mode `record`, or "
                "copy a web cache that has it."
            )
        return outcome


class RecordingWeb(KeyedWeb):
    """A live web whose outcomes are recorded; each key is requested once (`Recorder`)."""

    def __init__(
        self,
        cache: WebCache,
        live: Web,
        *,
        engines: Mapping[str, str] | None = None,
        secrets: Collection[str] = (),
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        """engines: the software of `search` and `fetch`, with versions. secrets: keys, never written."""
        self._live = live
        unnamed = f"{type(live).__name__} of bfcl-pipeline {__version__}"
        self._engines = {"search": unnamed, "fetch": unnamed, **(engines or {})}
        self._recorder = Recorder(cache, secrets=secrets, now=now)

    def _outcome(self, key: SearchKey | FetchKey) -> Outcome:
        match key:
            case SearchKey(keywords, region):
                return self._recorder.outcome(
                    key, self._engines["search"], lambda: self._live.search(keywords, region)
                )
            case FetchKey(url):
                return self._recorder.outcome(key, self._engines["fetch"], lambda: self._live.fetch(url))
