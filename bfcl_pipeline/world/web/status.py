"""The state of the web cache: how much it holds, and which of its files are damaged."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime

from bfcl_pipeline.base.errors import WebError
from bfcl_pipeline.world.executables import ApiAnswer
from bfcl_pipeline.world.tools.web_search.web import Hits, Page, WebFailure
from bfcl_pipeline.world.web.cache import RecordedOutcome, WebCache
from bfcl_pipeline.world.web.keys import ApiKey, FetchKey, Key, SearchKey

API = "api"
"""What the requests of executed calls are called in `CacheStats.outcomes`."""

_OUTCOMES = {Hits: "hits", Page: "page", WebFailure: "failure", ApiAnswer: "answer"}
_FUNCTIONS: dict[type[Key], str] = {SearchKey: "search", FetchKey: "fetch", ApiKey: API}


@dataclass(slots=True)
class CacheStats:
    """Counts over the files of a web cache."""

    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)  # by function and kind
    keys: set[Key] = field(default_factory=set)  # that can be replayed
    engines: Counter[str] = field(default_factory=Counter)  # outcomes by search engine or HTTP client
    oldest: datetime | None = None  # UTC, of the outcomes
    newest: datetime | None = None
    bytes: int = 0  # of all files, cassettes included
    cassettes: int = 0  # undamaged ones
    cassettes_missing: int = 0  # that outcomes name
    leftovers: int = 0  # files that no outcome names
    damaged: list[str] = field(default_factory=list)  # one line per file


def survey(cache: WebCache) -> CacheStats:
    """Reads and checks every file of `cache`. Damage is reported in the result, never raised."""
    stats = CacheStats()
    cassettes: set[str] = set()
    for path in cache.paths():
        try:
            recorded = cache.read(path)
        except WebError as error:
            stats.damaged.append(str(error))
            continue
        if recorded is not None:
            _count(stats, recorded)
            if recorded.cassette is not None:
                cassettes.add(recorded.cassette)
                _count_cassette(stats, cache, recorded)
    for path in cache.folder.glob("??/??/*") if cache.folder.is_dir() else ():
        stats.bytes += path.lstat().st_size
    stats.leftovers = sum(1 for _ in cache.unused(cassettes))
    return stats


def _count(stats: CacheStats, recorded: RecordedOutcome) -> None:
    stats.outcomes[_FUNCTIONS[type(recorded.key)], _OUTCOMES[type(recorded.outcome)]] += 1
    stats.keys.add(recorded.key)
    stats.engines[recorded.engine] += 1
    stats.oldest = min(recorded.recorded_at, stats.oldest or recorded.recorded_at)
    stats.newest = max(recorded.recorded_at, stats.newest or recorded.recorded_at)


def _count_cassette(stats: CacheStats, cache: WebCache, recorded: RecordedOutcome) -> None:
    try:
        cache.read_cassette(recorded)
    except FileNotFoundError:
        stats.cassettes_missing += 1
    except WebError as error:
        stats.damaged.append(str(error))
    else:
        stats.cassettes += 1
