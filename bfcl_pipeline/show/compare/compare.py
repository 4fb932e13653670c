"""The comparison of two sides: differences, intervals and tests per score, and the entries that flipped.

Covers the composition of the leaderboard. A score is that of the entries with a verdict on both sides
(`aligned`). Pure; the statistics are `scoring.statistics`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.definition.categories import release_sizes
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.judge.scoring.intervals import ScenarioRange, Scope, ScoredEntries, leave_one_out
from bfcl_pipeline.judge.scoring.statistics.clustered import Floats, total
from bfcl_pipeline.judge.scoring.statistics.paired import (
    Booleans,
    compare_paired,
    composite_difference,
    heaviest,
    holm,
    low_with_loss,
    mcnemar,
)
from bfcl_pipeline.judge.scoring.statistics.power import by_interval, by_test
from bfcl_pipeline.show.compare.aligned import Aligned, Aligner, releases
from bfcl_pipeline.show.compare.sides import ABSENT, RIGHT, WRONG, Numbering, Side

_LEVEL = 0.05  # largest adjusted p-value that shows a difference


@dataclass(frozen=True, slots=True)
class ScoreDifference:
    """One score of two sides, over the entries with a verdict on both. Shares, not per cent."""

    score: str  # a category, or a group of the leaderboard
    complete: bool  # whether every category of the score has such entries; one without counts 0
    entries: int  # entries with a verdict on both sides
    clusters: int  # clusters of them
    first: float  # accuracy of the first side
    second: float  # accuracy of the second side
    difference: float  # first minus second
    low: float  # lower limit of its 95 % interval
    high: float  # upper limit of its 95 % interval
    only_first: int  # entries that only the first has right
    only_second: int  # entries that only the second has right
    mcnemar_p: float | None = None  # exact test over entries; None for a group, and for means over trials
    clusters_p: float | None = None  # exact sign test over clusters; None for a group
    holm_p: float | None = None  # the same, adjusted for the number of scored categories; None for a group
    design_effect: float | None = None  # of the difference; None for a group, or where no entry flipped
    detectable: float | None = None  # smallest true difference whose interval excludes 0, with 80 % power
    low_with_loss: float | None = None  # lower limit for a gate; None without a margin
    detectable_holm: float | None = None  # that `holm_p` finds, if it is the least of all; None for a group

    @property
    def favours(self) -> int:
        """1 if the interval is above 0, -1 if it is below 0, else 0."""
        return int(self.low > 0) - int(self.high < 0)


@dataclass(frozen=True, slots=True)
class Flip:
    """An entry that only one side has right, or of means over trials, that one has right more often."""

    category: str
    entry_id: str
    first_right: bool  # else only the second has it right


@dataclass(frozen=True, slots=True)
class Flipped:
    """Entries that only one side has right, in benchmark order, held as numbers."""

    entries: Sequence[tuple[str, str]]  # category and id by number
    numbers: NDArray[np.int32]  # of the entries that flipped
    first_right: Booleans  # of the same entries

    def __iter__(self) -> Iterator[Flip]:
        for number, first_right in zip(self.numbers, self.first_right, strict=True):
            category, entry_id = self.entries[number]
            yield Flip(category, entry_id, bool(first_right))


@dataclass(frozen=True, slots=True)
class Omitted:
    """The entries that both sides ran and at least one has no verdict on."""

    first: int  # those that the first has no verdict on
    second: int  # those that the second has no verdict on
    p: float  # exact test of McNemar: whether one side lacks more
    against: Mapping[str, ScoreDifference]  # each score with them wrong on the first side, else right
    favour: Mapping[str, ScoreDifference]  # the same the other way round

    def turns(self, score: ScoreDifference) -> bool:
        """Whether they could turn the side that the interval of a score favours."""
        return bool(score.favours) and any(
            each[score.score].favours != score.favours for each in (self.against, self.favour)
        )


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two sides under one rule set."""

    first: str  # label
    second: str  # label
    rules: Rules
    scores: list[ScoreDifference]  # groups from the overall on, then categories, as far as compared
    flips: Flipped  # entries that only one side has right
    unjudged: int  # entries that both ran and at least one has no verdict on
    worst: bool  # whether these count as wrong on the first side, else as right; else they are in no score
    omitted: Omitted | None  # the same entries; None without any
    left_out: Mapping[str, int]  # by category, entries that only one side ran: not compared
    web_left_out: bool  # whether web search is not compared, as one side searched a simulated web
    executed_left_out: bool  # whether executed categories are not, as the simulated web answered one side
    releases: tuple[str, str] | None  # of both sides, if they differ
    averaged: bool  # whether the marks of a side are means over trials
    memory_range: ScenarioRange | None  # of the difference on memory; None without memory
    same_exchange: Mapping[str, int]  # by category, entries in scores whose two answers are one exchange

    def of(self, score: str) -> ScoreDifference | None:
        """The difference of one score; None if it was not compared."""
        return next((row for row in self.scores if row.score == score), None)


