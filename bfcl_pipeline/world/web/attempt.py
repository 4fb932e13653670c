"""One live search or fetch with what was sent, what came, and what that would mean for a run.

Covers the requests, the outcome or the reason why there is none, and what a user can do about a refusal, in
the order that helps. Nothing is recorded.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from time import monotonic
from typing import TypeAlias
from urllib.parse import urlsplit

from bfcl_pipeline.base.errors import ConfigError, WebError
from bfcl_pipeline.base.text import plural
from bfcl_pipeline.benchmark.config.job import SEARCH_ENGINE_KEYS, WebChoice
from bfcl_pipeline.world.tools.web_search.web import Hits, Page, WebFailure
from bfcl_pipeline.world.web.addresses import AddressRefused, refuse_written
from bfcl_pipeline.world.web.engines.ddgs_engine import WANTED, DdgsEngine
from bfcl_pipeline.world.web.engines.facts import FACTS
from bfcl_pipeline.world.web.engines.requested import UnknownAnswer
from bfcl_pipeline.world.web.engines.retries import (
    Outage,
    RetryPolicy,
    SearchRateLimited,
    SearchUnavailable,
)
from bfcl_pipeline.world.web.engines.serpapi import SerpApi
from bfcl_pipeline.world.web.evidence.redaction import redact_address
from bfcl_pipeline.world.web.evidence.tape import HttpExchange, taping
from bfcl_pipeline.world.web.fetcher import Fetcher
from bfcl_pipeline.world.web.keys import FetchKey, SearchKey
from bfcl_pipeline.world.web.modes import open_engine
from bfcl_pipeline.world.web.pace import FOLDER, HostPace
from bfcl_pipeline.world.web.proxies import Proxies

_LONGEST_PROBLEM = 1_000  # characters of the reason why a request has no answer
_CERTIFICATES = (
    "Certificates: if a proxy or firewall opens TLS connections here, name the file of its authority in "
    "the environment variable REQUESTS_CA_BUNDLE. Otherwise the certificate of the site is not valid."
)
_REFUSING = ("401 ", "403 ", "429 ", "503 ")  # how the failure of a page begins whose site refuses


Asking: TypeAlias = Callable[[], Hits | Page | WebFailure]
"""Makes the requests of one search or fetch. Raises WebError."""


@dataclass(frozen=True, slots=True)
class SentRequest:
    """One HTTP request and what came back."""

    method: str
    host: str
    status: int  # 0: no answer
    kind: str  # media type of the answer; empty if it names none
    bytes: int  # of the body that were read, decompressed
    seconds: float | None  # until the body was read, or the request failed; None: unknown
    problem: str  # why there is no complete answer; empty if there is one


@dataclass(frozen=True, slots=True)
class Attempt:
    """What one search or fetch led to."""

    key: SearchKey | FetchKey
    requests: tuple[SentRequest, ...]  # in the order in which they were sent
    seconds: float  # of the whole, with waits
    outcome: Hits | Page | WebFailure | None  # None: a run would record nothing
    failure: str  # why there is no outcome; empty if there is one
    error: WebError | None = None  # the last failure itself

    @property
    def retried(self) -> bool:
        """Whether a run would ask again before it gives up."""
        return isinstance(self.error, SearchUnavailable)


def page_key(address: str) -> FetchKey:
    """The key of a page that a user wants to fetch.

    Raises ConfigError if it is not the address of a page, or that of one which no run may fetch.
    """
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
        _ = parts.port  # raises ValueError for one that is not a port
    except ValueError as error:
        raise ConfigError(f"{redact_address(address)}: not an address ({error}).") from None
    if parts.scheme.lower() not in ("http", "https") or not host:
        raise ConfigError(
            f"{redact_address(address)}: not the address of a page, such as https://example.org/page."
        )
    try:
        refuse_written(host)
    except AddressRefused:
        raise ConfigError(
            f"{redact_address(address)}: a private address. Runs fetch pages of the public internet only; "
            "a model that asks for this one is told that the connection failed."
        ) from None
    return FetchKey.of(address)


def asking(key: SearchKey | FetchKey, choice: WebChoice, *, pages: int, retry: bool) -> Asking:
    """What asks for `key` as a run in the mode `live` does.

    Args:
        key: a search, or a page.
        choice: engine, proxy and pause.
        pages: of results of one search, at most.
        retry: also as often as a run, after a refusal.

    Raises:
        ConfigError: the engine's key is missing, or the proxy cannot be used.
    """
    proxies = Proxies.of(choice.proxy)
    folder = choice.cache / FOLDER if choice.cache.is_dir() else None  # a run may be recording there
    pace = HostPace(choice.pause, folder)
    if isinstance(key, FetchKey):
        return partial(Fetcher(proxies=proxies, pace=pace).fetch, key.url)
    engine = open_engine(choice.search_engine, proxies, pace)
    if isinstance(engine, DdgsEngine):
        engine = replace(engine, most_pages=pages)
    if isinstance(engine, DdgsEngine | SerpApi) and not retry:
        engine = replace(engine, retries=RetryPolicy(attempts=1))
    return partial(engine.search, key.keywords, key.region)


def attempt(key: SearchKey | FetchKey, ask: Asking, clock: Callable[[], float] = monotonic) -> Attempt:
    """Asks once for `key` and notes what was sent."""
    started = clock()
    outcome: Hits | Page | WebFailure | None = None
    failed: WebError | None = None
    with taping() as tape:
        try:
            outcome = ask()
        except WebError as error:
            failed = error
    # The last failure without its general advice, for which `advice` is more precise.
    cause = failed.__cause__ if failed is not None else None
    shown = cause if isinstance(cause, SearchUnavailable) else failed
    return Attempt(
        key,
        tuple(map(_sent, tape.copied())),
        clock() - started,
        outcome,
        "" if shown is None else _described(shown),
        shown,
    )


def _described(error: WebError) -> str:
    wait = error.retry_after_seconds if isinstance(error, SearchUnavailable) else None
    return redact_address(str(error)) + (f"; it requests a wait of {wait:g} s" if wait else "")


def switched_off(engine: str) -> bool:
    """Whether ddgs does not use a search engine at present, because its site refuses programs."""
    return engine in FACTS and DdgsEngine(engine).switched_off


def in_a_run(made: Attempt, engine: str, pages: int) -> str:
    """Whether a run would record what came, and as what; else how it would go on.

    pages: of results that the attempt could ask for.
    """
    match made.outcome:
        case Hits(hits) if hits:
            more = min(FACTS[engine].pages, WANTED // 10) - pages if engine in FACTS else 0
            further = plural(more, "further page", "further pages")
            those = f", with those of up to {further}" if more > 0 and len(hits) < WANTED else ""
            return f"yes, as {plural(len(hits), 'result', 'results')}{those}"
        case Hits():
            return "yes, as a search without results"
        case Page(text):
            return f"yes, as a page of {len(text):,} characters"
        case WebFailure():
            return "yes, as a failure with this text, which the model sees"
    again = f"it would ask up to {RetryPolicy().attempts} times, then " if made.retried else ""
    return (
        f"no: {again}the question would get the status infrastructure_error, without a verdict, and the "
        "next run would ask again"
    )


def advice(made: Attempt, engine: str, *, proxied: bool) -> tuple[str, ...]:
    """What a user can do about a refusal or failure, the most promising first; empty if nothing is needed.

    proxied: whether the requests went through a proxy.
    """
    if made.requests and "certificate" in made.requests[-1].problem.lower():
        return (_CERTIFICATES,)
    match made.outcome, made.error:
        case WebFailure(message), _ if message.startswith(_REFUSING):
            return (
                "The site refuses this machine or program. Recorded, the refusal stays: to record the "
                f"page instead, {_other_proxy(proxied)}.",
            )
        case WebFailure(), _ if made.requests and not made.requests[-1].status:
            return (_reach(proxied),)
        case None, SearchRateLimited():
            return tuple(_against_refusal(engine, proxied))
        case None, Outage():
            return (_reach(proxied), f"Another search engine: --search-engine {_another(engine)}.")
        case None, UnknownAnswer():
            return (
                f"Another search engine: --search-engine {_another(engine)}.",
                "A newer version of bfcl-pipeline may read the site's present pages.",
            )
        case None, _ if isinstance(made.key, FetchKey):
            return (_reach(proxied),)
    return ()


def _against_refusal(engine: str, proxied: bool) -> Iterator[str]:
    if engine in SEARCH_ENGINE_KEYS:  # a paid service does not refuse for the address
        yield "Wait until the limit of the account is over, or ask a smaller number of questions."
        yield f"Another search engine: --search-engine {_another(engine)}."
        return
    yield (
        f"Proxy: {_other_proxy(proxied)}. Sites refuse addresses of data centres first, those of homes "
        "and offices last."
    )
    yield (
        f"Another search engine: --search-engine {_another(engine)}"
        + (" (the same results, with a key)." if engine == "duckduckgo" else ".")
    )
    yield (
        "Pause: if the first searches of a run are answered and later ones refused, set web_pause to more "
        "seconds and run again after an hour. What is recorded is not asked again."
    )


def _another(engine: str) -> str:
    return "serpapi" if engine == "duckduckgo" else "duckduckgo"


def _other_proxy(proxied: bool) -> str:
    if proxied:
        return "use another proxy, or none (--proxy none; in the config web_proxy)"
    return "go through a proxy (--proxy http://HOST:PORT; in the config web_proxy)"


def _reach(proxied: bool) -> str:
    if proxied:
        return "Connection: check the proxy, or try without one (--proxy none)."
    return (
        "Connection: check the network and its name servers. Without direct access to the internet, go "
        "through a proxy (--proxy http://HOST:PORT; in the config web_proxy)."
    )


def _sent(exchange: HttpExchange) -> SentRequest:
    kinds = [value for name, value in exchange.headers if name.lower() == "content-type"]
    return SentRequest(
        exchange.method,
        urlsplit(exchange.url).hostname or "",
        exchange.status,
        kinds[0].partition(";")[0].strip().lower() if kinds else "",
        len(exchange.body),
        None if exchange.ended is None else exchange.ended - exchange.started,
        redact_address(exchange.error or "")[:_LONGEST_PROBLEM],
    )
