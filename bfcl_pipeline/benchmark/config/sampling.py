"""Drawing samples: the same entries for the same seed, on every machine and in any order.

A larger sample contains every smaller one of the same seed, categories and division, so that enlarging a
sample discards no response.
"""

import hashlib
import heapq
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.definition import CATEGORIES, V4_CATEGORIES
from bfcl_pipeline.benchmark.definition.leaderboard import category_weights
from bfcl_pipeline.benchmark.definition.scatter import assumed_scatter


class SampleBy(StrEnum):
    """How a sample is divided among categories."""

    SIZE = "size"  # each category has its share of entries
    WEIGHT = "weight"  # more entries where the weight in the overall score and the scatter are greater


@dataclass(frozen=True, slots=True)
class RunSample:
    """The sample of a run, as the key `sample` of its config says."""

    entries: int  # of all categories together, those of V1 that were retired aside
    by: SampleBy = SampleBy.SIZE

    @classmethod
    def of(cls, value: Any) -> Self | None:
        """The sample that a value of `sample` means, which fits the schema; None: all entries."""
        if value is None:
            return None
        return cls(value) if isinstance(value, int) else cls(value["entries"], SampleBy(value["by"]))

    @property
    def division(self) -> str:
        """` by weight`, to be put after a number of entries; empty for the usual division by size."""
        return "" if self.by is SampleBy.SIZE else f" by {self.by}"

    def __str__(self) -> str:
        """`200` or `200 by weight`."""
        return f"{self.entries}{self.division}"


def divide(sample: RunSample, categories: Sequence[str]) -> dict[str, int]:
    """The number of entries that `sample` has of each of `categories`.

    By size, the retired categories of V1 have their share beside the sample of the others, which is the
    same with and without them. By weight, categories that do not count in the overall score have none.

    Raises:
        ConfigError: the sample is by weight, and none of the categories counts in the overall score.
    """
    if sample.by is SampleBy.SIZE:
        sizes = {name: CATEGORIES[name].entries for name in categories}
        of_v4 = {name: sizes[name] for name in categories if name in V4_CATEGORIES}
        return {**allocate(sizes, sample.entries), **allocate(of_v4, sample.entries)}
    weights = category_weights("overall", {})
    # In the benchmark's order, so that equal categories are served in the same order in every config.
    chosen = {name: weights[name] for name in CATEGORIES if name in weights and name in categories}
    if not chosen:
        raise ConfigError(
            f"sample by weight: {', '.join(categories)} has no weight in the overall score; "
            f"sample by size (sample={sample.entries}), or add another category."
        )
    return {**dict.fromkeys(categories, 0), **by_weight(chosen, sample.entries)}


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


def by_weight(shares: Mapping[str, float], total: int) -> dict[str, int]:
    """The number of entries of each category of a score in a sample of `total` (Neyman 1934).

    How verdicts scatter is assumed, so that the division depends on nothing but the arguments. Places are
    assigned one by one: one to each category, that with the largest share first, then always where one more
    entry reduces the variance of the score most. If the assumptions hold this is the best sample of its
    size, and no place is taken back when `total` grows.

    Args:
        shares: of each category in the score, in any unit; of equal categories the first is served first.
        total: entries of all categories together.
    """
    scatter = assumed_scatter(difference=False)
    sizes = {name: CATEGORIES[name].entries for name in shares}
    gains = {name: share**2 * scatter.independent(name) for name, share in shares.items()}
    order = list(shares)
    counts = dict.fromkeys(shares, 0)
    claims = [(-math.inf, -shares[name], index) for index, name in enumerate(order)]
    heapq.heapify(claims)
    for _ in range(min(total, sum(sizes.values()))):
        _, _, index = heapq.heappop(claims)
        name = order[index]
        counts[name] += 1
        places = counts[name]
        if places < sizes[name]:
            heapq.heappush(claims, (-gains[name] / (places * (places + 1)), -shares[name], index))
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