class Comparer:
    """Compares pairs of sides of one numbering; what depends only on the entries is computed once."""

    def __init__(
        self,
        numbering: Numbering,
        rules: Rules,
        common: bool = False,
        worst: bool = False,
        margin: float | None = None,
    ) -> None:
        """Numbers what depends on the entries.

        Args:
            numbering: of the entries.
            rules: of the verdicts.
            common: compare what both sides have, instead of refusing sides that differ in entries.
            worst: count entries without a verdict against the first side, instead of leaving them out.
            margin: the loss, as a share, that a gate accepts; None without a gate. With `common`, a group
                is then the weighted mean of those of its categories that both have.
        """
        self.rules, self.common, self.worst, self.margin = rules, common, worst, margin
        self.entries = numbering.entries
        self._scored = ScoredEntries(self.entries)
        self._category = self._scored.category
        self._aligner = Aligner(self.entries, self._category)
        self._scopes: dict[tuple[bytes, bool], Scope] = {}

    def compare(self, first: Side, second: Side) -> Comparison:
        """The comparison of two sides.

        Raises TableError if they have nothing in common, or differ in release, web, categories or entries.
        """
        aligned = self.aligned(first, second)
        asked, judged, (one, two) = aligned.asked, aligned.judged, aligned.marks
        if not judged.any():
            raise TableError(
                f"{first.label} and {second.label} have no entry with a verdict in common; nothing can be "
                "compared. Score both on the same entries."
            )
        averaged = max(first.trials, second.trials) > 1

        def scored(judged: Booleans, one: Floats, two: Floats) -> dict[str, ScoreDifference]:
            scope = self._scope(judged, first, second)
            found = _scores(scope, one[judged], two[judged], averaged, self.margin, self.common)
            return {score.score: score for score in found}

        omitted, lacks = None, aligned.lacks
        unjudged = int(np.logical_or(*lacks).sum())
        if unjudged:
            more = [int((lacks[place] & ~lacks[1 - place]).sum()) for place in (0, 1)]
            omitted = Omitted(
                first=int(lacks[0].sum()),
                second=int(lacks[1].sum()),
                p=mcnemar(*more),
                against=scored(asked, *aligned.filled(WRONG, RIGHT)),
                favour=scored(asked, *aligned.filled(RIGHT, WRONG)),
            )
            if self.worst:
                (one, two), judged = aligned.filled(WRONG, RIGHT), asked
        scope, right_one, right_two = self._scope(judged, first, second), one[judged], two[judged]
        ran = np.logical_and(*(marks != ABSENT for marks in aligned.marks))
        other_web, other_executed = (bool((ran & entries).any()) for entries in aligned.other_webs)
        return Comparison(
            first=first.label,
            second=second.label,
            rules=self.rules,
            scores=list(scored(judged, one, two).values()),
            averaged=averaged,
            flips=self._flipped(judged, right_one, right_two),
            unjudged=unjudged,
            worst=self.worst,
            omitted=omitted,
            left_out=self._counted(aligned.one_sided),
            web_left_out=other_web,
            executed_left_out=other_executed,
            releases=releases(first, second),
            memory_range=leave_one_out(right_one - right_two, scope.where.category, scope.scenario),
            same_exchange=self._counted(judged & aligned.same_exchange),
        )

    def aligned(self, first: Side, second: Side, common: bool = False) -> Aligned:
        """Two sides over the same entries; what both have, if `common` or the comparer allows that.

        Raises TableError if it may not be, and they differ in release, web, categories or entries.
        """
        return self._aligner.align(first, second, self.common or common)

    def comparable(self, first: Side, second: Side) -> bool:
        """Whether there is an entry that both sides have a verdict on, of a web that both searched."""
        return bool(self.aligned(first, second, common=True).judged.any())

    def judged(self, first: Side, second: Side) -> tuple[Scope, Floats, Floats]:
        """The entries with a verdict on both sides, of two that can be compared, and the marks of each."""
        aligned = self.aligned(first, second)
        (one, two), judged = aligned.marks, aligned.judged
        return self._scope(judged, first, second), one[judged], two[judged]

    def _counted(self, chosen: Booleans) -> dict[str, int]:
        """How many of the chosen entries each category has, in benchmark order; without zeros."""
        counts = np.bincount(self._category[chosen], minlength=len(CATEGORIES))
        return {name: int(count) for name, count in zip(CATEGORIES, counts, strict=True) if count}

    def _scope(self, judged: Booleans, first: Side, second: Side) -> Scope:
        """The scope of some entries.

        If the sample of a side was divided by weight, means by size take the entries of the release, as its
        tables do.
        """
        by_weight = first.settings.by_weight or second.settings.by_weight
        key = (judged.tobytes(), by_weight)
        if key not in self._scopes:
            sizes = release_sizes() if by_weight else None
            self._scopes[key] = self._scored.scope(np.flatnonzero(judged), sizes)
        return self._scopes[key]

    def _flipped(self, judged: Booleans, one: Floats, two: Floats) -> Flipped:
        places = np.flatnonzero(judged)
        flipped = np.flatnonzero(one != two)
        order = flipped[np.argsort(self._category[places[flipped]], kind="stable")]
        return Flipped(self.entries, places[order].astype(np.int32), one[order] > two[order])


