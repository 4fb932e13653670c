"""The test whether an archive's answers could come from the model that was asked again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, permutations, product
from math import comb, prod

import numpy as np
import pytest

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.share.asked_again.answers import CALLS, NO_CALLS, TEXTS, VERDICTS
from bfcl_pipeline.share.asked_again.exchangeability import (
    Answers,
    LevelResult,
    compare_answers,
    p_value,
)

ALONE, AGREED, FRESH_ALONE, DIFFERENT = ("a", "b", "b"), ("b", "b", "b"), ("b", "b", "c"), ("a", "b", "c")


def level(
    answers: Sequence[Answers], tolerance: float = 0, error_rate: float = 0.01, name: str = CALLS
) -> LevelResult:
    """The test of one level."""
    return compare_answers({name: answers}, {name: tolerance}, error_rate).levels[name]


def archive_alone(name: str, drawn: Iterable[Answers]) -> int:
    """In how many requests only the archive's answer stands alone, or only it is right."""
    if name == VERDICTS:
        return sum(answers[0] is True and not any(answers[1:]) for answers in drawn)
    return sum(lone(answers) == [0] for answers in drawn)


def lone(answers: Answers) -> list[int]:
    """The places of the answers that no other is equal to."""
    return [place for place, one in enumerate(answers) if list(answers).count(one) == 1]


@pytest.mark.parametrize(
    ("name", "drawn"),
    [
        (CALLS, [ALONE, ALONE, FRESH_ALONE, AGREED, DIFFERENT]),
        (TEXTS, [ALONE, FRESH_ALONE, FRESH_ALONE, FRESH_ALONE]),
        (TEXTS, [("a", "b", "b", "b"), ("a", "a", "b", "c"), ("a", "b", "c", "c"), ("a", "a", "b", "b")]),
        (TEXTS, [("a", "b", "b", "c", "c"), ("a", "a", "a", "a", "b")]),
        (VERDICTS, [(True, False, False), (False, True, False), (True, True, False), (False, True, True)]),
        (VERDICTS, [(True, False, False, False), (True, True, True, True), (False, False, True, False)]),
    ],
)
def test_p_is_the_share_of_permutations_with_as_many_archives_alone(
    name: str, drawn: list[Answers]
) -> None:
    """The p without tolerance counts the permutations of each request's answers, one by one."""
    observed = archive_alone(name, drawn)
    permuted = list(product(*(list(permutations(answers)) for answers in drawn)))
    as_many = sum(archive_alone(name, each) >= observed for each in permuted)
    assert level(drawn, name=name).p == pytest.approx(as_many / len(permuted), rel=1e-12)


# A request of an honest model: the chances that the archive's answer is alone, and that a fresh one is.
HONEST = [(Fraction(0), Fraction(0)), *((Fraction(n, 12), Fraction(2 * n, 12)) for n in (1, 2, 4))]
OTHER = (Fraction(1), Fraction(0))  # a request that differs for other reasons, in the worst way


@cache
def p(x: int, y: int, n: int, tolerance: float) -> float:
    """The p of one level with two askings."""
    return p_value(x, y, 2, requests=n, tolerance=tolerance)


def chance_told_apart(
    requests: Sequence[tuple[Fraction, Fraction]], tolerance: float, error_rate: float
) -> float:
    """The chance that these requests are told apart: all outcomes, each with its probability."""
    n = len(requests)
    outcomes = np.zeros((n + 1, n + 1))
    outcomes[0, 0] = 1
    for archive, fresh in requests:
        after = outcomes * float(1 - archive - fresh)
        after[1:] += outcomes[:-1] * float(archive)
        after[:, 1:] += outcomes[:, :-1] * float(fresh)
        outcomes = after
    apart = ((x, y) for x in range(n + 1) for y in range(n + 1 - x) if p(x, y, n, tolerance) <= error_rate)
    return float(sum(outcomes[place] for place in apart))


@pytest.mark.parametrize("error_rate", [0.005, 0.01, 0.05, 0.2])
def test_an_honest_archive_is_told_apart_at_most_at_the_error_rate(error_rate: float) -> None:
    """Over every mix of honest requests, whatever chance each of their answers has to stand alone."""
    worst = max(
        chance_told_apart(mix, 0, error_rate)
        for n in range(1, 7)
        for mix in combinations_with_replacement(HONEST, n)
    )
    assert 0 < worst <= error_rate


