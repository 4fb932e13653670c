"""Whether decisions keep their promises: python -m benchmarks.decisions WHAT --table PATH [--draws N]

WHAT is one of
  power  how often the interval of a difference excludes 0 at the difference that the column "shows" states
  gate   how often a gate passes a run that is worse by exactly the margin, with the plain interval and with
         its own limit; every loss of one large function doc is among the cells
  ranks  how often ranks separate two models that `compare` does not, for models that differ in few entries
         or have swapped a random half of their clusters
  plan   the width that `plan` promises beside the mean of those that samples of this size state

The table is that of benchmarks.coverage: its verdicts are the truth, and clusters are drawn with
replacement. Pairs are those of models with the same entries, and the model with most entries beside copies
of it of which some clusters and entries are changed. A share of n draws has a standard error of
sqrt(share (1 - share) / n): 1.3 points at 80 % and 0.5 at 2.5 % for 1,000 draws.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.coverage import Population, complete, read
from benchmarks.rank_coverage import staged_entries
from bfcl_pipeline.benchmark.config import SampleBy
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.definition.clusters import cluster_of
from bfcl_pipeline.benchmark.definition.leaderboard import categories_of
from bfcl_pipeline.benchmark.definition.scatter import Scatter
from bfcl_pipeline.judge.scoring.statistics.clustered import (
    Floats,
    Layout,
    accuracy_limits,
    composite_limits,
    correlation,
    layout,
    means,
    total,
)
from bfcl_pipeline.judge.scoring.statistics.paired import (
    compare_paired,
    composite_difference,
    heaviest,
    low_with_loss,
)
from bfcl_pipeline.judge.scoring.statistics.power import by_interval
from bfcl_pipeline.show.planning.plan import SCORES, shares_of, smallest
from bfcl_pipeline.show.report.tables.ranks import ranks_of_models
from tests.support.scatter import EntryValue, measure_scatter

Table = Mapping[str, Mapping[str, tuple[str, bool]]]
"""By model: the category and verdict of each entry."""

LEAST = 50  # entries of the smallest score that counts
LARGE = 14  # entries of the smallest function doc that a cell loses
CHANGED = ((0.01, 0.01), (0.04, 0.04), (0.1, 0.05), (0.0, 0.15))  # shares of clusters and entries of copies


@dataclass(frozen=True)
class Pair:
    """Two models on the same entries."""

    name: str
    population: Population
    first: Floats  # verdicts
    second: Floats
    where: Layout
    keys: list[str]  # cluster of each entry

    @classmethod
    def of(cls, name: str, entries: Mapping[str, str], first: Floats, second: Floats) -> Pair:
        """The pair on entries with their categories."""
        population = Population.of(entries)
        keys = [cluster_of(category, entry) for entry, category in entries.items()]
        cluster = np.unique(keys, return_inverse=True)[1]
        return cls(name, population, first, second, layout(population.category, cluster), keys)

    def scores(self) -> Iterator[tuple[str, Floats]]:
        """Every score of LEAST entries or more that differs from the earlier ones."""
        seen: list[Floats] = []
        for score in SCORES:
            weights = self.population.weights(score)
            if weights is None or any(np.array_equal(weights, other) for other in seen):
                continue
            seen.append(weights)
            if self.where.sizes[weights > 0].sum() >= LEAST:
                yield score, weights


def pairs(table: Table) -> Iterator[Pair]:
    """Real pairs, then the model with most entries and changed copies of it, on either side."""
    richest = max(table, key=lambda name: len(table[name]))
    for one, two in combinations(sorted(table), 2):
        if richest not in (one, two):
            common = {entry: table[one][entry][0] for entry in table[one] if entry in table[two]}
            values = (np.array([table[name][entry][1] for entry in common], float) for name in (one, two))
            yield Pair.of(f"{one} - {two}", common, *values)
    random = np.random.default_rng(0)
    entries = {entry: category for entry, (category, _) in table[richest].items()}
    verdicts = np.array([valid for _, valid in table[richest].values()], float)
    base = Pair.of(richest, entries, verdicts, verdicts)
    for clusters, single in CHANGED:
        of_cluster = (random.random(base.where.clusters) < clusters)[base.where.cluster]
        changed = of_cluster & (random.random(len(verdicts)) < 0.8)
        changed |= random.random(len(verdicts)) < single
        copy = np.where(changed, 1 - verdicts, verdicts)
        name = f"copy with {clusters:.0%} of clusters and {single:.0%} of entries changed"
        yield Pair.of(name, entries, copy, verdicts)
        yield Pair.of(f"{name}, swapped", entries, verdicts, copy)


def losses(pair: Pair) -> Iterator[Pair]:
    """For each large function doc, a first side that has it wrong and a second that has it right."""
    random = np.random.default_rng(1)
    for key, count in Counter(pair.keys).items():
        if count >= LARGE:
            hit = np.array(pair.keys) == key
            for noise in (0.0, 0.03):
                other = np.where(random.random(len(hit)) < noise, 1 - pair.second, pair.second)
                sides = np.where(hit, 0.0, other), np.where(hit, 1.0, pair.second)
                yield Pair(f"{key} lost, {noise:.0%}", pair.population, *sides, pair.where, pair.keys)


def power(pair: Pair, draws: int) -> Iterator[tuple[str, float]]:
    """Of each score, the share of draws whose interval excludes 0 at the difference that is stated.

    Every cluster on which the two disagree favours the better one with one probability, which gives this
    difference; where even 1 does not, equal verdicts become differences.
    """
    random, where, plans = np.random.default_rng(0), pair.where, []
    difference = pair.first - pair.second
    of = compare_paired(pair.first, pair.second, where)
    for score, weights in pair.scores():
        stated = by_interval(of, where, weights)
        if stated is not None:
            worth = (weights / where.sizes)[where.category] * difference
            net = np.bincount(where.cluster, worth, where.clusters)
            most = np.abs(net).sum()
            lean = min(1.0, stated / most) if most else 0.0
            more = max(0.0, stated - most) / np.maximum(1 - of.squares, 1e-9) * (weights > 0)
            plans.append((score, weights, np.sign(net)[where.cluster] * difference, lean, more))
    shown = np.zeros(len(plans))
    for _ in range(draws):
        entries, drawn = pair.population.draw(random, None)
        side = random.random(drawn.clusters)[drawn.cluster]
        chance = random.random(len(entries))
        for place, (_, weights, leaning, lean, more) in enumerate(plans):
            after = np.where(side < (1 + lean) / 2, leaning[entries], -leaning[entries])
            after = np.where((after == 0) & (chance < more[drawn.category]), 1.0, after)
            found = compare_paired(after, np.zeros(len(after)), drawn)
            shown[place] += composite_difference(found, weights).low > 0
    yield from ((plan[0], share) for plan, share in zip(plans, shown / draws, strict=True))


def passes(pair: Pair, draws: int) -> Iterator[tuple[str, float, float]]:
    """Of each score on which the first is worse: wrong passes by the interval, and by the gate's limit."""
    random = np.random.default_rng(0)
    mean = compare_paired(pair.first, pair.second, pair.where).of.mean
    worse = [
        (score, weights, total(weights * mean), heaviest(pair.where, weights))
        for score, weights in pair.scores()
        if total(weights * mean) < -1e-9
    ]
    passed = np.zeros((len(worse), 2))
    for _ in range(draws if worse else 0):
        entries, where = pair.population.draw(random, None)
        found = compare_paired(pair.first[entries], pair.second[entries], where)
        for place, (_, weights, truth, share) in enumerate(worse):
            limits = (
                composite_difference(found, weights).low,
                low_with_loss(found, where, weights, -truth, share),
            )
            passed[place] += [low >= truth for low in limits]
    for (score, *_), (plain, guarded) in zip(worse, passed / draws, strict=True):
        yield score, float(plain), float(guarded)


