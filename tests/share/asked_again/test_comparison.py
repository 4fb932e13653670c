"""The comparison of an archive's answers with those of the model that was asked again."""

from __future__ import annotations

from math import comb

import pytest

from bfcl_pipeline.benchmark.records import Call, Rules
from bfcl_pipeline.judge.scoring.statistics.paired import Decision
from bfcl_pipeline.share.asked_again import comparison
from bfcl_pipeline.share.asked_again.comparison import (
    SAME_CALLS,
    SAME_TEXTS,
    Answers,
    ComparedAnswer,
    compare_answers,
)


def answer(value: str, *, calls: bool = True, right: bool | None = None) -> ComparedAnswer:
    """An answer whose text and call have this value."""
    return ComparedAnswer(value, (Call("f", {"x": value}),) if calls else (), dict.fromkeys(Rules, right))


def answers(values: str, **about: bool) -> Answers:
    """The archive's answer and two of the model, a letter for each."""
    archived, first, second = (answer(value, **about) for value in values)
    return archived, first, second


def compared(given: list[Answers]) -> dict[str, comparison.LevelComparison]:
    return {level.level: level for level in compare_answers(given)}


def test_shares_and_interval_are_those_of_two_models_on_the_same_requests() -> None:
    """The archive's answer and the second one, each compared with the first."""
    found = compared([answers(values) for values in ("aaa", "aaa", "baa", "aab", "abc")])[SAME_TEXTS]
    assert (found.requests, found.archive, found.own) == (5, 3 / 5, 3 / 5)
    assert found.limits.low == -found.limits.high
    assert found.p == 1


@pytest.mark.parametrize(
    ("values", "decision"),
    [
        ("aaa", Decision.PASS),  # the same model
        ("baa", Decision.FAIL),  # invented answers
        ("abc", Decision.UNDECIDED),  # a model that never answers alike: nothing shows
    ],
)
def test_an_invented_run_fails_and_a_model_that_repeats_itself_passes(
    values: str, decision: Decision
) -> None:
    """At both levels, on 100 requests."""
    found = compared([answers(values)] * 100)
    assert [found[level].decision for level in (SAME_TEXTS, SAME_CALLS)] == [decision, decision]


def test_a_model_that_varies_much_does_not_excuse_an_invented_run() -> None:
    """The margin is a part of the share that the model itself reaches, which may be below the margin."""
    found = compared([answers("baa")] * 40 + [answers("abc")] * 160)[SAME_TEXTS]
    assert found.own == 0.2
    assert found.decision is not Decision.PASS


def test_few_requests_decide_nothing() -> None:
    for values in ("aaa", "baa"):
        assert {level.decision for level in compare_answers([answers(values)] * 4)} == {Decision.UNDECIDED}
    assert {level.decision for level in compare_answers([])} == {Decision.UNDECIDED}


def test_answers_in_words_are_not_compared_by_their_calls() -> None:
    """Else a model that makes no calls would agree with any answer in words."""
    found = compared([answers("baa", calls=False)] * 50)
    assert found[SAME_CALLS].requests == 0
    assert found[SAME_CALLS].decision is Decision.UNDECIDED
    assert found[SAME_TEXTS].decision is Decision.FAIL


@pytest.mark.parametrize(("archive_right", "decision"), [(True, Decision.FAIL), (False, Decision.PASS)])
def test_answers_that_were_made_right_are_told_apart_and_worse_ones_are_not(
    archive_right: bool, decision: Decision
) -> None:
    """Each rule set has a level; a request that it does not judge is left out."""
    right, wrong = answer("a", right=archive_right), answer("b", right=not archive_right)
    found = compared([(right, wrong, wrong)] * 30 + [(answer("c"), answer("c"), answer("c"))] * 20)
    for rules in Rules:
        assert found[f"wrong, {rules}"].requests == 30
        assert found[f"wrong, {rules}"].decision is decision


def test_an_honest_archive_is_told_apart_at_most_at_the_error_rate() -> None:
    """Exactly: over all numbers of requests in which one of two exchangeable answers agrees alone."""
    n = 60
    archive_alone, own_alone = answers("aab"), answers("baa")
    for differing in (5, 20, n):
        told = 0.0
        for alone in range(differing + 1):
            agree = [own_alone] * alone + [archive_alone] * (differing - alone)
            found = compare_answers(agree + [answers("aaa")] * (n - differing))
            if any(level.decision is Decision.FAIL for level in found):
                told += comb(differing, alone) / 2**differing
        assert told <= comparison.ERROR_RATE


def test_more_evidence_never_makes_a_failure_pass() -> None:
    """With more requests in which the archive's answer alone differs, the decision moves one way."""
    order = [Decision.PASS, Decision.UNDECIDED, Decision.FAIL]
    for n in (20, 60, 200):
        steps = range(0, n + 1, n // 20)
        found = [compared([answers("baa")] * k + [answers("aaa")] * (n - k)) for k in steps]
        for level in (SAME_TEXTS, SAME_CALLS):
            decisions = [one[level].decision for one in found]
            assert decisions == sorted(decisions, key=order.index)
            assert decisions[-1] is Decision.FAIL
