"""What the web cache holds, what of it is damaged, and which requests of responses it can replay.

Covers searches and pages, which follow from the calls of a response. The requests of executed calls follow
from scoring it: `judge.executed_requests`.
"""

import contextlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from bfcl_pipeline.base.errors import WebError
from bfcl_pipeline.benchmark.config.job import SEARCH_TOOL
from bfcl_pipeline.benchmark.records import Call, Response
from bfcl_pipeline.dialogue.calls import calls_by_step
from bfcl_pipeline.world.executables import ApiAnswer
from bfcl_pipeline.world.tools.api import CallFailed
from bfcl_pipeline.world.tools.call_rewriter import CallRewriter
from bfcl_pipeline.world.tools.web_search.api import WebSearchAPI, WebSearchState
from bfcl_pipeline.world.tools.web_search.web import Hits, Page, WebFailure
from bfcl_pipeline.world.web.cache import Outcome, WebCache
from bfcl_pipeline.world.web.keys import ApiKey, FetchKey, Key, SearchKey
from bfcl_pipeline.world.web.recording import KeyedWeb

_REWRITER = CallRewriter({})  # changes texts as the execution of calls does; it knows no method names


def used_keys(responses: Iterable[Response], search_tool: str = SEARCH_TOOL) -> set[Key]:
    """The web requests that the calls in responses make. Responses that are not JSON are skipped.

    search_tool: the name under which the models knew the search.
    """
    keys: set[Key] = set()
    for response in responses:
        with contextlib.suppress(ValueError, RecursionError):
            keys |= set(web_keys(response, search_tool))
    return keys


def files_of(cache: WebCache, keys: Iterable[Key]) -> list[Path]:
    """The outcomes of `keys` in `cache` and their cassettes, sorted. Raises WebError if one is damaged."""
    files: set[Path] = set()
    for path in sorted(map(cache.path, set(keys))):
        recorded = cache.read(path)
        if recorded is None:
            continue
        files.add(path)
        if recorded.cassette is not None:
            cassette = path.with_name(recorded.cassette)
            files |= {cassette} if cassette.is_file() else set()
    return sorted(files)


def web_keys(response: Response, search_tool: str = SEARCH_TOOL) -> Iterator[Key]:
    """The web requests that the calls in a response make, in order. Raises ValueError if it is not JSON.

    search_tool: the name under which the model knew the search.
    """
    for calls in calls_by_step(json.loads(response.result_json or "null"), response.mode):
        for call in calls:
            key = web_key(replace(call, name=SEARCH_TOOL) if call.name == search_tool else call)
            if key is not None:
                yield key


def web_key(call: Call) -> Key | None:
    """The web request that `call` makes; None for other functions and for arguments the tool rejects."""
    if any(isinstance(value, Call) for value in call.arguments.values()):
        return None  # the result of the inner call is not known
    listener = _Listener()
    api = WebSearchAPI(WebSearchState(show_snippet=True), listener, lambda text, _mode: text)
    functions: dict[str, Callable[..., object]] = {
        SEARCH_TOOL: getattr(api, SEARCH_TOOL),
        "fetch_url_content": api.fetch_url_content,
    }
    function = functions.get(call.name)
    # Whatever error the tool reports for wrong arguments, it has made no web request then.
    with contextlib.suppress(TypeError, ValueError, AttributeError, RecursionError, CallFailed):
        if function is not None:
            arguments = {
                name: _REWRITER.text(value) if isinstance(value, str) else value
                for name, value in call.arguments.items()
            }
            function(**arguments)  # type: ignore[arg-type]  # names may be None too
    return listener.key


class _Listener(KeyedWeb):
    """A web that only notes the tool's request."""

    def __init__(self) -> None:
        self.key: Key | None = None

    def _outcome(self, key: SearchKey | FetchKey) -> Outcome:
        self.key = key
        return WebFailure("")


API = "api"
"""What the requests of executed calls are called in `CacheStats.outcomes`."""

_OUTCOMES = {Hits: "hits", Page: "page", WebFailure: "failure", ApiAnswer: "answer"}
_FUNCTIONS: dict[type[Key], str] = {SearchKey: "search", FetchKey: "fetch", ApiKey: API}


@dataclass(slots=True)
class CacheStats:
    """Counts over the outcomes of a web cache."""

    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)  # by function and kind
    keys: set[Key] = field(default_factory=set)  # that can be replayed
    engines: Counter[str] = field(default_factory=Counter)  # outcomes by search engine or HTTP client
    oldest: datetime | None = None  # UTC, of the outcomes
    newest: datetime | None = None
    bytes: int = 0  # of all files, cassettes included
    damaged: list[str] = field(default_factory=list)  # one line per outcome


def survey(cache: WebCache) -> CacheStats:
    """Reads every outcome of `cache`. Damage is reported in the result, never raised.

    Whether their cassettes are there, and prove them, is what `check` finds out.
    """
    stats = CacheStats()
    for path in cache.paths():
        try:
            recorded = cache.read(path)
        except WebError as error:
            stats.damaged.append(str(error))
            continue
        if recorded is not None:
            stats.outcomes[_FUNCTIONS[type(recorded.key)], _OUTCOMES[type(recorded.outcome)]] += 1
            stats.keys.add(recorded.key)
            stats.engines[recorded.engine] += 1
            stats.oldest = min(recorded.recorded_at, stats.oldest or recorded.recorded_at)
            stats.newest = max(recorded.recorded_at, stats.newest or recorded.recorded_at)
    for path in cache.folder.glob("??/??/*") if cache.folder.is_dir() else ():
        stats.bytes += path.lstat().st_size
    return stats
