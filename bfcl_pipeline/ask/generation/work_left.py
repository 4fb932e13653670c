"""What is left of an estimate of work: requests of entries, searches of web questions.

Each piece of work starts with an expectation, from which is subtracted what was done of it. Once enough of
its kind is complete, what that took corrects the expectation of the others. Only reports follow from it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

ENOUGH = 9
"""Expected steps of complete pieces of a kind, before what they took corrects the expectation."""


@dataclass(slots=True)
class _Piece:
    kind: str
    expected: float
    chain: float  # expected of it and of what waits for it
    done: int = 0


@dataclass(slots=True)
class WorkLeft:
    """Pieces of work by their names, and what was done of them."""

    _open: dict[str, _Piece] = field(default_factory=dict)
    _failed: dict[str, _Piece] = field(default_factory=dict)  # ended without a result
    _expected: dict[str, float] = field(default_factory=dict)  # of complete pieces, by kind
    _done: dict[str, int] = field(default_factory=dict)  # of complete pieces, by kind

    def expect(self, name: str, kind: str, steps: float, chain: float = 0) -> None:
        """Adds a piece of about so many steps. chain: of it and of the longest chain that waits for it."""
        self._open[name] = _Piece(kind, steps, chain)

    def did(self, name: str) -> None:
        """One more step of a piece was done; of one that is not known nothing is counted."""
        if name in self._open:
            self._open[name].done += 1

    def ended(self, name: str, *, complete: bool) -> None:
        """A piece has ended; one that is not complete says nothing about the others."""
        piece = self._open.pop(name, None)
        if piece is None:
            return
        if complete:
            self._expected[piece.kind] = self._expected.get(piece.kind, 0) + piece.expected
            self._done[piece.kind] = self._done.get(piece.kind, 0) + piece.done
        else:
            self._failed[name] = piece

    @property
    def total(self) -> int:
        """The steps left of all open pieces."""
        return round(self._left(self._open.values(), least=0))

    @property
    def longest(self) -> float:
        """The steps left of the longest chain, which follow one another."""
        return max((one.chain - min(one.done, one.expected) for one in self._open.values()), default=0)

    @property
    def failed(self) -> int:
        """The pieces that ended without a result."""
        return len(self._failed)

    @property
    def for_later(self) -> int:
        """The steps left of these, at least one each."""
        return round(self._left(self._failed.values(), least=1))

    def _left(self, pieces: Iterable[_Piece], least: float) -> float:
        factors = {
            kind: self._done[kind] / expected
            for kind, expected in self._expected.items()
            if expected >= ENOUGH
        }
        return sum(max(least, one.expected * factors.get(one.kind, 1) - one.done) for one in pieces)
