"""What differs between two records of the web: how the web moved under the same requests.

Compares outcomes by their keys. Which record is right is not decided, nor whether outcomes follow from
their cassettes (`check`). Every function here takes time linear in the outcomes.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import TypeAlias

from bfcl_pipeline.base.errors import WebError
from bfcl_pipeline.base.files import is_regular
from bfcl_pipeline.base.text import printable
from bfcl_pipeline.world.executables import ApiAnswer
from bfcl_pipeline.world.tools.web_search.web import Hit, Hits, Page, WebFailure
from bfcl_pipeline.world.web.cache import Outcome, RecordedOutcome, WebCache
from bfcl_pipeline.world.web.keys import ApiKey, FetchKey, Key, SearchKey
from bfcl_pipeline.world.web.record_files import list_record

TOP = 10
"""The first results of a search, whose overlap is measured."""


class ChangeKind(StrEnum):
    """In what the two outcomes of a request differ."""

    RESULTS = "results"  # other addresses, or another order of them
    TEXTS = "texts of results"  # the same addresses in the same order, other titles or bodies
    PAGE = "page"  # other text
    FAILURE = "failure"  # both failed, with other texts
    FAILS = "fails now"  # results or a page in A, a failure in B
    WORKS = "works now"  # a failure in A, results or a page in B
    ANSWER = "answer"  # other status or body of a web API


@dataclass(frozen=True, slots=True)
class ResultsChange:
    """How the results of a search changed."""

    kept: tuple[str, ...]  # addresses in both, in A's order
    gone: tuple[str, ...]  # only in A
    new: tuple[str, ...]  # only in B
    reordered: bool  # whether the addresses in both have another order
    same_first: bool  # whether the first addresses are equal
    overlap: float  # of the first TOP addresses: those in both, as a share of the longer list


@dataclass(frozen=True, slots=True)
class TextChange:
    """How a page or the body of an answer changed."""

    characters: tuple[int, int]  # in A and B
    equal_lines: float  # lines in both, wherever they are, as a share of the longer text's


@dataclass(frozen=True, slots=True)
class Recording:
    """When and by what an outcome was recorded."""

    recorded_at: str  # ISO 8601
    engine: str


@dataclass(frozen=True, slots=True)
class RecordChange:
    """A request with different outcomes in the two records."""

    key: Key
    kind: ChangeKind
    recordings: tuple[Recording, Recording]
    detail: ResultsChange | TextChange | None  # None if an outcome is a failure
    messages: tuple[str | None, str | None] = (None, None)  # of failures; for an answer, the statuses


@dataclass(slots=True)
class RecordSide:
    """One of the records."""

    outcomes: int = 0
    damaged: list[str] = field(default_factory=list)  # one line each; their outcomes are not compared
    engines: Counter[str] = field(default_factory=Counter)
    oldest: datetime | None = None  # None without outcomes
    newest: datetime | None = None


@dataclass(slots=True)
class Movement:
    """How far the web moved, over the requests that worked in both records, equal outcomes included."""

    searches: int = 0  # with results, or with none, in both
    same_first: int = 0  # of these
    overlap: float = 0.0  # the sum over the searches
    pages: int = 0
    pages_unchanged: int = 0

    @property
    def mean_overlap(self) -> float | None:
        """The mean overlap of the first results; None without searches."""
        return self.overlap / self.searches if self.searches else None


@dataclass(slots=True)
class RecordDifference:
    """Everything in which two records differ; lists are sorted by request."""

    sides: tuple[RecordSide, RecordSide] = field(default_factory=lambda: (RecordSide(), RecordSide()))
    only: tuple[list[Key], list[Key]] = field(default_factory=lambda: ([], []))
    equal: int = 0
    changes: list[RecordChange] = field(default_factory=list)
    moved: Movement = field(default_factory=Movement)

    @property
    def differ(self) -> bool:
        """Whether one record has an outcome that the other lacks or has otherwise."""
        return bool(self.changes or self.only[0] or self.only[1])

    @property
    def damaged(self) -> bool:
        """Whether a file of one of them cannot be compared."""
        return any(side.damaged for side in self.sides)

    def kinds(self) -> Mapping[ChangeKind, int]:
        """The number of changes of each kind."""
        counts = Counter(change.kind for change in self.changes)
        return {kind: counts[kind] for kind in ChangeKind if counts[kind]}


Progress: TypeAlias = Callable[[int, int], None]


def compare_records(first: Path, second: Path, progress: Progress | None = None) -> RecordDifference:
    """The difference between the web caches at two folders. progress: called with (done, all).

    Damaged files are listed, never raised. Raises OSError.
    """
    found = RecordDifference()
    caches = (WebCache(first), WebCache(second))
    names: set[str] = set()
    for cache, side in zip(caches, found.sides, strict=True):
        files = list_record(cache.folder)
        side.damaged += files.refused
        names |= {path.stem for path in files.outcomes}
    for done, name in enumerate(sorted(names), start=1):
        one, two = (_read(cache, side, name) for cache, side in zip(caches, found.sides, strict=True))
        if one is not None and two is not None:
            _compare(found, one, two)
        elif one is not None or two is not None:
            _only(found, one, two)
        if progress is not None:
            progress(done, len(names))
    found.changes.sort(key=lambda change: sort_key(change.key))
    for only in found.only:
        only.sort(key=sort_key)
    return found


def sort_key(key: Key) -> tuple[str, ...]:
    """Searches by keywords, then pages by address, then requests of web APIs."""
    match key:
        case SearchKey(keywords, region, engine):
            return ("1", keywords, region, engine)
        case FetchKey(url):
            return ("2", url)
        case ApiKey(request):
            return ("3", request.url, repr(request))


def _read(cache: WebCache, side: RecordSide, name: str) -> RecordedOutcome | None:
    path = cache.path_of(name)
    try:
        recorded = cache.read(path) if is_regular(path) else None
    except WebError as error:
        side.damaged.append(printable(str(error)))
        return None
    if recorded is not None:
        time = recorded.recorded_at
        side.outcomes += 1
        side.engines[recorded.engine] += 1
        side.oldest, side.newest = min(side.oldest or time, time), max(side.newest or time, time)
    return recorded


def _only(found: RecordDifference, one: RecordedOutcome | None, two: RecordedOutcome | None) -> None:
    for recorded, only in zip((one, two), found.only, strict=True):
        if recorded is not None:
            only.append(recorded.key)


def _compare(found: RecordDifference, one: RecordedOutcome, two: RecordedOutcome) -> None:
    _move(found.moved, one.outcome, two.outcome)
    if one.outcome == two.outcome:
        found.equal += 1
        return
    recordings = (_recording(one), _recording(two))
    found.changes.append(RecordChange(one.key, *_change(one.outcome, two.outcome, recordings)))


def _recording(recorded: RecordedOutcome) -> Recording:
    return Recording(time_text(recorded.recorded_at), recorded.engine)


def time_text(time: datetime | None) -> str:
    """A time in ISO 8601; empty for None."""
    return "" if time is None else time.isoformat(" ", "seconds")


def _change(
    one: Outcome, two: Outcome, recordings: tuple[Recording, Recording]
) -> tuple[
    ChangeKind,
    tuple[Recording, Recording],
    ResultsChange | TextChange | None,
    tuple[str | None, str | None],
]:
    none = (None, None)
    match one, two:
        case Hits(ours), Hits(theirs):
            detail = results_change(ours, theirs)
            moved = detail.gone or detail.new or detail.reordered or len(ours) != len(theirs)
            return ChangeKind.RESULTS if moved else ChangeKind.TEXTS, recordings, detail, none
        case Page(ours), Page(theirs):
            return ChangeKind.PAGE, recordings, text_change(ours, theirs), none
        case ApiAnswer(status, ours), ApiAnswer(other, theirs):
            statuses = (f"HTTP {status}", f"HTTP {other}")
            return ChangeKind.ANSWER, recordings, text_change(ours, theirs), statuses
        case WebFailure(ours), WebFailure(theirs):
            return ChangeKind.FAILURE, recordings, None, (ours, theirs)
        case WebFailure(ours), _:
            return ChangeKind.WORKS, recordings, None, (ours, None)
        case _, WebFailure(theirs):
            return ChangeKind.FAILS, recordings, None, (None, theirs)
    raise AssertionError(f"outcomes of one key: {type(one).__name__}, {type(two).__name__}")


def results_change(ours: tuple[Hit, ...], theirs: tuple[Hit, ...]) -> ResultsChange:
    """The difference between two lists of results, by their addresses."""
    one, two = list(_addresses(ours)), list(_addresses(theirs))
    in_one, in_two = set(one), set(two)
    kept = [address for address in one if address in in_two]
    top_one, top_two = set(one[:TOP]), set(two[:TOP])
    longer = max(len(top_one), len(top_two))
    return ResultsChange(
        kept=tuple(kept),
        gone=tuple(address for address in one if address not in in_two),
        new=tuple(address for address in two if address not in in_one),
        reordered=kept != [address for address in two if address in in_one],
        same_first=one[:1] == two[:1],
        overlap=len(top_one & top_two) / longer if longer else 1.0,
    )


def text_change(ours: str, theirs: str) -> TextChange:
    """The difference between two texts, by their lines."""
    lines = (Counter(ours.split("\n")), Counter(theirs.split("\n")))
    longer = max(line.total() for line in lines)
    return TextChange((len(ours), len(theirs)), (lines[0] & lines[1]).total() / longer)


def _addresses(hits: tuple[Hit, ...]) -> Iterator[str]:
    """The addresses in order, each once."""
    yield from dict.fromkeys(hit.href for hit in hits)


def _move(moved: Movement, one: Outcome, two: Outcome) -> None:
    match one, two:
        case Hits(ours), Hits(theirs):
            detail = results_change(ours, theirs)
            moved.searches += 1
            moved.same_first += detail.same_first
            moved.overlap += detail.overlap
        case Page(ours), Page(theirs):
            moved.pages += 1
            moved.pages_unchanged += ours == theirs