def contradictions(pair: Pair, draws: int) -> tuple[int, int]:
    """How often ranks separate the two models, and how often compare's interval then holds 0."""
    random, where = np.random.default_rng(0), pair.where
    weights = pair.population.weights("overall")
    assert weights is not None
    columns = {
        "category": [pair.population.categories[place] for place in where.category] * 2,
        "entry_id": pair.population.entry_ids * 2,
        "model": ["a"] * len(where.category) + ["b"] * len(where.category),
    }
    separated = contradicted = 0
    for draw in range(draws):
        if draw % 2:  # one side has some entries wrong that the other has right
            second = pair.first.copy()
            wrong = random.choice(np.flatnonzero(second), random.integers(3, 16), replace=False)
            second[wrong] = 0.0
            sides = pair.first, second
        else:
            swap = (random.random(where.clusters) < 0.5)[where.cluster]
            first = np.where(swap, pair.second, pair.first)
            sides = first, pair.first + pair.second - first
        limits = composite_difference(compare_paired(*sides, where), weights)
        judged = pl.DataFrame({**columns, "valid": np.concatenate(sides) > 0})
        judged = judged.filter(pl.col("category").is_in(categories_of("overall")))
        ahead = total(weights * compare_paired(*sides, where).of.mean) >= 0
        ranks = ranks_of_models(judged, ["a", "b"] if ahead else ["b", "a"], None)
        if ranks["a"]["rank_low"] == ranks["a"]["rank_high"]:
            separated += 1
            contradicted += limits.low <= 0 <= limits.high
    return separated, contradicted


