"""Computes the leaderboard's scores from counts of verdicts.

Covers the accuracy of a category, the group scores and the overall score of BFCL V4 (summed in the
official tool's order, so that printed numbers agree to the last digit), the means of V1's executable
categories, and the spread over prompt formats.
Their intervals, which need the verdicts themselves, are `scoring.intervals`.
`bfcl_pipeline.show.report` counts the verdicts and writes the tables.
"""

import functools
import operator
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.definition.leaderboard import (
    EXECUTABLE,
    LEADERBOARD,
    Group,
    Mean,
    categories_of,
)


@dataclass(frozen=True, slots=True)
class Count:
    """The verdicts of one model on one category, counted."""

    answered: int  # responses with a verdict
    correct: float  # valid responses; in a ceiling, shares of them


@dataclass(frozen=True, slots=True)
class Score:
    """One number of the leaderboard, or of the table of executable categories."""

    accuracy: float  # 0 to 1; categories that were not evaluated count 0
    entries: int  # scored entries; for a category that was not evaluated, all its entries
    evaluated: int  # number of evaluated categories in it
    categories: int  # number of categories in it

    @property
    def complete(self) -> bool:
        """True where every category of this score was evaluated."""
        return self.evaluated == self.categories


@dataclass(frozen=True, slots=True)
class Spread:
    """The spread of a model's accuracy over the prompt formats, in percentage points."""

    max_delta: float  # best format minus worst
    std: float  # sample standard deviation over the formats


def leaderboard_scores(
    counts: Mapping[str, Count], sizes: Mapping[str, int] | None = None
) -> dict[str, Score]:
    """Every score by name: categories first, then the groups of LEADERBOARD and of EXECUTABLE.

    A category that is missing from `counts`, or has no verdict, was not evaluated: its accuracy is 0 and
    all its entries count, as in the official tool.

    Args:
        counts: by category.
        sizes: of every category, its entries in means by size; None: those scored, as in the official tool.
    """
    scores = {name: _category_score(name, counts.get(name)) for name in CATEGORIES}
    for group in (*LEADERBOARD, *EXECUTABLE):
        scores[group.name] = _group_score(group, [scores[member.name] for member in group.members], sizes)
    return scores


def _category_score(name: str, count: Count | None) -> Score:
    if count is None or count.answered == 0:
        return Score(0.0, CATEGORIES[name].entries, 0, 1)
    return Score(count.correct / count.answered, count.answered, 1, 1)


def _group_score(group: Group, members: Sequence[Score], sizes: Mapping[str, int] | None) -> Score:
    entries = [member.entries for member in members]
    return Score(
        _mean(group, members, entries if sizes is None else _sizes(group, sizes)),
        sum(entries),
        sum(member.evaluated for member in members),
        sum(member.categories for member in members),
    )


def _sizes(group: Group, sizes: Mapping[str, int]) -> list[int]:
    return [sum(sizes[name] for name in categories_of(member.name)) for member in group.members]


def _mean(group: Group, members: Sequence[Score], entries: Sequence[int]) -> float:
    """The group's accuracy, computed in the official tool's order so that rounding agrees."""
    if group.mean is Mean.EQUAL:
        return _total(member.accuracy for member in members) / len(members)
    if group.mean is Mean.BY_SIZE:
        return _total(m.accuracy * n for m, n in zip(members, entries, strict=True)) / sum(entries)
    weights = [member.weight for member in group.members]
    shares = [weight / sum(weights) for weight in weights]
    return _total(m.accuracy * share for m, share in zip(members, shares, strict=True))


def _total(terms: Iterable[float]) -> float:
    """The plain running sum; the built-in `sum` compensates for rounding since Python 3.12."""
    return functools.reduce(operator.add, terms, 0.0)


def format_spread(accuracies: Iterable[float]) -> Spread:
    """The spread of the prompt formats' accuracies, rounded as in the official tool.

    For one format it is 0. Raises ValueError if there is none.
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
