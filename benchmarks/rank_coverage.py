"""How often rank intervals hold the true ranks: python -m benchmarks.rank_coverage [--draws N]

Plants models with known true scores on the clusters of the staged release, draws verdicts again and again,
and counts the draws in which every statement on the models is true: no model is said to be better than one
that is truly as good or better. Prints that share for all models together and for the worst single model,
the share of the true differences that are shown, and the mean width of the intervals, beside those of
intervals that take entries as independent.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from scipy.special import ndtr, ndtri

from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.definition.clusters import cluster_of
from bfcl_pipeline.benchmark.definition.leaderboard import categories_of, category_weights
from bfcl_pipeline.judge.scoring.statistics.clustered import Floats, Layout, layout
from bfcl_pipeline.judge.scoring.statistics.ranks import Relation, pairs, rank_intervals, shown_better


@dataclass(frozen=True)
class Design:
    """The entries of a benchmark, and models with planted abilities."""

    where: Layout
    weights: Floats  # of each category in the score
    abilities: Floats  # by model, then category: the probit of the accuracy
    shared: float = 0.6  # share of the variance of an entry's difficulty that all models have in common
    clustered: float = 0.5  # share of a difficulty that the entries of a cluster have in common

    @property
    def truth(self) -> Floats:
        """The true score of each model."""
        return np.asarray(ndtr(self.abilities) @ self.weights)

    def draw(self, random: np.random.Generator) -> Floats:
        """Verdicts by model, then entry: right if ability exceeds the difficulty, which is normal."""
        models = len(self.abilities)
        common = self._difficulty(random, 1) * np.sqrt(self.shared)
        own = self._difficulty(random, models) * np.sqrt(1 - self.shared)
        return (self.abilities[:, self.where.category] > common + own).astype(np.float64)

    def _difficulty(self, random: np.random.Generator, rows: int) -> Floats:
        of_cluster = random.normal(size=(rows, self.where.clusters))[:, self.where.cluster]
        of_entry = random.normal(size=(rows, len(self.where.cluster)))
        return of_cluster * np.sqrt(self.clustered) + of_entry * np.sqrt(1 - self.clustered)


@dataclass
class Tally:
    """What became of the draws."""

    draws: int = 0
    all_true: int = 0  # every statement on every model was true
    shown: float = 0.0  # sum of the shares of true differences that were shown
    width: float = 0.0  # sum of the mean widths of the intervals
    wrong: Floats | None = None  # of each model: the draws in which its interval misses the truth

    def add(self, better: Relation, truth: Floats) -> None:
        """Counts one draw."""
        truly = np.subtract.outer(truth, truth) > 1e-12
        false = better & ~truly
        missed = (false.any(axis=0) | false.any(axis=1)).astype(np.float64)
        self.draws += 1
        self.all_true += not false.any()
        self.shown += (better & truly).sum() / max(1, truly.sum())
        self.width += float(np.mean([each.high - each.low for each in rank_intervals(better)]))
        self.wrong = missed if self.wrong is None else self.wrong + missed

    def line(self, name: str) -> str:
        """The shares as a line of the report."""
        worst = 0.0 if self.wrong is None else float(self.wrong.max())
        return (
            f"{name:<34}{self.all_true / self.draws:>8.1%}{1 - worst / self.draws:>10.1%}"
            f"{self.shown / self.draws:>9.1%}{self.width / self.draws:>8.2f}"
        )


def simulate(of: Design, draws: int, seed: int = 1, clusters: bool = True) -> Tally:
    """The tally of so many draws; clusters: False to take entries as independent."""
    random, tally = np.random.default_rng(seed), Tally()
    where = of.where if clusters else layout(of.where.category, range(len(of.where.category)))
    weights = np.tile(of.weights, (len(of.abilities), 1))
    for _ in range(draws):
        tally.add(shown_better(pairs(of.draw(random), where, weights)), of.truth)
    return tally


def planted(entries: Mapping[str, Sequence[str]], levels: Sequence[float], mixed: bool = False) -> Design:
    """Models with these probits on given entries.

    entries: ids by category. mixed: every second model is better on one half of the weight and as much
    worse on the other, which keeps its score.
    """
    names = [name for name in CATEGORIES if name in entries]
    keys = [cluster_of(name, entry) for name in names for entry in entries[name]]
    category = np.repeat(np.arange(len(names)), [len(entries[name]) for name in names])
    shares = category_weights("overall", {name: len(entries[name]) for name in names})
    weights = np.array([shares[name] for name in names])
    abilities = np.tile(np.array(levels)[:, None], (1, len(names)))
    if mixed:
        half = np.cumsum(weights) <= 0.5
        turned = np.where(half, 0.15, -0.15 * weights[half].sum() / weights[~half].sum())
        abilities[1::2] = ndtri(ndtr(abilities[1::2]) + turned)
    return Design(layout(category, np.unique(keys, return_inverse=True)[1]), weights, abilities)


def designs(entries: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, Design]]:
    """The cases of the report."""
    few = {name: list(ids)[:: max(1, len(ids) // 12)] for name, ids in entries.items()}
    yield "8 equal models", planted(entries, [0.0] * 8)
    yield "8 models, two of each level", planted(entries, [0.9, 0.9, 0.6, 0.6, 0.5, 0.5, 0.0, 0.0])
    yield "8 models, 1.5 points apart", planted(entries, list(np.arange(8) * 0.04))
    yield "8 models, strong where others fail", planted(entries, [0.0] * 8, mixed=True)
    yield "30 equal models", planted(entries, [0.5] * 30)
    yield "8 equal models, 12 per category", planted(few, [0.0] * 8)


def staged_entries(data: Path) -> dict[str, list[str]]:
    """The ids of the scored entries of the staged release by category."""
    found = {}
    for name in categories_of("overall"):
        table = pq.read_table(data / "entries" / f"{name}.parquet", columns=["entry_id", "prerequisite"])
        found[name] = [row["entry_id"] for row in table.to_pylist() if not row["prerequisite"]]
    return found


def main() -> None:
    """Prints the report."""
    parser = argparse.ArgumentParser(description=str(__doc__).split("\n", maxsplit=1)[0])
    parser.add_argument("--data", type=Path, default=Path("data"), help="the staged release")
    parser.add_argument("--draws", type=int, default=500)
    options = parser.parse_args()
    print(f"{'':<34}{'all true':>8}{'one model':>10}{'shown':>9}{'width':>8}")
    for name, design in designs(staged_entries(options.data)):
        print(simulate(design, options.draws).line(name), flush=True)
        print(simulate(design, options.draws, clusters=False).line("  as if entries were independent"))


if __name__ == "__main__":
    main()
