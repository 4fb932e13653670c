"""Whether sentinels keep their promises: python -m benchmarks.sentinel WHAT --table PATH [--draws N]

WHAT is one of
  power   how often `gate --sentinel` finds a loss, and calls equal runs worse, in simulated pairs of runs
  noise   flips of two equal runs as predicted beside those of other runs
  mlperf  the entries of MLPerf's edge workload, its band, and its two standard errors

The table is Parquet with the columns run, category, entry_id and valid: official verdicts of published
models, one of them a run of gpt-oss-120b. `power` chooses entries by records without any of these runs and
without all runs of gpt-oss-120b. A simulated pair is two of the five runs of gpt-oss-120b, drawn without
replacement for each entry; one side is worse by a planted loss, on all entries exactly as large as stated: of
any right answers, of those that other systems have wrong more often, or of whole function docs.
A share of n draws has a standard error of sqrt(share (1 - share) / n): 1.3 points at 80 % for 1,000 draws.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

from bfcl_pipeline.benchmark.config import SampleBy, allocate, by_weight
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.definition.clusters import cluster_of
from bfcl_pipeline.judge.scoring.statistics.clustered import number_keys
from bfcl_pipeline.show.noise.loss import FALSE_ALARMS, power_of, probability
from bfcl_pipeline.show.noise.mlperf import mlperf_band, mlperf_entries, mlperf_text
from bfcl_pipeline.show.noise.records import Record, Records, published_records, shares_of
from bfcl_pipeline.show.noise.sentinel import (
    Stratum,
    deviation,
    needed_deviation,
    plan_sentinel,
    strata_of,
)

GOALS = (("single_turn", 0.03), ("single_turn", 0.05), ("live", 0.04), ("irrelevance_all", 0.04))
RUNS = 5  # of gpt-oss-120b
Floats = NDArray[np.float64]


def held_out(table: Path) -> Records:
    """The published records without the runs of the table and without those of gpt-oss-120b."""
    systems: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for row in pq.read_table(table, columns=["run", "entry_id", "valid"]).to_pylist():
        systems[row["entry_id"]] += 1
        right[row["entry_id"]] += row["valid"]
    counted = _counts()
    found: dict[str, dict[str, Record]] = {}
    for name, of_category in published_records().items():
        for entry_id, record in of_category.items():
            if CATEGORIES[name].single_turn:
                others, valid = counted[entry_id]
                share = (valid - right[entry_id]) / (others - systems[entry_id])
                found.setdefault(name, {})[entry_id] = Record(share, record.runs[1:])
    return found


def _counts() -> dict[str, tuple[int, int]]:
    """The systems of each single-turn entry, and how many have it right."""
    path = Path(__file__).parents[1] / "bfcl_pipeline/show/noise/difficulty.csv"
    lines = (line.split(",") for line in path.read_text(encoding="utf-8").splitlines()[1:])
    return {line[0]: (int(line[1]), int(line[2])) for line in lines if line[1]}


@dataclass(frozen=True)
class Truth:
    """All entries of a score, and what is known of gpt-oss-120b on them."""

    entries: list[tuple[str, str]]
    worth: Floats  # of each entry in the score
    right: NDArray[np.int64]  # of its runs
    share: Floats  # of other systems that have it right
    cluster: NDArray[np.int64]

    @classmethod
    def of(cls, score: str, records: Records) -> Truth:
        """The truth of a score."""
        known = published_records()
        entries = [(name, one) for name in shares_of(score) for one in known[name]]
        sizes = Counter(name for name, _ in entries)
        return cls(
            entries,
            np.array([shares_of(score)[name] / sizes[name] for name, _ in entries]),
            np.array([known[name][one].runs[0][0] for name, one in entries]),
            np.array([records[name][one].share for name, one in entries], np.float64),
            number_keys([cluster_of(*entry) for entry in entries]),
        )

    def pair(self, random: np.random.Generator) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Two different runs on each entry."""
        first = random.random(len(self.right)) < self.right / RUNS
        return first, random.random(len(self.right)) < (self.right - first) / (RUNS - 1)

    def losses(self, loss: float, random: np.random.Generator) -> Iterator[tuple[str, Floats]]:
        """How probably each right answer is lost, by where losses fall."""
        chance = self.right / RUNS
        for name, pattern in (("anywhere", np.ones(len(chance))), ("as others fail", 1 - self.share)):
            scale = loss / (self.worth * chance * pattern).sum()
            yield name, np.minimum(1.0, scale * pattern)
        order = random.permutation(int(self.cluster.max()) + 1)[self.cluster]
        lost = np.zeros(len(chance))
        left = loss
        for place in np.argsort(order, kind="stable"):
            worth = self.worth[place] * chance[place]
            lost[place] = 1.0 if worth <= left else left / worth if worth else 0.0
            left = max(0.0, left - worth)
        yield "whole function docs", lost


