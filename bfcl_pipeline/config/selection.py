"""Which entries a sample holds: the same for the same seed, wherever and in whatever order it is drawn."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable


def pick(entry_ids: Iterable[str], count: int, seed: int) -> tuple[str, ...]:
    """`count` of `entry_ids`, in their order; all of them if there are no more.

    Those whose sha256 of "seed:entry_id" is least are taken, so that a larger sample contains every
    smaller one of the same seed.
    """
    ids = tuple(entry_ids)
    taken = frozenset(sorted(ids, key=lambda entry_id: _rank(entry_id, seed))[:count])
    return tuple(entry_id for entry_id in ids if entry_id in taken)


def _rank(entry_id: str, seed: int) -> bytes:
    return hashlib.sha256(f"{seed}:{entry_id}".encode()).digest()