@pytest.mark.parametrize("error_rate", [0.01, 0.05, 0.2])
@pytest.mark.parametrize("tolerance", [0.03, 0.2])
@pytest.mark.parametrize("n", [7, 25])
def test_the_error_rate_holds_with_other_reasons_within_the_tolerance(
    n: int, tolerance: float, error_rate: float
) -> None:
    """Each request differs for other reasons with the chance of the tolerance, all others are honest."""
    rates = []
    for archive, fresh in HONEST:
        told = [
            chance_told_apart([OTHER] * others + [(archive, fresh)] * (n - others), tolerance, error_rate)
            for others in range(n + 1)
        ]
        chances = [comb(n, k) * tolerance**k * (1 - tolerance) ** (n - k) for k in range(n + 1)]
        rates.append(sum(a * b for a, b in zip(told, chances, strict=True)))
    assert max(rates) <= error_rate


def test_the_error_rate_holds_for_answers_drawn_from_any_distribution() -> None:
    """Every tuple of answers that three requests can have, on all levels at once."""
    weights = [(Fraction(3, 5), Fraction(2, 5)), (Fraction(9, 10), Fraction(1, 10)), (Fraction(1, 2),) * 2]
    error_rate, told, total = 0.2, Fraction(0), Fraction(0)
    tuples = list(product((0, 1), repeat=3))
    for drawn in product(tuples, repeat=3):
        chance = prod(
            (weights[place][answer] for place, answers in enumerate(drawn) for answer in answers),
            start=Fraction(1),
        )
        total += chance
        right = [tuple(answer == 1 for answer in answers) for answers in drawn]
        levels = {TEXTS: drawn, CALLS: drawn, VERDICTS: right}
        told += chance * compare_answers(levels, dict.fromkeys(levels, 0.0), error_rate).told_apart
    assert total == 1
    assert 0 < told <= error_rate


def test_more_evidence_never_makes_the_answers_more_alike() -> None:
    """The p falls with answers of the archive alone, and rises with fresh ones alone and the tolerance."""
    tolerances = (0, 0.01, 0.05, 0.2)
    for x, y in product(range(1, 30), range(20)):
        ps = [p(x, y, 50, tolerance) for tolerance in tolerances]
        assert ps == sorted(ps)
        for tolerance, this in zip(tolerances, ps, strict=True):
            assert this <= p(x - 1, y, 50, tolerance)
            assert this <= p(x, y + 1, 50, tolerance)


def test_as_many_as_the_tolerance_allows_are_never_told_apart() -> None:
    """What is excused is the number of requests that may differ, but for half of the error rate."""
    found = level([ALONE] * 50, tolerance=0.03)
    below = sum(comb(50, k) * 0.03**k * 0.97 ** (50 - k) for k in range(found.excused))
    assert (
        1 - below
        > 0.005
        >= 1 - below - comb(50, found.excused) * 0.03**found.excused * 0.97 ** (50 - found.excused)
    )
    assert not level([ALONE] * found.excused + [AGREED] * (50 - found.excused), tolerance=0.03).told_apart
    assert found.told_apart


@pytest.mark.parametrize("tolerance", [0, 0.05])
@pytest.mark.parametrize("differing", [0, 2, 6])
def test_the_smallest_share_is_found_with_95_percent_and_no_smaller_one(
    differing: int, tolerance: float
) -> None:
    """The smallest share agrees with a sum over all outcomes of 40 requests, one by one."""
    n = 40
    drawn = [AGREED] * (n - differing) + [DIFFERENT] * differing
    share = level(drawn, tolerance).smallest_share
    assert share is not None
    agree, usual = Fraction(n - differing, n), Fraction(differing, 2 * n)
    for of, found in ((share, True), (share - 0.001, False)):
        invented = Fraction(of)
        archive = invented * agree + (1 - invented) * usual
        request = (archive, 2 * (1 - invented) * usual)
        assert (chance_told_apart([request] * n, tolerance, 0.01) >= 0.95) is found


def test_the_smallest_share_falls_with_requests_and_rises_with_tolerance_and_variation() -> None:
    """More requests find less; with more tolerance, fewer errors or more variation the share is larger."""

    def share(n: int, varying: float = 0, tolerance: float = 0.03, error_rate: float = 0.01) -> float:
        differing = round(n * varying)
        drawn = [AGREED] * (n - differing) + [DIFFERENT] * differing
        return level(drawn, tolerance, error_rate).smallest_share or 2.0

    for several in (
        [share(n) for n in (200, 100, 50, 25, 5)],
        [share(50, varying) for varying in (0, 0.04, 0.1, 0.3, 0.6, 1)],
        [share(50, tolerance=tolerance) for tolerance in (0, 0.01, 0.05, 0.2, 0.5, 0.9)],
        [share(50, error_rate=error_rate) for error_rate in (0.2, 0.05, 0.01, 1e-6, 1e-30)],
    ):
        assert several == sorted(several)
        assert several[0] < 0.4
        assert several[-1] > several[0]
    assert level([DIFFERENT] * 50).smallest_share is None
    assert level([AGREED] * 3).smallest_share is None


