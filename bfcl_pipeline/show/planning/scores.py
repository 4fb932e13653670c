"""The scores that a sample can be planned for, and the share of each category in them."""

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import unknown_name
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.definition.leaderboard import GROUP, category_weights

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
