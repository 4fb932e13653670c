"""From counts of verdicts to the leaderboard's scores, with intervals.

Covers the accuracy of a category, the group scores and the overall of BFCL V4 (added up in the
official tool's order, so that printed numbers agree to the last digit), the spread over prompt
formats, and 95 % intervals. Pure: counts in, scores out; grouping verdicts into counts and writing
tables is `bfcl_pipeline.report`.
"""

from __future__ import annotations

import functools
import math
import operator
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bfcl_pipeline.benchmark import CATEGORIES
from bfcl_pipeline.benchmark.leaderboard import LEADERBOARD, Group, Mean

Z_95 = 1.959963984540054
"""The 97.5 % point of the normal distribution."""


@dataclass(frozen=True, slots=True)
class Count:
    """How one model did on one category."""

    answered: int  # responses that were judged
    correct: int  # of these, the valid ones


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % interval of an accuracy."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Score:
    """One number of the leaderboard."""

    accuracy: float  # 0 to 1; what was not evaluated counts 0
    entries: int  # judged entries; of a category that was not evaluated, all it has
    evaluated: int  # how many of its categories were evaluated
    categories: int  # how many categories it is made of
    interval: Interval  # of `accuracy`; a category that was not evaluated adds no width

    @property
    def complete(self) -> bool:
        """True where every category of this score was evaluated."""
        return self.evaluated == self.categories


@dataclass(frozen=True, slots=True)
class Spread:
    """How much a model's accuracy depends on the prompt format, in percentage points."""

    max_delta: float  # best format minus worst
    std: float  # sample standard deviation over the formats


def wilson(correct: int, answered: int) -> Interval:
    """The 95 % score interval of `correct` successes in `answered` trials (Wilson 1927).

    It stays within 0 and 1 and has a width even where all or none are correct. Of no trials it is
    the whole range.
    """
    if answered == 0:
        return Interval(0.0, 1.0)
    share = correct / answered
    shrink = 1 + Z_95**2 / answered
    centre = (share + Z_95**2 / (2 * answered)) / shrink
    half = Z_95 * math.sqrt(share * (1 - share) / answered + Z_95**2 / (4 * answered**2)) / shrink
    return Interval(
        0.0 if correct == 0 else centre - half,
        1.0 if correct == answered else centre + half,
    )


def leaderboard_scores(counts: Mapping[str, Count]) -> dict[str, Score]:
    """Every score of the leaderboard by name, categories first, then the groups of LEADERBOARD.

    A category that is missing from `counts`, or has no judged response, was not evaluated: it counts
    0 with all its entries, as in the official tool.
    """
    scores = {name: _category_score(name, counts.get(name)) for name in CATEGORIES}
    for group in LEADERBOARD:
        scores[group.name] = _group_score(group, [scores[member.name] for member in group.members])
    return scores


def _category_score(name: str, count: Count | None) -> Score:
    if count is None or count.answered == 0:
        return Score(0.0, CATEGORIES[name].entries, 0, 1, Interval(0.0, 0.0))
    accuracy = count.correct / count.answered
    return Score(accuracy, count.answered, 1, 1, wilson(count.correct, count.answered))


def _group_score(group: Group, members: Sequence[Score]) -> Score:
    accuracy = _mean(group, members)
    return Score(
        accuracy,
        sum(member.entries for member in members),
        sum(member.evaluated for member in members),
        sum(member.categories for member in members),
        _combined(accuracy, members, _shares(group, members)),
    )


def _mean(group: Group, members: Sequence[Score]) -> float:
    """The group's accuracy. The order of operations is the official tool's, down to the rounding."""
    if group.mean is Mean.BY_SIZE:
        return _total(m.accuracy * m.entries for m in members) / sum(m.entries for m in members)
    if group.mean is Mean.WEIGHTED:
        shares = _shares(group, members)
        return _total(m.accuracy * share for m, share in zip(members, shares, strict=True))
    return _total(m.accuracy for m in members) / len(members)


def _total(terms: Iterable[float]) -> float:
    """The plain running sum. The built-in compensates for rounding since Python 3.12."""
    return functools.reduce(operator.add, terms, 0.0)


def _shares(group: Group, members: Sequence[Score]) -> list[float]:
    """What part of the group's score each member makes up; they add up to 1."""
    if group.mean is Mean.BY_SIZE:
        sizes = [member.entries for member in members]
    else:
        sizes = [member.weight for member in group.members]
    return [size / sum(sizes) for size in sizes]


def _combined(accuracy: float, members: Sequence[Score], shares: Sequence[float]) -> Interval:
    """The interval of a weighted mean of independent accuracies.

    The members' distances from accuracy to limit add up in squares, each side for itself (the MOVER
    method, Zou and Donner 2008). Unlike the usual standard error it takes over the Wilson limits'
    behaviour at 0 and 1, and it never leaves that range.
    """
    weighted = list(zip(members, shares, strict=True))
    below = _total((share * (m.accuracy - m.interval.low)) ** 2 for m, share in weighted)
    above = _total((share * (m.interval.high - m.accuracy)) ** 2 for m, share in weighted)
    return Interval(max(0.0, accuracy - math.sqrt(below)), min(1.0, accuracy + math.sqrt(above)))


def format_spread(accuracies: Iterable[float]) -> Spread:
    """The spread over the prompt formats' accuracies, rounded as in the official tool.

    Of fewer than two formats it is 0. Raises ValueError if there is none.
    """
    accuracies = list(accuracies)
    if not accuracies:
        raise ValueError("the spread over no format at all is undefined")
    if len(accuracies) == 1:
        return Spread(0.0, 0.0)
    return Spread(
        max_delta=round((max(accuracies) - min(accuracies)) * 100, 2),
        std=round(statistics.stdev(accuracies) * 100, 2),
    )