def power(table: Path, draws: int) -> None:
    """Prints a line for each goal and place of the loss."""
    records, random = held_out(table), np.random.default_rng(0)
    print(
        "score, loss: entries (random by size, by weight) | false alarms | power stated by the gate | found"
    )
    for score, loss in GOALS:
        sentinel = plan_sentinel(score, loss, records, 1e6, 1.0)
        truth = Truth.of(score, records)
        chosen = {one for ids in sentinel.entries.values() for one in ids}
        places = np.array([place for place, entry in enumerate(truth.entries) if entry[1] in chosen])
        worth = held_weights(score, [truth.entries[place] for place in places], records)
        cluster = np.unique(truth.cluster[places], return_inverse=True)[1]
        found: dict[str, list[float]] = defaultdict(list)
        stated = []
        for _ in range(draws):
            one, two = truth.pair(random)
            sums = np.bincount(cluster, (one[places].astype(float) - two[places]) * worth)
            found["false alarms"].append(probability(sums) <= FALSE_ALARMS)
            right = (worth * two[places]).sum()
            more = loss * (worth**2 * two[places]).sum() / right
            stated.append(power_of(loss, np.sqrt((sums**2).sum() + more), FALSE_ALARMS))
            for name, lost in truth.losses(loss, random):
                new = one & (random.random(len(one)) >= lost)
                sums = np.bincount(cluster, (new[places].astype(float) - two[places]) * worth)
                found[name].append(probability(sums) <= FALSE_ALARMS)
        sizes = [random_sample(strata_of(score, records), score, loss, by) for by in SampleBy]
        shares = ", ".join(f"{name} {np.mean(each):.1%}" for name, each in found.items())
        print(
            f"{score}, {loss:.0%}: {len(places)} {sizes} | {shares} | stated {np.mean(stated):.1%}",
            flush=True,
        )


def held_weights(score: str, chosen: list[tuple[str, str]], records: Records) -> Floats:
    """`entry_weights` with the strata of other records."""
    sizes = Counter((name, one.difficulty) for name, of in records.items() for one in of.values())
    keys = [(name, records[name][entry_id].difficulty) for name, entry_id in chosen]
    counts = Counter(keys)
    shares = shares_of(score)
    return np.array([shares[key[0]] * sizes[key] / len(records[key[0]]) / counts[key] for key in keys])


def random_sample(strata: list[Stratum], score: str, loss: float, by: SampleBy) -> int:
    """The entries of a `sample` of a config, of the categories of a score, that finds the same loss."""
    shares = shares_of(score)
    sizes = {name: CATEGORIES[name].entries for name in shares}
    merged = []
    for name, share in shares.items():
        of = [one for one in strata if one.category == name]
        flips, right = (
            sum(one.weight * value for one, value in zip(of, values, strict=True)) / share
            for values in ([one.flips for one in of], [one.right for one in of])
        )
        merged.append(Stratum(name, (), share, flips, right))
    for count in range(len(shares), sum(sizes.values())):
        drawn = allocate(sizes, count) if by is SampleBy.SIZE else by_weight(shares, count)
        if deviation(merged, [drawn[name] for name in shares], loss) <= needed_deviation(loss):
            return count
    return sum(sizes.values())


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=("power", "noise", "mlperf"))
    parser.add_argument("--table", type=Path, help="power and noise: published verdicts")
    parser.add_argument("--data", type=Path, default=Path("data"), help="mlperf: the staged release")
    parser.add_argument("--draws", type=int, default=1000)
    options = parser.parse_args()
    if options.what == "mlperf":
        chosen = mlperf_entries(options.data)
        print(mlperf_text(chosen, mlperf_band(chosen)))
    elif options.what == "power":
        power(options.table, options.draws)


if __name__ == "__main__":
    main()
