"""The shares of categories in the scores of the leaderboard."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.definition.leaderboard import GROUP, category_weights
from bfcl_pipeline.judge.scoring.aggregate import Count, leaderboard_scores


@given(
    st.dictionaries(
        st.sampled_from([name for name, category in CATEGORIES.items() if category.scored]),
        st.integers(1, 300).flatmap(lambda n: st.builds(Count, st.just(n), st.integers(0, n))),
    )
)
def test_weighted_categories_are_the_scores(counts: dict[str, Count]) -> None:
    """The weighted sum of the accuracies of categories is the score, whichever were evaluated."""
    scores = leaderboard_scores(counts)
    entries = {name: count.answered for name, count in counts.items()}
    for name in GROUP:
        weights = category_weights(name, entries)
        assert sum(weights.values()) == pytest.approx(1)
        total = sum(weight * scores[category].accuracy for category, weight in weights.items())
        assert total == pytest.approx(scores[name].accuracy, abs=1e-12)


def test_a_category_is_its_own_score() -> None:
    """The share of a category in its own score is 1."""
    assert category_weights("multiple", {}) == {"multiple": 1.0}
