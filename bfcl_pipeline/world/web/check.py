"""Checks that every cassette of a web cache proves its outcome.

Each cassette is played through the reader that recorded it: search engine, page fetcher or API client. An
outcome that today's readers do not derive from its cassette is a contradiction. Nothing is sent. What a
check cannot find is a record whose outcome and cassette were both invented, to fit each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from bfcl_pipeline.base.errors import WebError
from bfcl_pipeline.base.text import cut, line_of
from bfcl_pipeline.base.workers import results_of
from bfcl_pipeline.world.web.cache import WebCache
from bfcl_pipeline.world.web.derivation import ReaderChanged, contradiction
from bfcl_pipeline.world.web.keys import Key

_LONGEST_KEY = 200  # characters of a key in a finding
_FEW = 2_000  # outcomes that one process checks sooner than others have started


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
    cassettes: set[str] = field(default_factory=set)  # names of the cassettes of the outcomes

    def add(self, other: CacheCheck) -> None:
        """Adds the result of a check of other outcomes."""
        self.proven += other.proven
        self.unsent += other.unsent
        self.cassettes |= other.cassettes
        for (_, mine), (_, theirs) in zip(self.findings(), other.findings(), strict=True):
            mine += theirs

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


def check_cache(
    cache: WebCache,
    keys: Iterable[Key] | None = None,
    progress: Callable[[int, int], None] | None = None,
    *,
    processes: int = 1,
) -> CacheCheck:
    """Checks outcomes. Damage is reported in the result, never raised; it does not depend on the processes.

    Args:
        cache: the web cache; only read.
        keys: check only those that it has; None: every outcome, and which files no outcome names.
        progress: called with the number of outcomes that were checked, and of all.
        processes: the most processes that check.
    """
    result = CacheCheck()
    paths = list(cache.paths()) if keys is None else sorted(map(cache.path, set(keys)))
    with results_of(partial(_check, cache), paths, processes, few=_FEW) as found:
        for done, one in enumerate(found, start=1):
            result.add(one)
            if progress is not None:
                progress(done, len(paths))
    if keys is None:
        lines = (line_of(f"{path}: no outcome names it") for path in cache.unused(result.cassettes))
        result.unused += lines
    return result


def _check(cache: WebCache, path: Path) -> CacheCheck:
    """Checks one outcome file and its cassette."""
    check = CacheCheck()
    try:
        recorded = cache.read(path)
        if recorded is None:
            return check
        named = recorded.cassette or ""
        check.cassettes.add(named)
        about = f"{path}: {cut(str(recorded.key), _LONGEST_KEY)}"
        problem = contradiction(recorded, cache.read_cassette(recorded))
    except FileNotFoundError:
        check.missing.append(line_of(f"{about}: its cassette {named} is missing"))
    except WebError as error:
        check.damaged.append(line_of(str(error)))
    except ReaderChanged as error:
        check.undecided.append(line_of(f"{about}: {error}"))
    else:
        if problem is not None:
            check.contradictions.append(line_of(f"{about}: {problem}"))
        elif named:
            check.proven += 1
        else:
            check.unsent += 1
    return check
