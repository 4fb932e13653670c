"""When a job stops asking a search engine: after several searches in a row without an answer.

Each of them failed after its own retries, so that further ones would only make a refusal last longer.
Searches that are recorded are still answered, as they do not get here.
"""

import threading
from typing import Protocol

from bfcl_pipeline.base.errors import WebError, WebStopped
from bfcl_pipeline.world.tools.web_search.web import Hits, WebFailure
from bfcl_pipeline.world.web.engines.requested import UnknownAnswer

STOP_AFTER = 3
"""Searches in a row that were refused or not answered, after which nothing is asked any more."""

STOP_AFTER_UNKNOWN = 10
"""The same for answers that cannot be read, which may depend on what is searched."""


class Engine(Protocol):
    """A search engine."""

    def search(self, keywords: str, region: str) -> Hits | WebFailure:
        """The results. Raises WebError if it does not answer after its retries."""


class GivingUp:
    """A search engine that is not asked any more once it has ceased to answer. An Engine."""

    def __init__(self, engine: Engine, name: str) -> None:
        self._engine = engine
        self._name = name
        self._lock = threading.Lock()
        self._failed = 0  # searches in a row
        self._unread = 0
        self._reason = ""  # why it is not asked any more

    def search(self, keywords: str, region: str) -> Hits | WebFailure:
        """The results. Raises WebStopped once the engine is not asked, else WebError as the engine does."""
        if self._reason:
            raise WebStopped(self._reason)
        try:
            found = self._engine.search(keywords, region)
        except WebError as error:
            self._note(error)
            raise
        with self._lock:
            self._failed = self._unread = 0
        return found

    def _note(self, error: WebError) -> None:
        with self._lock:
            if isinstance(error, UnknownAnswer):
                self._unread += 1
            else:
                self._failed += 1
            if self._failed >= STOP_AFTER or self._unread >= STOP_AFTER_UNKNOWN:
                in_a_row = self._failed + self._unread
                self._reason = self._reason or (
                    f"{self._name} did not answer {in_a_row} searches in a row and is not asked again in "
                    f"this job. The last failure: {error}"
                )
