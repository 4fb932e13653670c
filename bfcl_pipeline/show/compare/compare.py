"""The comparison of two sides: differences, intervals and tests per score, and the entries that flipped.

Covers aligning entries, refusing sides that did not run the same ones, and the composition of the
leaderboard. A score is that of the entries with a verdict on both sides. Pure; the statistics are
`scoring.statistics`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.base.text import plural
from bfcl_pipeline.benchmark.definition import CATEGORIES, Check
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
from bfcl_pipeline.show.compare.settings import webs_differ
from bfcl_pipeline.show.compare.sides import ABSENT, NO_EXCHANGE, RIGHT, UNJUDGED, WRONG, Numbering, Side

_SHOWN = 3  # entries that an error names
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
        self._rules, self._common, self._worst, self._margin = rules, common, worst, margin
        order = {name: place for place, name in enumerate(CATEGORIES)}
        self._entries = numbering.entries
        self._scored = ScoredEntries(self._entries)
        self._category = self._scored.category
        searches = [CATEGORIES[name].check is Check.WEB_SEARCH for name in order]
        self._web = np.array(searches)[self._category]
        self._executed = np.array([CATEGORIES[name].executes for name in order])[self._category]
        self._scopes: dict[tuple[bytes, bool], Scope] = {}

    def compare(self, first: Side, second: Side) -> Comparison:
        """The comparison of two sides.

        Raises TableError if they have nothing in common, or differ in release, web, categories or entries.
        """
        one, two = (side.spread_over(len(self._entries)) for side in (first, second))
        if not self._common:
            self._refuse_different(first, second, one != ABSENT, two != ABSENT)
        both = (one != ABSENT) & (two != ABSENT)
        other_webs = self._other_webs(first, second)
        left_out = [bool((both & entries).any()) for entries in other_webs]
        comparable = ~np.logical_or.reduce(other_webs)
        asked = both & comparable
        lacks = [asked & (side == UNJUDGED) for side in (one, two)]
        unjudged = int((lacks[0] | lacks[1]).sum())
        judged = asked & (one >= WRONG) & (two >= WRONG)
        if not judged.any():
            raise TableError(
                f"{first.label} and {second.label} have no entry with a verdict in common; nothing can be "
                "compared. Score both on the same entries."
            )
        by_weight = first.settings.by_weight or second.settings.by_weight
        averaged = max(first.trials, second.trials) > 1

        def filled(if_first_lacks: float, if_second_lacks: float) -> tuple[Floats, Floats]:
            """The marks of both sides with those of the omitted entries."""
            return np.where(lacks[0], if_first_lacks, one), np.where(lacks[1], if_second_lacks, two)

        def scored(judged: Booleans, one: Floats, two: Floats) -> dict[str, ScoreDifference]:
            scope = self._scope(judged, by_weight)
            found = _scores(scope, one[judged], two[judged], averaged, self._margin, self._common)
            return {score.score: score for score in found}

        omitted = None
        if unjudged:
            more = [int((lacks[place] & ~lacks[1 - place]).sum()) for place in (0, 1)]
            lacking = [int(lack.sum()) for lack in lacks]
            sides = [scored(asked, *filled(*marks)) for marks in ((WRONG, RIGHT), (RIGHT, WRONG))]
            omitted = Omitted(lacking[0], lacking[1], mcnemar(*more), sides[0], sides[1])
            if self._worst:
                (one, two), judged = filled(WRONG, RIGHT), asked
        scope, right_one, right_two = self._scope(judged, by_weight), one[judged], two[judged]
        exchanges = [side.exchanges_over(len(self._entries)) for side in (first, second)]
        same = exchanges[0] == exchanges[1]
        return Comparison(
            first=first.label,
            second=second.label,
            rules=self._rules,
            scores=list(scored(judged, one, two).values()),
            averaged=averaged,
            flips=self._flipped(judged, right_one, right_two),
            unjudged=unjudged,
            worst=self._worst,
            omitted=omitted,
            left_out=self._counted(((one != ABSENT) ^ (two != ABSENT)) & comparable),
            web_left_out=left_out[0],
            executed_left_out=left_out[1],
            releases=_releases(first, second),
            memory_range=leave_one_out(right_one - right_two, scope.where.category, scope.scenario),
            same_exchange=self._counted(judged & same & (exchanges[0] != NO_EXCHANGE)),
        )

    def judged(self, first: Side, second: Side) -> tuple[Scope, Floats, Floats]:
        """The entries with a verdict on both sides, of two that can be compared, and the marks of each."""
        one, two = (side.spread_over(len(self._entries)) for side in (first, second))
        both = self._both(first, second)
        by_weight = first.settings.by_weight or second.settings.by_weight
        return self._scope(both, by_weight), one[both], two[both]

    def comparable(self, first: Side, second: Side) -> bool:
        """Whether there is an entry that both sides have a verdict on, of a web that both searched."""
        return bool(self._both(first, second).any())

    def _both(self, first: Side, second: Side) -> Booleans:
        one, two = (side.spread_over(len(self._entries)) >= WRONG for side in (first, second))
        other_webs: Booleans = np.logical_or.reduce(self._other_webs(first, second))
        return one & two & ~other_webs

    def _other_webs(self, first: Side, second: Side) -> list[Booleans]:
        """The web questions and the executed calls, as far as the sides had different webs for them."""
        return [
            self._web & webs_differ(first.settings.web, second.settings.web),
            self._executed & webs_differ(first.settings.requests, second.settings.requests),
        ]

    def _refuse_different(self, first: Side, second: Side, has_one: Booleans, has_two: Booleans) -> None:
        """Raises TableError with what differs. Unscored categories may be missing on one side."""
        names = f"{first.label} and {second.label}"
        hint = "Use --common to compare what both have."
        releases = _releases(first, second)
        if releases is not None:
            raise TableError(
                f"{names} are of different releases: {', '.join(releases)}. Their entries may "
                f"differ. {hint}"
            )
        known = list(CATEGORIES.values())
        of_one, of_two = (set(self._category[has]) for has in (has_one, has_two))
        differing = sorted(place for place in of_one ^ of_two if known[place].scored)
        if differing:
            missing = [
                f"only {side.label} has {', '.join(known[place].name for place in alone)}"
                for side, of in ((first, of_one), (second, of_two))
                if (alone := [place for place in differing if place in of])
            ]
            raise TableError(f"{names} differ in categories: {'; '.join(missing)}. {hint}")
        if (self._other_webs(first, second)[0] & has_one & has_two).any():
            raise TableError(
                f"{names} searched different webs: {first.settings}, {second.settings}. Scores "
                "from a simulated web say nothing about the real one. Use --common to compare all but web "
                "search."
            )
        in_both = np.isin(self._category, sorted(of_one & of_two))
        for poorer, lacks in ((second, has_one & ~has_two), (first, has_two & ~has_one)):
            ids = [self._entries[place][1] for place in np.flatnonzero(lacks & in_both)]
            if ids:
                more = f" and {len(ids) - _SHOWN:,} more" if len(ids) > _SHOWN else ""
                lacking = f"{plural(len(ids), 'entry', 'entries')} of the other"
                raise TableError(
                    f"{names} differ in entries: {poorer.label} lacks {lacking} "
                    f"({', '.join(ids[:_SHOWN])}{more}). {hint}"
                )

    def _counted(self, chosen: Booleans) -> dict[str, int]:
        """How many of the chosen entries each category has, in benchmark order; without zeros."""
        counts = np.bincount(self._category[chosen], minlength=len(CATEGORIES))
        return {name: int(count) for name, count in zip(CATEGORIES, counts, strict=True) if count}

    def _scope(self, judged: Booleans, by_weight: bool) -> Scope:
        """The scope of some entries.

        by_weight: means by size take the entries of the release, as the tables of a sample by weight do.
        """
        key = (judged.tobytes(), by_weight)
        if key not in self._scopes:
            sizes = release_sizes() if by_weight else None
            self._scopes[key] = self._scored.scope(np.flatnonzero(judged), sizes)
        return self._scopes[key]

    def _flipped(self, judged: Booleans, one: Floats, two: Floats) -> Flipped:
        places = np.flatnonzero(judged)
        flipped = np.flatnonzero(one != two)
        order = flipped[np.argsort(self._category[places[flipped]], kind="stable")]
        return Flipped(self._entries, places[order].astype(np.int32), one[order] > two[order])


def _releases(first: Side, second: Side) -> tuple[str, str] | None:
    """The releases of two sides, if both are known and differ."""
    one, two = first.settings.release, second.settings.release
    return (one, two) if one and two and one != two else None


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
