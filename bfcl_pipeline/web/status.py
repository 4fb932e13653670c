"""The state of a record: what it holds, what of it is damaged, and what of a run's calls it covers."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime

from bfcl_pipeline.calls import decode_step
from bfcl_pipeline.config.web import SEARCH_TOOL
from bfcl_pipeline.errors import WebError
from bfcl_pipeline.records import Call, DecodeFailure, Response
from bfcl_pipeline.tools.limits import CallFailed
from bfcl_pipeline.tools.web import Failure, Hits, Page
from bfcl_pipeline.tools.web_search import WebSearchAPI, WebSearchState
from bfcl_pipeline.web.keys import FetchKey, Key, SearchKey
from bfcl_pipeline.web.record import Record, Recorded


@dataclass(slots=True)
class Survey:
    """What a record holds."""

    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)  # by function and kind
    keys: set[Key] = field(default_factory=set)  # that can be replayed
    engines: Counter[str] = field(default_factory=Counter)  # outcomes by what was asked
    oldest: datetime | None = None  # UTC, of the outcomes
    newest: datetime | None = None
    bytes: int = 0  # of all files, cassettes included
    cassettes: int = 0  # whole ones
    cassettes_missing: int = 0  # that outcomes name
    leftovers: int = 0  # files that belong to nothing: of writers that were stopped
    damaged: list[str] = field(default_factory=list)  # one line per file


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many web calls of one model's responses a record can replay."""

    model: str
    calls: int  # calls that ask the web, repeated ones too
    calls_recorded: int
    keys: int  # different searches and pages among them
    keys_recorded: int
    unreadable: int = 0  # responses that are no JSON


def survey(record: Record) -> Survey:
    """Reads and checks every file of `record`. Damage is told in the result, never raised."""
    found = Survey()
    evidence: set[str] = set()
    for path in record.paths():
        try:
            recorded = record.read(path)
        except WebError as error:
            found.damaged.append(str(error))
            continue
        if recorded is not None:
            _count(found, recorded)
            if recorded.cassette is not None:
                evidence.add(recorded.cassette)
                _check_cassette(found, record, recorded)
    for path in record.folder.glob("??/??/*") if record.folder.is_dir() else ():
        found.bytes += path.stat().st_size
        if path.suffix == ".tmp" or (path.suffix == ".yaml" and path.name not in evidence):
            found.leftovers += 1
    return found


def coverage(recorded: Collection[Key], responses: Iterable[Response]) -> list[Coverage]:
    """For each model, in order of name, how much of what it asked of the web is among `recorded`."""
    asked: dict[str, Counter[Key]] = {}
    unreadable: Counter[str] = Counter()
    for response in responses:
        model = response.model or "?"
        keys = asked.setdefault(model, Counter())
        try:
            keys.update(web_keys(response))
        except (ValueError, RecursionError):
            unreadable[model] += 1
    return [
        Coverage(
            model,
            keys.total(),
            sum(count for key, count in keys.items() if key in recorded),
            len(keys),
            sum(key in recorded for key in keys),
            unreadable[model],
        )
        for model, keys in sorted(asked.items())
    ]


def web_keys(response: Response, search_tool: str = SEARCH_TOOL) -> Iterator[Key]:
    """What the calls in a response ask of the web, in order. Raises ValueError if it is no JSON.

    search_tool: the name under which the model knew the search.
    """
    turns = json.loads(response.result_json or "null")
    for turn in turns if isinstance(turns, list) else ():
        for step in turn if isinstance(turn, list) else ():
            calls = decode_step(step, response.mode)
            if not isinstance(calls, DecodeFailure):
                known = (
                    replace(call, name=SEARCH_TOOL) if call.name == search_tool else call for call in calls
                )
                yield from (key for key in map(requested, known) if key is not None)


def requested(call: Call) -> Key | None:
    """What `call` asks of the web; None if it is another function or never gets as far as the web."""
    if any(isinstance(value, Call) for value in call.arguments.values()):
        return None  # what the inner call would have returned is not known
    listener = _Listener()
    api = WebSearchAPI(WebSearchState(show_snippet=True), listener, lambda text, _mode: text)
    functions: dict[str, Callable[..., object]] = {
        "search_engine_query": api.search_engine_query,
        "fetch_url_content": api.fetch_url_content,
    }
    function = functions.get(call.name)
    # Whatever the tool tells a model of wrong arguments, it has not asked the web then.
    with contextlib.suppress(TypeError, ValueError, AttributeError, RecursionError, CallFailed):
        if function is not None:
            function(**call.arguments)  # type: ignore[arg-type]  # names may be None too
    return listener.key


class _Listener:
    """A web that only notes what the tool asks of it."""

    def __init__(self) -> None:
        self.key: Key | None = None

    def search(self, keywords: str, region: str) -> Hits | Failure:
        self.key = SearchKey.of(keywords, region)
        return Failure("")

    def fetch(self, url: str) -> Page | Failure:
        self.key = FetchKey.of(url)
        return Failure("")


def _count(found: Survey, recorded: Recorded) -> None:
    function = "search" if isinstance(recorded.key, SearchKey) else "fetch"
    found.outcomes[function, type(recorded.outcome).__name__.lower()] += 1
    found.keys.add(recorded.key)
    found.engines[recorded.engine] += 1
    found.oldest = min(recorded.recorded_at, found.oldest or recorded.recorded_at)
    found.newest = max(recorded.recorded_at, found.newest or recorded.recorded_at)


def _check_cassette(found: Survey, record: Record, recorded: Recorded) -> None:
    path = record.path(recorded.key).with_name(recorded.cassette or "")
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        found.cassettes_missing += 1
        return
    except OSError as error:
        found.damaged.append(f"{path}: the cassette cannot be read ({error}).")
        return
    if hashlib.sha256(content).hexdigest() != recorded.cassette_sha256:
        found.damaged.append(f"{path}: the cassette is not as it was recorded. Its outcome is unharmed.")
        return
    found.cassettes += 1
