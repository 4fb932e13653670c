"""Which models of a run can be told apart by a score: rank intervals and groups.

Covers many models on one numbering of entries, with a score that is a weighted sum of the means of
categories. The tests are simultaneous over all pairs of models. docs/statistics.md derives the formulas.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import scipy  # loads `scipy.special`, which is slow, where it is first used
from numpy.typing import NDArray

from bfcl_pipeline.judge.scoring.statistics.clustered import Floats, Layout
from bfcl_pipeline.judge.scoring.statistics.paired import holm

Relation: TypeAlias = NDArray[np.bool_]
"""Model by model: whether the one of the row is shown to be better than the one of the column."""

LEVEL = 0.05
"""The probability that any of the statements on the models of a run is false."""

_CERTAIN = 6.0
"""A difference of so many standard errors is of 36 clusters or more: no interval of 1.96 contains 0."""

_ROUNDING = 1e-12
"""A sum of squares below this share of its terms is what rounding leaves of 0."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """All pairs of models; row minus column, model by model."""

    difference: Floats  # of the scores
    z: Floats  # over the larger of two standard errors; 0 for models with equal verdicts


@dataclass(frozen=True, slots=True)
class RankInterval:
    """The ranks that a model may have."""

    low: int  # 1 and the models shown to be better
    high: int  # all models but those shown to be worse


def pairs(verdicts: Floats, where: Layout, weights: Floats) -> Pairs:
    """Every pair of models compared by a score, over all entries at once.

    A category in which a model has no verdict counts 0 in its score; an entry without a verdict is in no
    mean of its model.

    Args:
        verdicts: 0 or 1 by model, then entry; nan where there is no verdict.
        where: the layout of the entries.
        weights: the share of each category in the score, by model, then category.
    """
    judged = ~np.isnan(verdicts)
    right = np.where(judged, verdicts, 0.0)
    sizes = _by_number(judged.astype(np.float64), where.category, where.categories)
    shares = weights / np.maximum(sizes, 1.0)  # what one right answer adds to the score
    accuracy = _by_number(right, where.category, where.categories) / np.maximum(sizes, 1.0)
    residual = np.where(judged, right - accuracy[:, where.category], 0.0)
    points = _by_number(right * shares[:, where.category], where.cluster, where.clusters)
    deviations = _by_number(residual * shares[:, where.category], where.cluster, where.clusters)
    # Of categories with one cluster no variance can be estimated; the sum of squares of `points` is there.
    correction = np.where(np.isinf(where.correction), 1.0, where.correction)
    score = points.sum(axis=1)
    difference = np.subtract.outer(score, score)
    paired = _squared_distances(deviations * np.sqrt(correction))
    largest = np.maximum(paired, _squared_distances(points))
    differ = largest > 0
    z = np.where(differ, difference, 0.0) / np.sqrt(np.where(differ, largest, 1.0))
    return Pairs(difference, z)


def _by_number(values: Floats, number: NDArray[np.int64], count: int) -> Floats:
    """The sums of the values with each number, by row."""
    return np.array([np.bincount(number, weights=row, minlength=count) for row in values])


def _squared_distances(rows: Floats) -> Floats:
    """The sum of squares of the difference of each pair of rows, with the same bits on every processor.

    Not by a product of matrices, which adds in an order that depends on the processor.
    """
    squares = (rows**2).sum(axis=1)
    distances = np.array([((rows - row) ** 2).sum(axis=1) for row in rows])
    return np.where(distances > _ROUNDING * np.add.outer(squares, squares), distances, 0.0)


def shown_better(
    of: Pairs, interval_shows: Callable[[int, int], bool] | None = None, level: float = LEVEL
) -> Relation:
    """Which models are shown to be better than which others.

    Both directions of every pair are tested (one-sided), with the correction of Holm for their number, so
    that all statements are true with a probability of at least 1 - `level`, however the tests depend.

    Args:
        of: the pairs.
        interval_shows: whether the interval of two models alone excludes that the second is as good. It is
            asked where the test says so and could be too bold. None: it does not count.
        level: the probability that any statement is false.
    """
    first, second = np.nonzero(~np.eye(len(of.z), dtype=bool))
    adjusted = np.array(holm(list(scipy.special.ndtr(-of.z[first, second]))))
    better = np.zeros(of.z.shape, dtype=np.bool_)
    better[first, second] = adjusted < level
    if interval_shows is not None:
        for one, two in np.argwhere(better & (of.z < _CERTAIN)):
            better[one, two] = interval_shows(int(one), int(two))
    return better


def rank_intervals(better: Relation) -> list[RankInterval]:
    """The interval of the rank of each model."""
    ahead, behind = better.sum(axis=0), better.sum(axis=1)
    return [
        RankInterval(1 + int(above), len(better) - int(below))
        for above, below in zip(ahead, behind, strict=True)
    ]


def groups(better: Relation) -> list[int]:
    """The number of the group of each model, from 1; models in the order of their ranks.

    A group begins with the first model that the first model of the group before is shown to be better than.
    """
    numbers: list[int] = []
    leader, number = 0, 1
    for model in range(len(better)):
        if better[leader, model]:
            leader, number = model, number + 1
        numbers.append(number)
    return numbers
