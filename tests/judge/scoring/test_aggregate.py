"""The arithmetic of the leaderboard."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bfcl_pipeline.benchmark.definition import CATEGORIES, GROUPS, V4_CATEGORIES
from bfcl_pipeline.benchmark.definition.leaderboard import EXECUTABLE, GROUP, LEADERBOARD, categories_of
from bfcl_pipeline.judge.scoring.aggregate import Count, format_spread, leaderboard_scores

ALL_RIGHT = {name: Count(c.entries, c.entries) for name, c in CATEGORIES.items()}

counts = st.dictionaries(
    st.sampled_from(list(CATEGORIES)),
    st.integers(0, 300).flatmap(lambda n: st.builds(Count, st.just(n), st.integers(0, n))),
)


def test_a_perfect_model_scores_exactly_one_everywhere() -> None:
    """If every entry is valid, each category and group is 1.0 to the last bit."""
    scores = leaderboard_scores(ALL_RIGHT)
    assert {score.accuracy for score in scores.values()} == {1.0}
    assert all(score.complete for score in scores.values())


def test_the_overall_is_weighted_ten_ten_ten_thirty_forty() -> None:
    """A model that is perfect in one group alone has that group's weight as its overall."""
    weights = {"non_live": 0.1, "live": 0.1, "irrelevance_all": 0.1, "multi_turn": 0.3, "agentic": 0.4}
    for group, weight in weights.items():
        perfect = {name: ALL_RIGHT[name] for name in categories_of(group)}
        assert leaderboard_scores(perfect)["overall"].accuracy == pytest.approx(weight)


def test_a_category_that_was_not_evaluated_counts_zero() -> None:
    """Half of multi-turn is half its score, and the score is marked as incomplete."""
    scores = leaderboard_scores(
        {name: ALL_RIGHT[name] for name in ("multi_turn_base", "multi_turn_miss_func")}
    )
    assert scores["multi_turn"].accuracy == 0.5
    assert scores["multi_turn"].evaluated == 2
    assert not scores["multi_turn"].complete
    assert not scores["multi_turn_long_context"].complete


def test_a_missing_live_category_weighs_with_all_its_entries() -> None:
    """Live is averaged over all entries of a category that was not evaluated."""
    score = leaderboard_scores({"live_simple": Count(258, 258)})["live"]
    assert score.accuracy == 258 / (258 + 1053 + 16 + 24)


def test_a_category_without_any_verdict_was_not_evaluated() -> None:
    """An outage on all entries is a missing score, not a score of 0."""
    score = leaderboard_scores({"simple_java": Count(0, 0)})["simple_java"]
    assert (score.evaluated, score.complete) == (0, False)


def test_sizes_replace_the_scored_entries_in_means_by_size() -> None:
    """Live is then weighted by them; categories and groups with fixed weights stay."""
    sizes = {name: category.entries for name, category in CATEGORIES.items()}
    found = {"live_simple": Count(10, 5), "live_multiple": Count(10, 10), "multiple": Count(7, 3)}
    usual, weighted = leaderboard_scores(found), leaderboard_scores(found, sizes)
    assert usual["live"].accuracy == 15 / (10 + 10 + 16 + 24)
    assert weighted["live"].accuracy == pytest.approx((258 * 0.5 + 1053) / 1351)
    same = set(usual) - {"live", "overall", "overall_august_2024"}
    assert {name: usual[name] for name in same} == {name: weighted[name] for name in same}
    whole = {name: Count(size, size // 3) for name, size in sizes.items()}
    assert leaderboard_scores(whole) == leaderboard_scores(whole, sizes)


def test_relevance_is_in_no_group() -> None:
    """Relevance and format sensitivity are shown but never weighted."""
    used = {name for group in LEADERBOARD for name in categories_of(group.name)}
    assert set(V4_CATEGORIES) - used == {"live_relevance", "format_sensitivity"}


def test_no_score_of_v4_contains_executable_categories() -> None:
    """The means of V1's executable categories are groups of their own."""
    used = {name for group in LEADERBOARD for name in categories_of(group.name)}
    assert used.isdisjoint(GROUPS["executable"])
    perfect = {name: ALL_RIGHT[name] for name in GROUPS["executable"]}
    scores = leaderboard_scores(perfect)
    assert {scores[group.name].accuracy for group in LEADERBOARD} == {0.0}
    assert (scores["exec_summary"].accuracy, scores["exec_summary"].complete) == (1.0, True)


def test_august_2024_counts_entries_alike() -> None:
    """Its overall is over 1,700 entries: 1,150 checked by AST, 310 executed, 240 of irrelevance."""
    assert leaderboard_scores(ALL_RIGHT)["overall_august_2024"].entries == 1150 + 310 + 240
    executed = {name: ALL_RIGHT[name] for name in categories_of("exec_summary")}
    scores = leaderboard_scores(executed)
    assert scores["overall_august_2024"].accuracy == 310 / 1700
    assert not scores["overall_august_2024"].complete


def test_groups_are_made_of_earlier_ones() -> None:
    """Every member of a group is a category or an earlier group, and weights sum to 100."""
    known = set(CATEGORIES)
    for group in (*LEADERBOARD, *EXECUTABLE):
        assert {member.name for member in group.members} <= known
        assert group.name not in known
        known.add(group.name)
    assert sum(member.weight for member in GROUP["overall"].members) == 100


@settings(deadline=None)
@given(counts)
def test_every_score_is_within_zero_and_one(found: dict[str, Count]) -> None:
    """For any counts, every accuracy is a share."""
    for score in leaderboard_scores(found).values():
        assert 0.0 <= score.accuracy <= 1.0


def test_the_spread_over_formats_is_in_rounded_percentage_points() -> None:
    """Accuracies of 50, 75 and 100 %: 50 points apart, a deviation of 25."""
    spread = format_spread([0.5, 1.0, 0.75])
    assert (spread.max_delta, spread.std) == (50.0, 25.0)


def test_one_format_has_no_spread() -> None:
    """The spread of one format is 0; without formats it is undefined."""
    assert format_spread([0.3]).std == 0.0
    with pytest.raises(ValueError, match="no format"):
        format_spread([])
