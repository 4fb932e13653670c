"""The scores that a sample can be planned for, and the share of each category in them."""

from collections.abc import Mapping

from bfcl_pipeline.benchmark import CATEGORIES
from bfcl_pipeline.benchmark.leaderboard import GROUP, Group, Mean, categories_of
from bfcl_pipeline.errors import ConfigError
from bfcl_pipeline.text import unknown_name

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
    shares = _shares(score, 1.0)
    return {name: shares[name] for name in CATEGORIES if name in shares}


def _shares(score: str, of: float) -> dict[str, float]:
    if score not in GROUP:
        return {score: of}
    group = GROUP[score]
    sizes = _sizes(group)
    total = sum(sizes.values())
    return {
        category: share
        for member, size in sizes.items()
        for category, share in _shares(member, of * size / total).items()
    }


def _sizes(group: Group) -> Mapping[str, float]:
    if group.mean is Mean.BY_SIZE:
        return {
            member.name: sum(CATEGORIES[name].entries for name in categories_of(member.name))
            for member in group.members
        }
    return {member.name: member.weight for member in group.members}
