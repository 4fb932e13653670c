"""The differences that a comparison finds with 80 % power."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bfcl_pipeline.judge.scoring.statistics.clustered import composite_error, layout
from bfcl_pipeline.judge.scoring.statistics.paired import (
    compare_paired,
    composite_difference,
    difference_limits,
    mcnemar,
)
from bfcl_pipeline.judge.scoring.statistics.power import by_interval, by_test

ONE = np.ones(1)


def of_pairs(first: int, second: int, pairs: int) -> tuple[np.ndarray, np.ndarray]:
    """Verdicts of two models of which each alone is right on so many entries; both are on the others."""
    one, two = np.ones(pairs), np.ones(pairs)
    two[:first] = one[first : first + second] = 0
    return one, two


@pytest.mark.parametrize(("first", "second"), [(0, 0), (2, 3), (1, 11)])
def test_the_interval_and_the_test_find_it_with_80_percent_power(first: int, second: int) -> None:
    """By the exact probabilities of all outcomes, where the models disagree as often or as it needs."""
    pairs = 40
    where = layout([0] * pairs, range(pairs))
    of = compare_paired(*of_pairs(first, second, pairs), where)
    for shown, finds in (
        (by_interval(of, where, ONE), lambda up, down: difference_limits(up, down, pairs, pairs).low > 0),
        (by_test(of, 0, where, 0.01), lambda up, down: up > down and mcnemar(up, down) <= 0.01),
    ):
        assert shown is not None
        disagree = max(shown, (first + second) / pairs)
        shares = [(disagree + shown) / 2, (disagree - shown) / 2, 1 - disagree]
        likely = [
            math.comb(pairs, up) * math.comb(pairs - up, down) * math.prod(map(pow, shares, outcome))
            for up in range(pairs + 1)
            for down in range(pairs + 1 - up)
            if finds(up, down)
            for outcome in [(up, down, pairs - up - down)]
        ]
        assert sum(likely) == pytest.approx(0.8, abs=1e-4)


def test_few_entries_show_nothing() -> None:
    """No outcome of two pairs excludes 0."""
    where = layout([0] * 2, range(2))
    of = compare_paired(*of_pairs(2, 0, 2), where)
    assert by_interval(of, where, ONE) is by_test(of, 0, where, 0.05) is None


@pytest.mark.parametrize("shared", [1, 4])
def test_of_many_entries_it_is_2_8_errors_and_more(shared: int) -> None:
    """What Wald's error gives, and what the interval is wider than it; of composites and of clusters."""
    random = np.random.default_rng(3)
    entries, category = 2400, np.repeat([0, 1], 1200)
    where = layout(category, np.arange(entries) // shared)
    first = np.repeat(random.random(entries // shared) < 0.7, shared)
    second = np.where(np.repeat(random.random(entries // shared) < 0.2, shared), ~first, first)
    of, weights = compare_paired(first, second, where), np.array([0.5, 0.5])
    limits = composite_difference(of, weights)
    shown = by_interval(of, where, weights)
    assert shown == pytest.approx(2.8016 * composite_error(of.of, weights), rel=0.04)
    assert shown is not None
    assert shown > (limits.high - limits.low) / 2
