"""Records outcomes into the web cache: each request is made once, by however many threads need it.

Covers sharing a request that is running, the HTTP evidence, and removing our keys from what is written.
What is requested, and which failures are outcomes, is decided by `recording` and `api_recording`.
"""

import threading
from collections.abc import Callable, Collection
from concurrent.futures import Future
from datetime import UTC, datetime
from typing import assert_never

from bfcl_pipeline.base.secrets import Redactor
from bfcl_pipeline.world.executables import ApiAnswer
from bfcl_pipeline.world.tools.web_search.web import Hit, Hits, Page, WebFailure
from bfcl_pipeline.world.web.cache import Outcome, WebCache
from bfcl_pipeline.world.web.evidence.tape import taping
from bfcl_pipeline.world.web.keys import Key


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
