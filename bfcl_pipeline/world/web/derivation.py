"""Derives outcomes from cassettes: the request of a key is made again, answered by its cassette.

Covers choosing the reader of an outcome: search engine, page fetcher or API client, as a recording run has
them, but without waits. Nothing is sent. Comparing the derived outcome with the recorded one is `check`.
"""

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from bfcl_pipeline.base.errors import WebError
from bfcl_pipeline.base.secrets import REDACTED
from bfcl_pipeline.base.text import plural
from bfcl_pipeline.world.executables.apis import PLACEHOLDERS
from bfcl_pipeline.world.tools.web_search.web import WebFailure
from bfcl_pipeline.world.web.addresses import refuse_written
from bfcl_pipeline.world.web.api_recording import RecordingApis
from bfcl_pipeline.world.web.cache import Outcome, RecordedOutcome, WebCache
from bfcl_pipeline.world.web.engines.giving_up import Engine
from bfcl_pipeline.world.web.engines.retries import RetryPolicy
from bfcl_pipeline.world.web.engines.serpapi import SerpApi
from bfcl_pipeline.world.web.evidence.playing import (
    CassettePlayer,
    NotOnCassette,
    PlayedAnswer,
    RecordedPlayer,
    playing,
)
from bfcl_pipeline.world.web.fetcher import Fetcher
from bfcl_pipeline.world.web.keys import ApiKey, FetchKey, SearchKey
from bfcl_pipeline.world.web.modes import PAGES_BY, engine_text

_UNUSED = WebCache(Path())


class NotDerived(Exception):
    """A cassette leads to no outcome; the text says why."""


@dataclass(frozen=True, slots=True)
class Derived:
    """What a cassette leads to."""

    outcome: Outcome
    redacted: bool  # whether a redirect had secrets, of which the outcome has markers only


def derive_outcome(recorded: RecordedOutcome, cassette: bytes | None) -> Derived:
    """The outcome of a key according to `cassette`; None: nothing was sent. Raises NotDerived."""
    try:
        player = _Played(recorded, _NothingSent() if cassette is None else CassettePlayer(cassette))
    except ValueError as error:
        raise NotDerived(f"its cassette cannot be read: {error}") from error
    try:
        with playing(player):
            outcome = _read(recorded)
    except NotOnCassette as error:
        lacking = "nothing was sent for it" if cassette is None else "its cassette has other requests"
        raise NotDerived(f"{lacking}, its reader sends {error}") from None
    except WebError as error:
        raise NotDerived(f"its cassette leads to no outcome: {error}") from None
    if left := player.left():
        requests = plural(left, "request", "requests")
        raise NotDerived(f"its cassette has {requests} that its reader does not make")
    return Derived(outcome, any(REDACTED in url for url in player.redirects))


def reader(recorded: RecordedOutcome) -> str:
    """The reader of today for an outcome of a search or a page, as outcomes name it."""
    return engine_text(_engine_name(recorded)) if isinstance(recorded.key, SearchKey) else PAGES_BY


def _read(recorded: RecordedOutcome) -> Outcome:
    match recorded.key:
        case SearchKey(keywords, region):
            return _engine(_engine_name(recorded)).search(keywords, region)
        case FetchKey(url):
            return Fetcher().fetch(url)
        case ApiKey(request):
            keys = dict.fromkeys(PLACEHOLDERS, REDACTED)
            return RecordingApis(_UNUSED, keys, retries=_retries(3)).ask(request)


def _engine(name: str) -> Engine:
    """A search engine as `modes.open_engine` has it, without its key."""
    if name == "serpapi":
        return SerpApi(REDACTED, retries=_retries(5))
    from bfcl_pipeline.world.web.engines.ddgs_engine import DdgsEngine  # loads ddgs

    return DdgsEngine(name, retries=_retries(5))


def _engine_name(recorded: RecordedOutcome) -> str:
    """The search engine that was asked."""
    key = recorded.key
    if isinstance(key, SearchKey) and key.engine:
        return key.engine
    return "serpapi" if recorded.engine.startswith("serpapi ") else "duckduckgo"


def _retries(attempts: int) -> RetryPolicy:
    """Retries without waits."""
    return RetryPolicy(attempts, sleep=_at_once, jitter=float)


def _at_once(_seconds: float) -> None:
    """Waits for nothing."""


class _NothingSent:
    """A cassette without any request."""

    def answer(self, method: str, url: str, _body: bytes | None) -> PlayedAnswer:
        raise NotOnCassette(f"{method} {url}")

    def left(self) -> int:
        return 0


class _Played:
    """The cassette of an outcome.

    If the outcome is a failure, a request that the cassette does not have is refused if its host is written
    as a private address: a fetch through a proxy does so before it sends anything.
    """

    def __init__(self, recorded: RecordedOutcome, cassette: RecordedPlayer) -> None:
        self._fetches = isinstance(recorded.key, FetchKey)
        self._may_refuse = self._fetches and isinstance(recorded.outcome, WebFailure)
        self._cassette = cassette
        self._asked: list[str] = []
        self.left = cassette.left

    @property
    def redirects(self) -> list[str]:
        """The addresses to which a fetch was redirected."""
        return self._asked[1:] if self._fetches else []

    def answer(self, method: str, url: str, body: bytes | None) -> PlayedAnswer:
        self._asked.append(url)
        try:
            return self._cassette.answer(method, url, body)
        except NotOnCassette:
            if self._may_refuse:
                refuse_written(urlsplit(url).hostname or "")
            raise
