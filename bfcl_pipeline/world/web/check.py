"""Checks that every cassette of a web cache proves its outcome.

Each cassette is played through the reader that recorded it: search engine, page fetcher or API client. An
outcome that today's readers do not derive from its cassette is a contradiction. Nothing is sent. What a
check cannot find is a record whose outcome and cassette were both invented, to fit each other.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import partial
from pathlib import Path

from bfcl_pipeline.base.errors import WebError
from bfcl_pipeline.base.text import cut, line_of
from bfcl_pipeline.base.workers import results_of
from bfcl_pipeline.world.tools.web_search.web import WebFailure
from bfcl_pipeline.world.web.cache import RecordedOutcome, WebCache
from bfcl_pipeline.world.web.derivation import NotDerived, derive_outcome, difference, reader
from bfcl_pipeline.world.web.keys import FetchKey, Key, SearchKey

_LONGEST_KEY = 200  # characters of a key in a finding
_FEW = 2_000  # outcomes that one process checks sooner than others have started
_OF_LIMITS = ("Read timed out. (total timeout=", "Headers of more than ", "Content of more than ")


class ReaderChanged(Exception):
    """An outcome does not follow from its cassette, and another version of the reader recorded it."""


@dataclass(slots=True)
class CacheCheck:
    """The result of a check."""

    proven: int = 0  # outcomes that follow from their cassette
    unsent: int = 0  # outcomes of which nothing was sent, derived again without a cassette
    missing: list[str] = field(default_factory=list)  # outcomes whose cassette is not there, one line each
    undecided: list[str] = field(default_factory=list)  # recorded by another version of the reader
    contradictions: list[str] = field(default_factory=list)  # one line each, with the path
    damaged: list[str] = field(default_factory=list)  # files that differ from what was recorded
    unused: list[str] = field(default_factory=list)  # files that no outcome names; of a whole cache only

    @property
    def failed(self) -> bool:
        """Whether the record contradicts itself or is damaged."""
        return bool(self.contradictions or self.damaged)

    def lines(self) -> Iterator[str]:
        """The result for a person: counts, then the first finding of each kind."""
        if not self.outcomes:
            return
        derived = f"{self.proven + self.unsent:,} of {self.outcomes:,} outcomes"
        yield f"Web: {derived} follow from the HTTP in their cassettes."
        for what, lines in self.findings():
            if lines:
                yield f"Web: {what}: {len(lines):,}, the first: {lines[0]}"

    def findings(self) -> tuple[tuple[str, list[str]], ...]:
        """What is not proven, the worst first: what it is, and a line for each."""
        return (
            ("contradicts its cassette", self.contradictions),
            ("damaged", self.damaged),
            ("undecided, recorded by another reader", self.undecided),
            ("without its cassette", self.missing),
            ("file that no outcome names", self.unused),
        )

    @property
    def outcomes(self) -> int:
        """How many outcomes were checked."""
        lists = (self.missing, self.undecided, self.contradictions, self.damaged)
        return self.proven + self.unsent + sum(map(len, lists))


class _Result(Enum):
    """What a check of one outcome found."""

    PROVEN = auto()
    UNSENT = auto()
    MISSING = auto()
    UNDECIDED = auto()
    CONTRADICTION = auto()
    DAMAGED = auto()
    NOTHING = auto()  # there is no such outcome


@dataclass(frozen=True, slots=True)
class _Found:
    """The result of one outcome."""

    result: _Result
    line: str = ""  # if it is neither proven nor unsent
    cassette: str = ""  # the name of its cassette, if any


def contradiction(recorded: RecordedOutcome, cassette: bytes | None) -> str | None:
    """What the cassette of an outcome does not prove, in words; None if it proves it.

    cassette: the content of its cassette file; None if nothing was sent. Raises ReaderChanged if a search,
    or a fetch that exceeded a limit, does not follow from it and another version of the reader recorded it.
    """
    try:
        found = derive_outcome(recorded, cassette)
        problem = difference(recorded.key, recorded.outcome, found.outcome, redacted=found.redacted)
    except NotDerived as error:
        problem = str(error)
    if problem and _depends_on_version(recorded) and recorded.engine != reader(recorded):
        raise ReaderChanged(
            f"recorded by {recorded.engine}, the reader is now {reader(recorded)}: {problem}"
        )
    return problem


def _depends_on_version(recorded: RecordedOutcome) -> bool:
    """Whether versions of a reader may differ: in what a search requests, or in the limits of a fetch."""
    match recorded.key, recorded.outcome:
        case SearchKey(), _:
            return True
        case FetchKey(), WebFailure(message):
            return message.startswith(_OF_LIMITS)
    return False


def check_cache(
    cache: WebCache,
    keys: Iterable[Key] | None = None,
    progress: Callable[[int, int], None] | None = None,
    *,
    processes: int = 1,
) -> CacheCheck:
    """Checks every outcome of `cache`, or only those of `keys` that it has.

    Damage is reported in the result, never raised. The result does not depend on the processes.

    Args:
        cache: the web cache; only read.
        keys: the outcomes to check; None: all.
        progress: called with the number of outcomes that were checked, and of all.
        processes: the most processes that check.
    """
    paths = list(cache.paths()) if keys is None else sorted(map(cache.path, set(keys)))
    result = CacheCheck()
    lists = {
        _Result.MISSING: result.missing,
        _Result.UNDECIDED: result.undecided,
        _Result.CONTRADICTION: result.contradictions,
        _Result.DAMAGED: result.damaged,
    }
    cassettes: set[str] = set()
    with results_of(partial(_check, cache), paths, processes, few=_FEW) as findings:
        for done, found in enumerate(findings, start=1):
            if found.result is _Result.PROVEN:
                result.proven += 1
            elif found.result is _Result.UNSENT:
                result.unsent += 1
            elif found.result is not _Result.NOTHING:
                lists[found.result].append(found.line)
            cassettes.add(found.cassette)
            if progress is not None:
                progress(done, len(paths))
    if keys is None:
        result.unused += [line_of(f"{path}: no outcome names it") for path in cache.unused(cassettes)]
    return result


def _check(cache: WebCache, path: Path) -> _Found:
    """Checks one outcome file and its cassette."""
    try:
        recorded = cache.read(path)
    except WebError as error:
        return _Found(_Result.DAMAGED, line_of(str(error)))
    if recorded is None:
        return _Found(_Result.NOTHING)
    named = recorded.cassette or ""
    about = f"{path}: {cut(str(recorded.key), _LONGEST_KEY)}"
    try:
        problem = contradiction(recorded, cache.read_cassette(recorded))
    except FileNotFoundError:
        return _Found(_Result.MISSING, line_of(f"{about}: its cassette {named} is missing"), named)
    except WebError as error:
        return _Found(_Result.DAMAGED, line_of(str(error)), named)
    except ReaderChanged as error:
        return _Found(_Result.UNDECIDED, line_of(f"{about}: {error}"), named)
    if problem is not None:
        return _Found(_Result.CONTRADICTION, line_of(f"{about}: {problem}"), named)
    return _Found(_Result.PROVEN if named else _Result.UNSENT, cassette=named)