def _scores(
    scope: Scope, one: Floats, two: Floats, averaged: bool, margin: float | None, common: bool
) -> Iterator[ScoreDifference]:
    """The overall, the other groups, then the categories."""
    names, where = scope.categories, scope.where
    result = compare_paired(one, two, where)

    def careful(weights: Floats) -> float | None:
        if margin is None:
            return None
        loss = 0.0 if averaged else margin
        return low_with_loss(result, where, weights, loss, heaviest(where, weights))

    accuracies = [
        np.bincount(where.category, weights=right, minlength=where.categories) / where.sizes
        for right in (one, two)
    ]
    for group in reversed(scope.groups):
        # A category that is missing counts 0; in a gate it would count as no loss.
        weights = group.weights / total(group.weights) if common and margin is not None else group.weights
        limits = composite_difference(result, weights)
        first, second = (total(weights * accuracy) for accuracy in accuracies)
        yield ScoreDifference(
            score=group.name,
            complete=group.complete,
            entries=group.entries,
            clusters=group.clusters,
            first=first,
            second=second,
            difference=total(weights * result.of.mean),
            low=max(-1.0, limits.low),
            high=min(1.0, limits.high),
            only_first=int(result.only_first[group.members].sum()),
            only_second=int(result.only_second[group.members].sum()),
            detectable=by_interval(result, where, weights),
            low_with_loss=careful(weights),
        )
    tested = [place for place, name in enumerate(names) if CATEGORIES[name].scored]
    adjusted = dict(zip(tested, holm([result.clusters_p[place] for place in tested]), strict=True))
    level, alone = _LEVEL / max(len(tested), 1), np.eye(len(names))
    flipped = (result.only_first, result.only_second)
    for place, name in enumerate(names):
        effect = float(result.of.effect[place])
        yield ScoreDifference(
            score=name,
            complete=True,
            entries=int(where.sizes[place]),
            clusters=int(where.cluster_counts[place]),
            first=float(accuracies[0][place]),
            second=float(accuracies[1][place]),
            difference=float(result.of.mean[place]),
            low=result.limits[place].low,
            high=result.limits[place].high,
            only_first=int(result.only_first[place]),
            only_second=int(result.only_second[place]),
            mcnemar_p=None if averaged else mcnemar(*(int(of[place]) for of in flipped)),
            clusters_p=result.clusters_p[place],
            holm_p=adjusted.get(place),
            design_effect=None if math.isnan(effect) else effect,
            detectable=by_interval(result, where, alone[place]),
            low_with_loss=careful(alone[place]),
            detectable_holm=by_test(result, place, where, level) if place in adjusted else None,
        )
