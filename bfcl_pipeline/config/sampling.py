"""Drawing samples: the same entries for the same seed, on every machine and in any order.

A larger sample contains every smaller one of the same seed and categories, so that enlarging a sample
discards no response.
"""

import hashlib
from collections.abc import Iterable, Mapping


def allocate(sizes: Mapping[str, int], total: int) -> dict[str, int]:
    """The number of entries of each stratum in a sample of `total`, in proportion to `sizes`.

    No stratum has more than its size. Places are assigned one by one: first one to each stratum, the
    largest first; then always to the stratum with the greatest size / (2 x places + 1), the divisor method
    of Webster and Sainte-Lague. Unlike the method of largest remainders, it takes no place back when
    `total` grows.
    """
    order = list(sizes)
    claims = [
        (places > 0, -sizes[name] / (2 * places + 1), order.index(name))
        for name in order
        for places in range(sizes[name])
    ]
    counts = dict.fromkeys(order, 0)
    for _, _, index in sorted(claims)[:total]:
        counts[order[index]] += 1
    return counts


def pick(entry_ids: Iterable[str], count: int, seed: int) -> tuple[str, ...]:
    """`count` of `entry_ids`, in their order; all if there are fewer.

    Those with the least sha256 of "seed:entry_id" are taken, so that a larger sample contains every smaller
    one of the same seed.
    """
    ids = tuple(entry_ids)
    taken = frozenset(sorted(ids, key=lambda entry_id: _rank(entry_id, seed))[:count])
    return tuple(entry_id for entry_id in ids if entry_id in taken)


def _rank(entry_id: str, seed: int) -> bytes:
    return hashlib.sha256(f"{seed}:{entry_id}".encode()).digest()
