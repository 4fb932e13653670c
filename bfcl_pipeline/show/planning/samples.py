"""Which sample of the benchmark has the wanted precision of a score, by size or by weight. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import unknown_name
from bfcl_pipeline.benchmark.config import SampleBy, allocate, by_weight
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.definition.leaderboard import GROUP, category_weights
from bfcl_pipeline.benchmark.definition.scatter import Scatter
from bfcl_pipeline.judge.scoring.statistics.normal import Z_80, Z_95

SCORES = (*reversed(GROUP), *(name for name, category in CATEGORIES.items() if category.scored))
"""Every score that a sample can be planned for: overall first, then the groups, then the categories."""


def shares_of(score: str) -> dict[str, float]:
    """The share of each category in `score`, in the benchmark's order; the shares sum to 1.

    Groups that the leaderboard weights by size are weighted by the entries of the release.

    Raises:
        ConfigError: there is no such score.
    """
    if score not in SCORES:
        raise ConfigError(unknown_name("score", score, SCORES))
    shares = category_weights(score, {})
    return {name: shares[name] for name in CATEGORIES if name in shares}


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample, and what it says about a score."""

    by: SampleBy
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


def smallest(shares: Mapping[str, float], scatter: Scatter, within: float, by: SampleBy) -> Sample | None:
    """The smallest sample whose 95 % interval has at most `within` on each side; None if there is none.

    It is divided among categories as a run divides it, whatever `scatter` says.
    """
    sizes = {name: CATEGORIES[name].entries for name in shares}

    def sample(total: int) -> Sample:
        entries = allocate(sizes, total) if by is SampleBy.SIZE else by_weight(shares, total)
        return Sample(by, entries, Z_95 * scatter.deviation(shares, entries))

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
    return Sample(SampleBy.SIZE, sizes, Z_95 * scatter.deviation(shares, sizes))
