"""Which sample of the benchmark has the wanted precision, with entries in proportion or by weight. Pure."""

import heapq
import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from bfcl_pipeline.benchmark import CATEGORIES
from bfcl_pipeline.config import allocate
from bfcl_pipeline.planning.scatter import Scatter
from bfcl_pipeline.scoring.statistics.quantiles import Z_95

Z_80 = 0.8416212335729143
"""The 80 % point of the normal distribution: the power of `Sample.detectable`."""


class Method(StrEnum):
    """How a sample is divided among categories."""

    PROPORTIONAL = "proportional"  # each category has its share of entries: `sample: N` of a config
    WEIGHT = "weight"  # more entries where the score's weight and the scatter are greater


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample, and what it says about a score."""

    method: Method
    entries: Mapping[str, int]  # by category
    half_width: float  # half of the 95 % interval of the score, 0 to 1

    @property
    def total(self) -> int:
        """The number of entries of all categories."""
        return sum(self.entries.values())

    @property
    def detectable(self) -> float:
        """The smallest true difference that a 95 % interval excludes from 0 with a probability of 80 %."""
        return self.half_width * (Z_95 + Z_80) / Z_95


def by_weight(shares: Mapping[str, float], scatter: Scatter, total: int) -> dict[str, int]:
    """The number of entries of each category of a score in a sample of `total` (Neyman 1934).

    Places are assigned one by one: one to each category, that with the largest share first, then always
    where one more entry reduces the variance of the score most. This is the best sample of its size, and
    no place is taken back when `total` grows.
    """
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


def smallest(shares: Mapping[str, float], scatter: Scatter, within: float, method: Method) -> Sample | None:
    """The smallest sample whose 95 % interval has at most `within` on each side; None if there is none."""
    sizes = {name: CATEGORIES[name].entries for name in shares}

    def sample(total: int) -> Sample:
        if method is Method.PROPORTIONAL:
            entries = allocate(sizes, total)
        else:
            entries = by_weight(shares, scatter, total)
        return Sample(method, entries, Z_95 * scatter.deviation(shares, entries))

    low, high = len(sizes), sum(sizes.values())
    if sample(high).half_width > within:
        return None
    while low < high:  # the half width falls with every entry
        middle = (low + high) // 2
        low, high = (low, middle) if sample(middle).half_width <= within else (middle + 1, high)
    return sample(low)


def whole(shares: Mapping[str, float], scatter: Scatter) -> Sample:
    """All entries of the categories of a score."""
    sizes = {name: CATEGORIES[name].entries for name in shares}
    return Sample(Method.PROPORTIONAL, sizes, Z_95 * scatter.deviation(shares, sizes))
