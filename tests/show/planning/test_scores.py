"""Shares of categories in scores."""

from __future__ import annotations

import pytest

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.judge.scoring.aggregate import Count, leaderboard_scores
from bfcl_pipeline.show.planning.plan import SCORES, shares_of


@pytest.mark.parametrize("score", SCORES)
def test_shares_reproduce_the_leaderboard(score: str) -> None:
    """The weighted sum of accuracies by these shares is the score of the leaderboard."""
    counts = {
        name: Count(category.entries, (7 * index) % category.entries)
        for index, (name, category) in enumerate(CATEGORIES.items())
    }
    shares = shares_of(score)
    assert sum(shares.values()) == pytest.approx(1)
    weighted = sum(share * counts[name].correct / counts[name].answered for name, share in shares.items())
    assert weighted == pytest.approx(leaderboard_scores(counts)[score].accuracy, abs=1e-12)


def test_a_score_that_does_not_exist_is_refused() -> None:
    """The message has the nearest name; format sensitivity is in no score."""
    with pytest.raises(ConfigError, match="Did you mean 'multi_turn'"):
        shares_of("multiturn")
    with pytest.raises(ConfigError, match="unknown score 'format_sensitivity'"):
        shares_of("format_sensitivity")