def widths(verdicts: Mapping[str, tuple[str, bool]], draws: int) -> Iterator[tuple[str, str, float, float]]:
    """Of some goals: the score, the sample, and the half widths that are promised and stated (mean)."""
    random = np.random.default_rng(0)
    goals = (("overall", 0.03), ("live", 0.05), ("multi_turn", 0.06), ("non_live", 0.03), ("agentic", 0.06))
    scatter: Scatter = measure_scatter(
        EntryValue(category, cluster_of(category, entry), float(valid))
        for entry, (category, valid) in verdicts.items()
    )
    for score, within in goals:
        shares = shares_of(score)
        own = {entry: category for entry, (category, _) in verdicts.items() if category in shares}
        values = np.array([verdicts[entry][1] for entry in own], float)
        population = Population.of(own)
        weights = np.array([shares[name] for name in population.categories])
        for by in SampleBy:
            planned = smallest(shares, scatter, within, by)
            if planned is None:
                continue
            stated = 0.0
            for _ in range(draws):
                entries, where = population.draw(random, planned.entries)
                of = means(values[entries], where)
                matrix = correlation(of.covariance, where)
                limits = composite_limits(of.mean, accuracy_limits(of), weights, matrix)
                stated += (limits.high - limits.low) / 2 / draws
            yield score, f"{planned.total:,} by {by}", planned.half_width, stated


def main() -> None:
    """Prints the cells that stand out, and the mean."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=("power", "gate", "ranks", "plan"))
    parser.add_argument("--table", type=Path, action="append", required=True, help="may be repeated")
    parser.add_argument("--data", type=Path, default=Path("data"), help="plan: the staged release")
    parser.add_argument("--draws", type=int, default=500)
    parser.add_argument("--pairs", type=int, help="only so many pairs, from the last on (default: all)")
    options = parser.parse_args()
    table = read(options.table)
    if options.what == "plan":
        entries = {entry: name for name, ids in staged_entries(options.data).items() for entry in ids}
        whole = complete(max(table.values(), key=len), entries)
        zeros = {
            entry: (name, valid and CATEGORIES[name].group != "multi_turn")
            for entry, (name, valid) in whole.items()
        }
        for title, verdicts in (("a model", whole), ("the same with multi-turn all wrong", zeros)):
            for score, sample, promised, stated in widths(verdicts, options.draws):
                ratio = stated / promised
                figures = f"promised {100 * promised:.2f}, stated {100 * stated:.2f}"
                print(f"{title}: {score}, {sample}: {figures}, ratio {ratio:.3f}")
        return
    chosen = list(pairs(table))
    if options.what == "gate":
        chosen += losses(chosen[-1])
    cells: list[tuple[float, ...]] = []
    for pair in chosen[-options.pairs :] if options.pairs else chosen:
        if options.what == "ranks":
            cells.append(contradictions(pair, options.draws))
            continue
        for score, *shares in (power if options.what == "power" else passes)(pair, options.draws):
            cells.append(tuple(shares))
            print(f"{pair.name:70} {score:24}", *(f"{share:7.1%}" for share in shares), flush=True)
    found = np.array(cells)
    if options.what == "ranks":
        print(
            f"{len(cells) * options.draws:,} tables: {int(found[:, 0].sum())} separate the two models, ",
            end="",
        )
        print(f"{int(found[:, 1].sum())} of them where the interval of compare holds 0")
    else:
        print(
            "cells, lowest, mean, highest:",
            len(cells),
            *map(np.round, [found.min(0), found.mean(0), found.max(0)], [3] * 3),
        )


if __name__ == "__main__":
    main()
