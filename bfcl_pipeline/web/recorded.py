"""The webs of the modes `record` and `replay`: what was seen once is seen again.

`Recording` asks a live web for what the record lacks; `Replaying` asks nobody. Both ask with the key's
form of the arguments, so that what is recorded does not depend on which spelling came first. How often
the live web is tried again, and what it counts as a failure to be told, is its own.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Future
from datetime import UTC, datetime
from typing import cast

from bfcl_pipeline import __version__
from bfcl_pipeline.errors import NotRecorded
from bfcl_pipeline.tools.web import Failure, Hit, Hits, Page, Web
from bfcl_pipeline.web.cassette import taping
from bfcl_pipeline.web.keys import FetchKey, Key, SearchKey
from bfcl_pipeline.web.record import Outcome, Record
from bfcl_pipeline.web.scrubbing import Scrubber


def _utc_now() -> datetime:
    return datetime.now(UTC)


class _FromRecord(ABC):
    """A web that answers by keys; the record sees to it that a kind of outcome belongs to its function."""

    def search(self, keywords: str, region: str) -> Hits | Failure:
        """What was found. Raises WebError."""
        return cast("Hits | Failure", self._outcome(SearchKey.of(keywords, region)))

    def fetch(self, url: str) -> Page | Failure:
        """The page. Raises WebError."""
        return cast("Page | Failure", self._outcome(FetchKey.of(url)))

    @abstractmethod
    def _outcome(self, key: Key) -> Outcome:
        """The outcome of `key`."""


class Replaying(_FromRecord):
    """The recorded web. Raises NotRecorded for what the record lacks, WebError for what is damaged."""

    def __init__(self, record: Record) -> None:
        self._record = record

    def _outcome(self, key: Key) -> Outcome:
        outcome = self._record.find(key)
        if outcome is None:
            raise NotRecorded(
                f"No outcome in {self._record.folder} for the {key}. Run once in the mode `record`, or "
                "bring a record that has it."
            )
        return outcome


class Recording(_FromRecord):
    """A live web whose outcomes are recorded; each key is asked of it once, however many threads ask.

    Threads that ask for a key while it is being asked of the live web share what comes of it, an error
    too. After an error nothing is recorded and the next call asks again.
    """

    def __init__(
        self,
        record: Record,
        live: Web,
        *,
        engines: Mapping[str, str] | None = None,
        secrets: Collection[str] = (),
        now: Callable[[], datetime] = _utc_now,
    ) -> None:
        """engines: what answers `search` and `fetch`, with versions. secrets: keys, never to be written."""
        self._record = record
        self._live = live
        unnamed = f"{type(live).__name__} of bfcl-pipeline {__version__}"
        self._engines = {"search": unnamed, "fetch": unnamed, **(engines or {})}
        self._secrets = tuple(secrets)
        self._scrub = Scrubber(secrets).text
        self._now = now
        self._lock = threading.Lock()
        self._asked: dict[Key, Future[Outcome]] = {}

    def _outcome(self, key: Key) -> Outcome:
        with self._lock:
            shared = self._asked.get(key)
            if shared is None:
                mine = self._asked[key] = Future()
        if shared is not None:
            return shared.result()
        try:
            outcome = self._found_or_asked(key)
        except BaseException as error:
            mine.set_exception(error)
            raise
        else:
            mine.set_result(outcome)
            return outcome
        finally:
            with self._lock:
                del self._asked[key]

    def _found_or_asked(self, key: Key) -> Outcome:
        found = self._record.find(key)
        if found is not None:
            return found
        with taping() as tape:
            outcome: Outcome
            if isinstance(key, SearchKey):
                function, outcome = "search", self._live.search(key.keywords, key.region)
            else:
                function, outcome = "fetch", self._live.fetch(key.url)
        return self._record.add(
            key,
            self._without_secrets(outcome),
            engine=self._engines[function],
            recorded_at=self._now(),
            cassette=tape.cassette(self._secrets),
        )

    def _without_secrets(self, outcome: Outcome) -> Outcome:
        """An outcome in which a server echoed none of our keys; one that did so is told like this too."""
        scrub = self._scrub
        match outcome:
            case Hits(hits):
                return Hits(tuple(Hit(scrub(hit.title), scrub(hit.href), scrub(hit.body)) for hit in hits))
            case Page(text):
                return Page(scrub(text))
            case Failure(message):
                return Failure(scrub(message))
