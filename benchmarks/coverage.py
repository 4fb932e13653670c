"""How often 95 % intervals hold the truth: python -m benchmarks.coverage --table PATH [--pair A B]

Takes the verdicts of a table as the whole truth, draws their clusters again and again with replacement,
and counts how often the interval of the drawn verdicts holds the accuracy, or the difference of two models,
of the table. Prints it for clustered intervals (scoring.statistics) beside intervals that take entries as
independent (Wilson, MOVER), and for pairs of models beside intervals of two independent samples. With
--entries, each draw is a sample of the drawn entries, divided among categories and picked as `sample` of a
config does, with another seed for each draw. With --planted, entries that a model has no verdict on get
made-up ones with correlations within clusters, so that a model has the whole benchmark.

The table is Parquet with the columns run or model, category, entry_id and valid; with a column rules, the
rows of the official rules count. A score is averaged over those of its categories that the table has; one
whose verdicts are all equal is left out.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from bfcl_pipeline.benchmark.config import RunSample, SampleBy, divide, pick
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.definition.clusters import cluster_of, wider_cluster_of
from bfcl_pipeline.judge.scoring.statistics.clustered import (
    Floats,
    Integers,
    Layout,
    Limits,
    accuracy_limits,
    composite_limits,
    correlation,
    layout,
    means,
    wilson,
)
from bfcl_pipeline.judge.scoring.statistics.paired import compare_paired, composite_difference
from bfcl_pipeline.show.planning.plan import SCORES, shares_of

Verdicts = Mapping[str, bool]
"""The verdict on each entry, by its id."""


@dataclass(frozen=True)
class Population:
    """The entries of a table, by category and cluster."""

    categories: list[str]  # in the benchmark's order
    entry_ids: list[str]
    category: Integers  # of each entry
    blocks: list[list[Integers]]  # the entries of each cluster; clusters of one block are drawn together

    @classmethod
    def of(cls, entries: Mapping[str, str], key_of: Callable[[str, str], str] = cluster_of) -> Population:
        """The population of entries with their categories, in clusters of equal keys."""
        categories = [name for name in CATEGORIES if name in set(entries.values())]
        clusters: dict[str, list[int]] = {}
        touched: dict[str, set[str]] = {}
        for index, (entry_id, category) in enumerate(entries.items()):
            key = key_of(category, entry_id)
            clusters.setdefault(key, []).append(index)
            touched.setdefault(key, set()).add(category)
        blocks: dict[frozenset[str], list[Integers]] = {}
        for key, members in clusters.items():
            blocks.setdefault(frozenset(touched[key]), []).append(np.array(members))
        numbers = np.array([categories.index(name) for name in entries.values()])
        return cls(categories, list(entries), numbers, list(blocks.values()))

    def draw(
        self, random: np.random.Generator, sample: Mapping[str, int] | None
    ) -> tuple[Integers, Layout]:
        """As many clusters of each block as it has, drawn with replacement: entries and their layout.

        sample: of them, so many entries of each category, picked as a run picks them; None: all.
        """
        number = count()
        drawn = [
            (block[choice], next(number))
            for block in self.blocks
            for choice in random.integers(len(block), size=len(block))
        ]
        entries = np.concatenate([members for members, _ in drawn])
        cluster = np.concatenate([np.full(len(members), place) for members, place in drawn])
        if sample is not None:
            seed = int(random.integers(2**63))
            kept = []
            for number, name in enumerate(self.categories):
                places = np.flatnonzero(self.category[entries] == number)
                # A cluster may be drawn twice: its copies are different entries.
                ids = {f"{self.entry_ids[entries[place]]}/{cluster[place]}": place for place in places}
                kept += [ids[chosen] for chosen in pick(ids, sample[name], seed)]
            entries, cluster = entries[kept], np.unique(cluster[kept], return_inverse=True)[1]
        return entries, layout(self.category[entries], cluster)

    def weights(self, score: str) -> Floats | None:
        """The share of each category in a score; None if the table has none of its categories."""
        shares = {name: share for name, share in shares_of(score).items() if name in self.categories}
        if not shares:
            return None
        weights = np.array([shares.get(name, 0.0) for name in self.categories])
        return weights / weights.sum()


@dataclass
class Tally:
    """One line of the output."""

    score: str
    truth: float
    held: dict[str, int]  # draws whose interval holds the truth, by kind of interval
    widths: dict[str, float]  # sums of half widths, by kind of interval

    def add(self, kind: str, limits: Limits) -> None:
        """Counts the interval of one draw."""
        self.held[kind] = self.held.get(kind, 0) + (limits.low <= self.truth <= limits.high)
        self.widths[kind] = self.widths.get(kind, 0.0) + (limits.high - limits.low) / 2


def tallies(
    population: Population,
    verdicts: Sequence[Verdicts],
    sample: Mapping[str, int] | None,
    draws: int,
    seed: int,
) -> list[Tally]:
    """The scores of one model, or the differences of two, over `draws` draws."""
    values = [np.array([one[entry_id] for entry_id in population.entry_ids]) for one in verdicts]
    random = np.random.default_rng(seed)
    found: dict[str, tuple[Tally, Floats]] = {}
    target = values[0].astype(float) - (values[1].astype(float) if len(values) > 1 else 0.0)
    varies = [
        len(np.unique(target[population.category == n])) > 1 for n in range(len(population.categories))
    ]
    overall = np.bincount(population.category, weights=target) / np.bincount(population.category)
    for score in SCORES:
        weights = population.weights(score)
        same = any(weights is not None and np.array_equal(weights, other) for _, other in found.values())
        if weights is not None and not same and (weights[varies] > 0).any():
            found[score] = (Tally(score, float(weights @ overall), {}, {}), weights)
    for _ in range(draws):
        entries, where = population.draw(random, sample)
        drawn = [one[entries] for one in values]
        for kind, intervals in _intervals(drawn, where):
            for tally, weights in found.values():
                tally.add(kind, intervals(weights))
    return [tally for tally, _ in found.values()]


def _intervals(drawn: Sequence[np.ndarray], where: Layout) -> Iterator[tuple[str, object]]:
    """The kinds of intervals, each as a function of weights."""
    each = [means(one.astype(np.float64), where) for one in drawn]
    plain = [
        [wilson(float(share), float(size)) for share, size in zip(of.mean, where.sizes, strict=True)]
        for of in each
    ]
    nothing = np.eye(where.categories)

    def independent(weights: Floats) -> Limits:
        found = [
            composite_limits(of.mean, limits, weights, nothing)
            for of, limits in zip(each, plain, strict=True)
        ]
        if len(found) == 1:
            return found[0]
        (first, second), centres = found, [float(weights @ of.mean) for of in each]
        difference = centres[0] - centres[1]
        below = np.hypot(centres[0] - first.low, second.high - centres[1])
        above = np.hypot(first.high - centres[0], centres[1] - second.low)
        return Limits(difference - below, difference + above)

    if len(drawn) > 1:
        pair = compare_paired(drawn[0], drawn[1], where)
        yield "clustered", lambda weights: composite_difference(pair, weights)
    else:
        limits, correlations = accuracy_limits(each[0]), correlation(each[0].covariance, where)
        yield (
            "clustered",
            lambda weights: composite_limits(each[0].mean, limits, weights, correlations),
        )
    yield "independent", independent


def read(paths: Sequence[Path]) -> dict[str, dict[str, tuple[str, bool]]]:
    """By run or model: the category and verdict of each entry of a category that counts."""
    found: dict[str, dict[str, tuple[str, bool]]] = {}
    for path in paths:
        for row in pq.read_table(path).to_pylist():
            scored = row["category"] in CATEGORIES and CATEGORIES[row["category"]].scored
            if scored and row["valid"] is not None and row.get("rules", "official") == "official":
                name = row.get("model") or row["run"]
                found.setdefault(name, {})[row["entry_id"]] = (row["category"], row["valid"])
    return found


_LATENT = {"live": 0.3, "multi_turn": 0.67, "agentic": 0.7}
"""Correlation of the planted verdicts of a cluster before they are cut at a threshold, by group; others: 0.
Cut at the middle, 0.7 becomes 0.5."""


def planted(entries: Mapping[str, str], seed: int) -> dict[str, bool]:
    """Made-up verdicts: right on 85 % of a category, on half of multi-turn and agentic ones."""
    random = np.random.default_rng(seed)
    of_cluster: dict[str, float] = {}
    verdicts = {}
    for entry_id, category in entries.items():
        group = CATEGORIES[category].group
        shared = _LATENT.get(group, 0.0)
        effect = of_cluster.setdefault(cluster_of(category, entry_id), float(random.normal()))
        difficulty = np.sqrt(shared) * effect + np.sqrt(1 - shared) * random.normal()
        verdicts[entry_id] = bool(difficulty < (0.0 if group in ("multi_turn", "agentic") else 1.0364))
    return verdicts


def complete(of_model: Mapping[str, tuple[str, bool]], entries: Mapping[str, str]) -> dict[str, Any]:
    """The verdicts of a model, with planted ones on the other entries."""
    lacks = {entry_id: category for entry_id, category in entries.items() if entry_id not in of_model}
    made = planted(lacks, seed=0)
    return {**of_model, **{entry_id: (category, made[entry_id]) for entry_id, category in lacks.items()}}


def main() -> None:
    """Prints one line per score."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--table", type=Path, action="append", default=[], help="may be repeated")
    parser.add_argument("--planted", type=Path, help="a table with the entries of the whole benchmark")
    parser.add_argument("--model", action="append", help="only these (default: all)")
    parser.add_argument("--pair", action="append", nargs=2, default=[], metavar=("A", "B"))
    parser.add_argument("--entries", type=int, help="draw samples of so many entries (default: all)")
    wide = "draw, and count together, sets of APIs, functions and memory scenarios instead of clusters"
    parser.add_argument("--wide", action="store_true", help=wide)
    parser.add_argument("--by", type=SampleBy, default=SampleBy.WEIGHT, choices=list(SampleBy))
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rows = read(options.table)
    if options.planted:
        entries = {key: row[0] for found in read([options.planted]).values() for key, row in found.items()}
        rows = {name: complete(rows[name], entries) for name in rows} or {"planted": complete({}, entries)}
    jobs = [(name,) for name in options.model or ([] if options.pair else rows)]
    for names in [*jobs, *map(tuple, options.pair)]:
        common = {
            entry_id: category
            for entry_id, (category, _) in rows[names[0]].items()
            if all(entry_id in rows[name] for name in names)
        }
        sample = None
        if options.entries:
            there = [name for name in CATEGORIES if name in set(common.values())]
            sample = divide(RunSample(options.entries, options.by), there)
            common = {entry_id: name for entry_id, name in common.items() if sample[name]}
        verdicts = [{entry_id: rows[name][entry_id][1] for entry_id in common} for name in names]
        population = Population.of(common, wider_cluster_of if options.wide else cluster_of)
        lines = tallies(population, verdicts, sample, options.draws, options.seed)
        of = f", samples of {sum(sample.values()):,} by {options.by}" if sample else ""
        print(f"\n{' - '.join(names)}: {len(common):,} entries{of}, {options.draws:,} draws")
        print(f"{'score':24} {'value':>7} {'clustered':>10} {'holds':>7} {'independent':>12} {'holds':>7}")
        for line in lines:
            cells = [
                text
                for kind, room in (("clustered", 10), ("independent", 12))
                for text in (
                    f"{f'±{100 * line.widths[kind] / options.draws:.2f}':>{room}}",
                    f"{line.held[kind] / options.draws:>7.1%}",
                )
            ]
            print(f"{line.score:24} {100 * line.truth:>7.2f} {' '.join(cells)}")


if __name__ == "__main__":
    main()
