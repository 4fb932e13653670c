"""The web requests of recorded responses: which they are, and which the web cache can replay.

Covers searches and pages, which follow from the calls of a response. The requests of executed calls follow
from scoring it: `executed`.
"""

import contextlib
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.benchmark.config.job import SEARCH_TOOL
from bfcl_pipeline.benchmark.records import Call, Response
from bfcl_pipeline.dialogue.calls import calls_by_step
from bfcl_pipeline.world.tools.api import CallFailed
from bfcl_pipeline.world.tools.call_rewriter import CallRewriter
from bfcl_pipeline.world.tools.web_search.api import WebSearchAPI, WebSearchState
from bfcl_pipeline.world.tools.web_search.web import Hits, Page, WebFailure
from bfcl_pipeline.world.web.cache import WebCache
from bfcl_pipeline.world.web.keys import FetchKey, Key, SearchKey

_REWRITER = CallRewriter({})  # changes texts as the execution of calls does; it knows no method names


@dataclass(frozen=True, slots=True)
class CacheCoverage:
    """How many web calls of one model's responses the web cache can replay."""

    model: str
    calls: int  # calls that make a web request, repeated ones included
    calls_recorded: int
    keys: int  # distinct searches and pages among them
    keys_recorded: int
    unreadable: int = 0  # responses that are not JSON


def coverage(
    recorded: Collection[Key],
    responses: Iterable[Response],
    keys_of: Callable[[Response], Iterable[Key]] | None = None,
) -> list[CacheCoverage]:
    """For each model, sorted by name, how many of its web requests are in `recorded`.

    keys_of: the web requests of a response; by default `web_keys`.
    """
    keys_of = keys_of or web_keys
    requests: dict[str, Counter[Key]] = {}
    unreadable: Counter[str] = Counter()
    for response in responses:
        model = response.model or "?"
        keys = requests.setdefault(model, Counter())
        try:
            keys.update(keys_of(response))
        except (ValueError, RecursionError, TableError):
            unreadable[model] += 1
    return [
        CacheCoverage(
            model,
            keys.total(),
            sum(count for key, count in keys.items() if key in recorded),
            len(keys),
            sum(key in recorded for key in keys),
            unreadable[model],
        )
        for model, keys in sorted(requests.items())
    ]


def used_keys(responses: Iterable[Response], search_tool: str = SEARCH_TOOL, engine: str = "") -> set[Key]:
    """The web requests that the calls in responses make. Responses that are not JSON are skipped.

    search_tool: the name under which the models knew the search. engine: their search engine.
    """
    keys: set[Key] = set()
    for response in responses:
        with contextlib.suppress(ValueError, RecursionError):
            keys |= set(web_keys(response, search_tool, engine))
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


def web_keys(response: Response, search_tool: str = SEARCH_TOOL, engine: str = "") -> Iterator[Key]:
    """The web requests that the calls in a response make, in order. Raises ValueError if it is not JSON.

    search_tool: the name under which the model knew the search. engine: the search engine of the model.
    """
    for calls in calls_by_step(json.loads(response.result_json or "null"), response.mode):
        for call in calls:
            key = web_key(replace(call, name=SEARCH_TOOL) if call.name == search_tool else call, engine)
            if key is not None:
                yield key


def web_key(call: Call, engine: str = "") -> Key | None:
    """The web request that `call` makes; None for other functions and for arguments the tool rejects.

    engine: the search engine, one of config.job.SEARCH_ENGINES; empty: DuckDuckGo.
    """
    if any(isinstance(value, Call) for value in call.arguments.values()):
        return None  # the result of the inner call is not known
    listener = _Listener(engine)
    api = WebSearchAPI(WebSearchState(show_snippet=True), listener, lambda text, _mode: text)
    functions: dict[str, Callable[..., object]] = {
        "search_engine_query": api.search_engine_query,
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


class _Listener:
    """A web that only notes the tool's request."""

    def __init__(self, engine: str) -> None:
        self._engine = engine
        self.key: Key | None = None

    def search(self, keywords: str, region: str) -> Hits | WebFailure:
        self.key = SearchKey.of(keywords, region, self._engine)
        return WebFailure("")

    def fetch(self, url: str) -> Page | WebFailure:
        self.key = FetchKey.of(url)
        return WebFailure("")
