"""What each condition changes, entry by entry, and which of the changes are shown. Pure.

A change is shown if the exact sign test over clusters, in which entries of one scenario count as one,
finds it at 5 % for all tests of the run together: equal conditions differ by chance as often in either
direction, however often that is, so that the test needs no measured noise. Tests that could show nothing,
because too few clusters differ, do not count among them (Tarone 1990).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from bfcl_pipeline.benchmark.config.conditions import FIRST, LAST
from bfcl_pipeline.judge.scoring.intervals import pooled_layout
from bfcl_pipeline.judge.scoring.statistics.clustered import Layout
from bfcl_pipeline.judge.scoring.statistics.paired import Paired, compare_paired
from bfcl_pipeline.judge.scoring.statistics.power import by_test
from bfcl_pipeline.show.conditions.answers import ACCURACY, MEASURES, Answers

LEVEL = 0.05
"""The probability of any false finding in a run whose conditions are equal, at most."""


@dataclass(frozen=True, slots=True)
class ConditionEffect:
    """One measure of one condition against another, over the entries that both have."""

    condition: str
    against: str  # empty: the row as it is
    measure: str  # one of MEASURES
    entries: int
    share: float  # of the condition
    difference: float  # from the other
    low: float  # of the 95 % interval of the difference, clustered
    high: float
    more: int  # entries that only the condition has
    fewer: int  # entries that only the other has
    p: float  # exact, over clusters
    least_p: float  # if all clusters that differ did so in one direction
    shown: bool = False
    detectable: float | None = None  # accuracy: the least true difference that is shown with 80 % power


def effects(asked: Sequence[Answers]) -> list[ConditionEffect]:
    """The effects of the conditions of one model: on each measure that differs anywhere, and on accuracy.

    asked: the answers under each condition, those of the row as it is among them.
    """
    of = {one.condition: one for one in asked}
    pairs = [(one, of.get(FIRST if one.condition == LAST else "")) for one in asked]
    tests = [
        test
        for one, other in pairs
        if other is not None and one.condition not in ("", FIRST)
        for measure in MEASURES
        if (test := _tested(one, other, measure)) is not None
    ]
    count = _counting([effect.least_p for effect, _, _ in tests])
    found = []
    for effect, pair, where in tests:
        least = None
        if effect.measure == ACCURACY:  # a loss is added to the noise, and its test to those that count
            least = by_test(pair, 0, where, LEVEL / (count + 1), added=True)
        found.append(replace(effect, shown=effect.p <= LEVEL / count, detectable=least))
    return found


def _tested(one: Answers, other: Answers, measure: str) -> tuple[ConditionEffect, Paired, Layout] | None:
    """The effect on one measure; None if no entry has it under both conditions."""
    both = [key for key in one.marks if measure in one.marks[key] and measure in other.marks.get(key, ())]
    if not both:
        return None
    mine, others = (np.array([each.marks[key][measure] for key in both], float) for each in (one, other))
    where = pooled_layout(both)
    pair = compare_paired(mine, others, where)
    effect = ConditionEffect(
        condition=one.condition,
        against=other.condition,
        measure=measure,
        entries=len(both),
        share=float(mine.mean()),
        difference=float(pair.of.mean[0]),
        low=pair.limits[0].low,
        high=pair.limits[0].high,
        more=int(pair.only_first[0]),
        fewer=int(pair.only_second[0]),
        p=pair.clusters_p[0],
        least_p=min(1.0, 2 * 0.5 ** int(np.count_nonzero(pair.by_cluster[0]))),
    )
    return effect, pair, where


def _counting(least: Sequence[float]) -> int:
    """By what the level is divided: the least number that no more tests than it could then pass."""
    return next(k for k in range(1, len(least) + 2) if sum(p <= LEVEL / k for p in least) <= k)
