"""The precision of every score: clustered intervals, design effects, dependence on scenarios of memory.

Covers verdicts as arrays over numbered entries, for all scores of one model under one rule set. The scores
themselves are `scoring.aggregate`, the formulas `scoring.statistics`; docs/statistics.md derives them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.definition.clusters import cluster_of, memory_scenario, wider_cluster_of
from bfcl_pipeline.benchmark.definition.leaderboard import (
    LEADERBOARD,
    Group,
    categories_of,
    category_weights,
)
from bfcl_pipeline.judge.scoring.statistics.clustered import (
    Floats,
    Integers,
    Layout,
    Limits,
    Means,
    accuracy_limits,
    composite_error,
    composite_limits,
    correlation,
    layout,
    means,
    number_keys,
    total,
    wilson,
)

_LITTLE = 1e-9
"""Entries that are missing in a full sample: few enough for an interval without a width."""

_MEMORY = (*categories_of("memory"), "memory")
"""The scores that have a range over scenarios."""


@dataclass(frozen=True, slots=True)
class Precision:
    """How precise one score is."""

    entries: int  # entries with a verdict
    clusters: int  # different clusters of them
    low: float  # lower limit of the 95 % interval
    high: float  # upper limit of the 95 % interval
    design_effect: float | None  # variance over that of independent entries; None: verdicts do not vary
    effective_entries: float | None  # independent entries that would be as precise; None: not known
    scenarios: ScenarioRange | None  # memory: the score without each scenario; None elsewhere
    wide: Limits | None = None  # 95 % interval for other APIs, function docs, scenarios; None: the same
    full: Limits | None = None  # of a sample: 95 % interval of the score on all entries of the benchmark


@dataclass(frozen=True, slots=True)
class ScoredGroup:
    """One group of categories over the entries of some of them."""

    name: str
    weights: Floats  # of each category
    members: Integers  # the categories with a weight
    entries: int
    clusters: int

    @property
    def complete(self) -> bool:
        """Whether these are all categories of the group."""
        return len(self.members) == len(categories_of(self.name))


@dataclass(frozen=True, slots=True)
class Scope:
    """What depends only on which entries have verdicts; shared by models that answered the same ones."""

    categories: Sequence[str]  # in benchmark order
    where: Layout
    groups: Sequence[ScoredGroup]  # members before the groups with them
    scenario: Integers  # of each entry; -1 for those that are not of memory
    wide: Layout  # the same categories, with clusters that have something in common put together
    sampled: bool  # whether the entries were drawn from those of the benchmark


class ScoredEntries:
    """Numbered entries with their categories, clusters and scenarios."""

    def __init__(self, entries: Sequence[tuple[str, str]]) -> None:
        """entries: category and id, by number."""
        order = {name: place for place, name in enumerate(CATEGORIES)}
        self.category = np.array(
            [order[category] for category, _ in entries], np.int64
        )  # place in CATEGORIES
        self._cluster = number_keys([cluster_of(*entry) for entry in entries])
        self._wide = number_keys([wider_cluster_of(*entry) for entry in entries])
        counts = Counter(category for category, _ in entries)
        self._sampled = any(count < CATEGORIES[name].entries for name, count in counts.items())
        self._scenario = scenario_numbers(entries)

    def scope(
        self,
        numbers: Integers,
        sizes: Mapping[str, int] | None = None,
        groups: Sequence[Group] = LEADERBOARD,
    ) -> Scope:
        """The scope of some entries.

        Args:
            numbers: of the entries; at least one.
            sizes: of every category, its entries in means by size; None: those of the scope.
            groups: the means of categories, members before the groups with them.
        """
        places, category = np.unique(self.category[numbers], return_inverse=True)
        where, wide = (
            layout(category, np.unique(keys[numbers], return_inverse=True)[1])
            for keys in (self._cluster, self._wide)
        )
        names = [list(CATEGORIES)[place] for place in places]
        return Scope(
            categories=names,
            where=where,
            groups=list(_scored_groups(groups, names, where, sizes)),
            scenario=self._scenario[numbers],
            wide=wide,
            sampled=self._sampled,
        )


def pooled_layout(entries: Sequence[tuple[str, str]]) -> Layout:
    """The layout of entries, by category and id, as if they were of one category."""
    return layout(np.zeros(len(entries), np.int64), number_keys([cluster_of(*entry) for entry in entries]))


def _scored_groups(
    groups: Sequence[Group], names: Sequence[str], where: Layout, sizes: Mapping[str, int] | None
) -> Iterator[ScoredGroup]:
    """Those of `groups` that have any of some categories, in their order.

    Args:
        groups: means of categories.
        names: of the categories.
        where: the layout of their entries.
        sizes: of every category, its entries in means by size; None: those of the layout.
    """
    scored = dict(zip(names, map(int, where.sizes), strict=True))
    for group in groups:
        shares = category_weights(group.name, sizes or scored)
        weights = np.array([shares.get(name, 0.0) for name in names])
        members = np.flatnonzero(weights)
        if len(members):
            yield ScoredGroup(
                name=group.name,
                weights=weights,
                members=members,
                entries=int(where.sizes[members].sum()),
                clusters=len(np.unique(where.cluster[np.isin(where.category, members)])),
            )


def precisions(valid: NDArray[np.bool_], scope: Scope) -> dict[str, Precision]:
    """The precision of every category and group that has a verdict, by name, categories first.

    A category without verdicts adds no width to the groups that contain it.

    Args:
        valid: whether the answer to each entry of the scope is valid.
        scope: the entries.
    """
    values, where = valid.astype(np.float64), scope.where
    of = means(values, where)
    limits = accuracy_limits(of)
    wide, full = _wide(values, scope), _full(of, scope)
    found = {
        name: Precision(
            entries=int(where.sizes[place]),
            clusters=int(where.cluster_counts[place]),
            low=limits[place].low,
            high=limits[place].high,
            design_effect=_known(float(of.effect[place])),
            effective_entries=float(of.effective[place]),
            scenarios=_scenarios(name, values, scope),
            wide=wide.get(name),
            full=full.get(name),
        )
        for place, name in enumerate(scope.categories)
    }
    correlations = correlation(of.covariance, where)
    return found | {
        group.name: replace(
            _of_group(group, of, limits, correlations, _scenarios(group.name, values, scope)),
            wide=wide.get(group.name),
            full=full.get(group.name),
        )
        for group in scope.groups
    }


def _wide(values: Floats, scope: Scope) -> dict[str, Limits]:
    """The interval of each score that has entries of clusters that are put together."""
    of = means(values, scope.wide)
    joined = scope.wide.cluster_counts < scope.where.cluster_counts
    return _intervals(of, scope, accuracy_limits(of), correlation(of.covariance, scope.wide), joined)


def _full(of: Means, scope: Scope) -> dict[str, Limits]:
    """The interval of each score on all entries of the benchmark, of which a sample was drawn.

    Entries were drawn independently of their clusters, and what was drawn is known, so that a sample of n
    of N entries is as precise as n (N - 1) / (N - n) independent ones.
    """
    if not scope.sampled:
        return {}
    sizes = np.array([CATEGORIES[name].entries for name in scope.categories], np.float64)
    drawn = np.minimum(scope.where.sizes, sizes)
    used = drawn * np.maximum(sizes - 1, 1) / np.maximum(sizes - drawn, _LITTLE)
    limits = [wilson(float(share), float(n)) for share, n in zip(of.mean, used, strict=True)]
    return _intervals(of, scope, limits, np.eye(len(sizes)), np.ones(len(sizes), np.bool_))


def _intervals(
    of: Means, scope: Scope, limits: Sequence[Limits], correlations: Floats, of_interest: NDArray[np.bool_]
) -> dict[str, Limits]:
    """Those of the categories and groups that have a category of interest."""
    found = {name: limits[place] for place, name in enumerate(scope.categories) if of_interest[place]}
    for group in scope.groups:
        if of_interest[group.members].any():
            made = composite_limits(of.mean, limits, group.weights, correlations)
            found[group.name] = Limits(max(0.0, made.low), min(1.0, made.high))
    return found


def _of_group(
    group: ScoredGroup,
    of: Means,
    limits: Sequence[Limits],
    correlations: Floats,
    scenarios: ScenarioRange | None,
) -> Precision:
    interval = composite_limits(of.mean, limits, group.weights, correlations)
    effect = _design_effect(of, group.weights)
    return Precision(
        entries=group.entries,
        clusters=group.clusters,
        low=max(0.0, interval.low),
        high=min(1.0, interval.high),
        design_effect=effect,
        effective_entries=None if effect is None else group.entries / max(effect, 1.0),
        scenarios=scenarios,
    )


def _design_effect(of: Means, weights: Floats) -> float | None:
    """The variance of a weighted sum of the means over the one of independent entries."""
    independent = total(weights**2 * of.independent)
    error = composite_error(of, weights)
    return error**2 / independent if independent > 0 and math.isfinite(error) else None


def _known(number: float) -> float | None:
    return number if math.isfinite(number) else None


def _scenarios(score: str, values: Floats, scope: Scope) -> ScenarioRange | None:
    """The range of a score of memory with one scenario left out; None for other and for partial scores."""
    members = categories_of(score)
    places = [place for place, name in enumerate(scope.categories) if name in members]
    if score not in _MEMORY or len(places) < len(members):
        return None
    inside = np.isin(scope.where.category, places)
    return leave_one_out(values[inside], scope.where.category[inside], scope.scenario[inside])


@dataclass(frozen=True, slots=True)
class ScenarioRange:
    """A mean over memory categories with each scenario left out in turn. Shares."""

    scenarios: int  # number of scenarios
    low: float  # the lowest mean
    high: float  # the highest mean


def scenario_numbers(entries: Sequence[tuple[str, str]]) -> NDArray[np.int64]:
    """The number of each entry's scenario; -1 for entries that are not of memory.

    entries: category and id.
    """
    numbers: dict[str, int] = {}
    named = [memory_scenario(entry_id) for _, entry_id in entries]
    return np.array([-1 if name is None else numbers.setdefault(name, len(numbers)) for name in named])


def leave_one_out(
    values: NDArray[np.float64], category: NDArray[np.int64], scenario: NDArray[np.int64]
) -> ScenarioRange | None:
    """The range of the mean over the memory categories; None if there are fewer than two scenarios.

    Args:
        values: of each entry: 0 or 1 for verdicts, -1 to 1 for differences of them.
        category: a number for the category of each entry.
        scenario: the number of its scenario; -1 for entries that are not of memory, which are ignored.
    """
    inside = scenario >= 0
    scenarios = len(np.unique(scenario[inside]))
    if scenarios < 2:
        return None
    rows, columns = (np.unique(each[inside], return_inverse=True)[1] for each in (category, scenario))
    shape = int(rows.max()) + 1, scenarios
    counts, sums = np.zeros(shape), np.zeros(shape)
    np.add.at(counts, (rows, columns), 1)
    np.add.at(sums, (rows, columns), values[inside])
    left = counts.sum(axis=1, keepdims=True) - counts
    if not left.all():  # a category of one scenario only
        return None
    means = ((sums.sum(axis=1, keepdims=True) - sums) / left).mean(axis=0)
    return ScenarioRange(scenarios, float(means.min()), float(means.max()))
