"""Derives outcomes from cassettes, and compares them with the recorded ones.

The request of a key is made again, answered by its cassette, by the reader of a recording run (search
engine, page fetcher or API client), but without waits. Nothing is sent. A cassette has no secrets, but its
outcome may: values of secret parameters in the address of a page or of a redirect, wherever the page
repeats them. Texts are compared without them.
"""

from collections import Counter
from collections.abc import Iterator
from os.path import commonprefix
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from bfcl_pipeline.base.errors import WebError
from bfcl_pipeline.base.secrets import REDACTED
from bfcl_pipeline.base.text import cut, on_one_line, plural, printable
from bfcl_pipeline.benchmark.config.job import DUCKDUCKGO, SERPAPI
from bfcl_pipeline.world.executables import ApiAnswer
from bfcl_pipeline.world.executables.apis import PLACEHOLDERS
from bfcl_pipeline.world.tools.web_search.web import Hits, Page, WebFailure
from bfcl_pipeline.world.web.addresses import refuse_written
from bfcl_pipeline.world.web.api_recording import RecordingApis
from bfcl_pipeline.world.web.cache import Outcome, RecordedOutcome, WebCache
from bfcl_pipeline.world.web.engines.serpapi import SerpApi
from bfcl_pipeline.world.web.evidence.playing import CassettePlayer, NotOnCassette, playing
from bfcl_pipeline.world.web.evidence.redaction import HttpRedactor, differs_in_secrets_only, secret_values
from bfcl_pipeline.world.web.evidence.tape import HttpExchange
from bfcl_pipeline.world.web.fetcher import LONGEST_FAILURE, Fetcher
from bfcl_pipeline.world.web.keys import ApiKey, FetchKey, Key, SearchKey
from bfcl_pipeline.world.web.modes import engine_text
from bfcl_pipeline.world.web.recording import REQUESTS

_UNUSED = WebCache(Path())


class ReaderChanged(Exception):
    """An outcome does not follow from its cassette, and another version of the reader recorded it."""


def contradiction(recorded: RecordedOutcome, cassette: bytes | None) -> str | None:
    """What the cassette of an outcome does not prove, in words; None if it proves it.

    cassette: the content of its cassette file; None if nothing was sent. Raises ReaderChanged if a search,
    or a fetch that exceeded a limit, does not follow from it and another version of the reader recorded it.
    """
    try:
        player = _Player(recorded, cassette)
    except ValueError as error:  # no version of a reader has recorded it
        return f"its cassette cannot be read: {error}"
    problem = _disproof(recorded, player, sent=cassette is not None)
    if problem and _depends_on_version(recorded):
        is_search = isinstance(recorded.key, SearchKey)
        reader = engine_text(_engine_name(recorded)) if is_search else REQUESTS
        if recorded.engine != reader:
            raise ReaderChanged(f"recorded by {recorded.engine}, the reader is now {reader}: {problem}")
    return problem


def _disproof(recorded: RecordedOutcome, player: "_Player", *, sent: bool) -> str | None:
    """How an outcome differs from what today's reader makes of its cassette; None: it does not."""
    try:
        with playing(player):
            derived = _read(recorded)
    except NotOnCassette as error:
        lacking = "its cassette has other requests" if sent else "nothing was sent for it"
        return f"{lacking}, its reader sends {error}"
    except WebError as error:
        return f"its cassette leads to no outcome: {error}"
    if left := player.left():
        return f"its cassette has {plural(left, 'request', 'requests')} that its reader does not make"
    return difference(recorded.key, recorded.outcome, derived, redacted=player.has_redacted_redirect)


_OF_LIMITS = ("Read timed out. (total timeout=", "Headers of more than ", "Content of more than ")


def _depends_on_version(recorded: RecordedOutcome) -> bool:
    """Whether versions of a reader may differ: in what a search requests, or in the limits of a fetch."""
    match recorded.key, recorded.outcome:
        case SearchKey(), _:
            return True
        case FetchKey(), WebFailure(message):
            return message.startswith(_OF_LIMITS)
    return False


def _read(recorded: RecordedOutcome) -> Outcome:
    match recorded.key:
        case SearchKey(keywords, region) if _engine_name(recorded) == SERPAPI:
            return SerpApi(REDACTED).search(keywords, region)
        case SearchKey(keywords, region):
            from bfcl_pipeline.world.web.engines.duckduckgo import DuckDuckGo  # loads ddgs

            return DuckDuckGo().search(keywords, region)
        case FetchKey(url):
            return Fetcher().fetch(url)
        case ApiKey(request):
            return RecordingApis(_UNUSED, dict.fromkeys(PLACEHOLDERS, REDACTED)).ask(request)