def test_right_verdicts_of_the_archive_alone_count_and_wrong_ones_do_not() -> None:
    """Answers that were edited to be right are told apart; an archive worse than the model is not."""
    edited = level([(True, False, False)] * 10 + [(True,) * 3] * 20, name=VERDICTS)
    assert edited.told_apart
    assert (edited.archive_alone, edited.fresh_alone) == (10, 0)
    worse = level([(False, True, True)] * 30, name=VERDICTS)
    assert worse.p == 1
    assert (worse.archive_alone, worse.fresh_alone) == (0, 0)


def test_the_levels_share_the_error_rate() -> None:
    """What one level tells apart is not told apart where it is one of three with the same error rate."""
    five = [ALONE] * 5 + [AGREED] * 45
    agreed = [AGREED] * 50
    none = dict.fromkeys((TEXTS, CALLS, VERDICTS), 0.0)
    error_rate = 3.0**-5 * 1.5
    alone = compare_answers({CALLS: five}, none, error_rate)
    of_three = compare_answers({TEXTS: agreed, CALLS: five, VERDICTS: [(True,) * 3] * 50}, none, error_rate)
    assert alone.told_apart
    assert alone.p == pytest.approx(3.0**-5)
    assert not of_three.told_apart
    assert of_three.p == pytest.approx(3 * 3.0**-5)
    assert of_three.smallest_share == max(level.smallest_share or 0 for level in of_three.levels.values())


def test_requests_without_all_answers_are_left_out_and_counted() -> None:
    """A missing answer, of the archive or of one asking, leaves the request out."""
    found = level([ALONE, (None, "b", "b"), ("a", "b", None)])
    assert (found.requests, found.unanswered, found.archive_alone) == (1, 2, 1)


@pytest.mark.parametrize(("n", "found"), [(12, False), (100, True)])
def test_answers_in_words_are_found_by_their_texts_alone(n: int, found: bool) -> None:
    """Without calls, the level of calls finds nothing, and that of verdicts no other model."""
    answers: dict[str, list[Answers]] = {
        TEXTS: [AGREED] * n,
        CALLS: [(NO_CALLS,) * 3] * n,
        VERDICTS: [(False,) * 3] * n,
    }
    result = compare_answers(answers)
    assert [level.informative for level in result.levels.values()] == [n, 0, n]
    assert result.levels[CALLS].smallest_share is None
    assert result.levels[VERDICTS].smallest_share is not None
    assert (result.levels[TEXTS].smallest_share is not None) is found
    assert (result.smallest_share is not None) is found


def test_a_share_is_of_the_requests_that_carry_information() -> None:
    """Answers without calls among others do not make the share of invented calls smaller."""
    with_calls = level([AGREED] * 50).smallest_share
    mixed = level([AGREED] * 50 + [(NO_CALLS,) * 3] * 50)
    assert mixed.informative == 50
    assert with_calls is not None
    assert mixed.smallest_share == pytest.approx(with_calls, abs=0.01)


@pytest.mark.parametrize("drawn", [[], [(None, "b", "b")] * 4])
def test_without_answers_nothing_is_told_apart(drawn: list[Answers]) -> None:
    """No request, or none with all answers: p is 1, and no share is found."""
    result = compare_answers({CALLS: drawn})
    assert (result.p, result.told_apart, result.smallest_share) == (1.0, False, None)


@pytest.mark.parametrize("drawn", [[("a", "b")], [("a",)], [("a", "b", "b"), ("a", "b", "b", "b")]])
def test_too_few_or_unequal_askings_are_refused(drawn: list[Answers]) -> None:
    """One fresh answer cannot say what is usual."""
    with pytest.raises(ConfigError, match="Ask each request at least twice"):
        compare_answers({CALLS: drawn})


@pytest.mark.parametrize(("tolerance", "error_rate"), [(-0.1, 0.01), (1, 0.01), (0, 0), (0, 1)])
def test_impossible_rates_are_refused(tolerance: float, error_rate: float) -> None:
    """A tolerance of 1 would excuse everything, and an error rate of 0 tells nothing apart."""
    with pytest.raises(ConfigError, match=r"must be a share|error rate between"):
        level([ALONE], tolerance, error_rate)
