"""Checks that every cassette of a web cache proves its outcome.

Each cassette is played through the reader that recorded it: search engine, page fetcher or API client. An
outcome that today's readers do not derive from its cassette is a contradiction.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from bfcl_pipeline.web.cache import RecordedOutcome, WebCache
from bfcl_pipeline.web.keys import Key


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

    @property
    def failed(self) -> bool:
        """Whether the record contradicts itself or is damaged."""
        return bool(self.contradictions or self.damaged)


def contradiction(recorded: RecordedOutcome, cassette: bytes | None) -> str | None:
    """What the cassette of an outcome does not prove, in words; None if it proves it.

    cassette: the content of its cassette file; None if nothing was sent. Raises ReaderChanged if the
    outcome does not follow and another version of the reader recorded it.
    """
    raise NotImplementedError


def check_cache(
    cache: WebCache, keys: Iterable[Key] | None = None, progress: Callable[[int, int], None] | None = None
) -> CacheCheck:
    """Checks every outcome of `cache`, or only those of `keys`. progress: called with (done, all).

    Damage is reported in the result, never raised.
    """
    raise NotImplementedError