def _engine_name(recorded: RecordedOutcome) -> str:
    """The search engine that was asked."""
    return SERPAPI if recorded.engine.startswith(f"{SERPAPI} ") else DUCKDUCKGO


class _Player(CassettePlayer):
    """The cassette of an outcome.

    If the outcome is a failure, a request that the cassette does not have is refused if its host is written
    as a private address: a fetch through a proxy does so before it sends anything.
    """

    def __init__(self, recorded: RecordedOutcome, cassette: bytes | None) -> None:
        super().__init__(cassette)
        self._fetches = isinstance(recorded.key, FetchKey)
        self._may_refuse = self._fetches and isinstance(recorded.outcome, WebFailure)
        self._asked: list[str] = []

    @property
    def has_redacted_redirect(self) -> bool:
        """Whether a fetch was redirected to an address with secrets, of which it has markers only."""
        return self._fetches and any(REDACTED in url for url in self._asked[1:])

    def answer(self, method: str, url: str, body: bytes | None) -> HttpExchange:
        self._asked.append(url)
        try:
            return super().answer(method, url, body)
        except NotOnCassette:
            if self._may_refuse:
                refuse_written(urlsplit(url).hostname or "")
            raise


_KINDS = {Hits: "results", Page: "a page", WebFailure: "a failure", ApiAnswer: "an answer"}
_SHOWN = 60  # characters of a text in a message, after the place where it differs
_BEFORE = 20  # characters before that place


def difference(key: Key, recorded: Outcome, derived: Outcome, *, redacted: bool = False) -> str | None:
    """How two outcomes of `key` differ, in words; None if they do not.

    derived: the outcome that the cassette leads to. redacted: whether it has markers in the place of
    secrets that are not in the key; any text that may be a secret is then taken for one.
    """
    ours, theirs = _KINDS[type(recorded)], _KINDS[type(derived)]
    if ours != theirs:
        return f"the outcome is {ours}, its cassette leads to {theirs}"
    if isinstance(recorded, Hits) and isinstance(derived, Hits):
        here, there = len(recorded.hits), len(derived.hits)
        if here != there:
            return f"the number of results is {here:,}, in its cassette {there:,}"
        if recorded != derived and Counter(recorded.hits) == Counter(derived.hits):
            return "the results are in another order than in its cassette"
    redactor = HttpRedactor(_secrets(key))
    for (name, mine), (_, other) in zip(_texts(recorded), _texts(derived), strict=True):
        if mine == other:
            continue
        if isinstance(recorded, WebFailure):
            mine, other = _failures_without(redactor, mine, other)
        else:
            mine, other = _without(redactor, mine), _without(redactor, other)
        if mine != other and not (redacted and differs_in_secrets_only(mine, other)):
            at = len(commonprefix([mine, other]))  # noqa: RUF071  # of characters, not of paths
            return f"the {name} is {_shown(mine, at)}, in its cassette {_shown(other, at)}"
    return None


def _texts(outcome: Outcome) -> Iterator[tuple[str, str]]:
    """The texts of an outcome with their names."""
    match outcome:
        case Hits(hits):
            for number, hit in enumerate(hits, start=1):
                yield f"title of result {number}", hit.title
                yield f"address of result {number}", hit.href
                yield f"snippet of result {number}", hit.body
        case Page(text):
            yield "text of the page", text
        case WebFailure(message):
            yield "text of the failure", message
        case ApiAnswer(status, body):
            yield "HTTP status", str(status)
            yield "body", body


def _failures_without(redactor: HttpRedactor, ours: str, theirs: str) -> tuple[str, str]:
    """Two texts of failures without secrets and users in addresses."""
    whole = max(len(ours), len(theirs)) < LONGEST_FAILURE
    ours, theirs = redactor.address(ours), redactor.address(theirs)
    # They are cut to the same length, one with secrets and one with markers.
    length = None if whole else max(0, min(len(ours), len(theirs)) - len(REDACTED))
    return ours[:length], theirs[:length]


def _without(redactor: HttpRedactor, text: str) -> str:
    """`text` without secrets, as the bytes of a cassette are."""
    return redactor.content(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")


def _secrets(key: Key) -> list[str]:
    """The secrets in the address of a key."""
    if isinstance(key, FetchKey):
        return list(secret_values(key.url))
    if isinstance(key, ApiKey):
        query = urlencode(key.request.params, errors="replace")
        return list(secret_values(f"{key.request.url}?{query}"))
    return []


def _shown(text: str, at: int) -> str:
    """A text for a message, around the place where it differs."""
    start = max(0, at - _BEFORE)
    part = on_one_line(printable(cut(text[start:], _SHOWN + _BEFORE)))
    return f'{"..." if start else ""}"{part}"'
