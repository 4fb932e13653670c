"""Whether sentinels keep their promises: python -m benchmarks.sentinel WHAT --table PATH [--draws N]

WHAT is one of
  power   how often `gate --sentinel` finds a loss, and calls equal runs worse, in simulated pairs of runs
  noise   flips of two equal runs as predicted beside those of other runs
  mlperf  the entries of MLPerf's edge workload, its band, and its two standard errors

The table is Parquet with the columns run, category, entry_id and valid: official verdicts of published
models, one of them a run of gpt-oss-120b. `power` chooses entries by published records, without any of
these runs and without all runs of gpt-oss-120b, and by four of the latter, as of one's own. A simulated
pair is two of the five runs of gpt-oss-120b, drawn without replacement for each entry; one side is worse by
a planted loss, on all entries exactly as large as stated: of any right answers, of those that other systems
have wrong more often, or of whole function docs. `noise` predicts from four of these runs the flips between
the fifth, which is in the table, and one of the four.
A share of n draws has a standard error of sqrt(share (1 - share) / n): 1.3 points at 80 % for 1,000 draws.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

from bfcl_pipeline.benchmark.config import SampleBy, allocate, by_weight
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.definition.clusters import cluster_of
from bfcl_pipeline.benchmark.definition.leaderboard import categories_of, category_weights
from bfcl_pipeline.judge.scoring.statistics.clustered import number_keys
from bfcl_pipeline.judge.scoring.statistics.power import POWER
from bfcl_pipeline.show.noise.loss import (
    FALSE_ALARMS,
    cluster_sums,
    entry_weights,
    moments_with,
    power_of,
    probability,
)
from bfcl_pipeline.show.noise.mlperf import mlperf_entries, mlperf_text
from bfcl_pipeline.show.noise.noise import noise_of
from bfcl_pipeline.show.noise.records import Record, Records, published_records
from bfcl_pipeline.show.noise.sentinel import Stratum, plan_sentinel, strata_of
from bfcl_pipeline.show.noise.sentinel import power as planned_power

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
    counted = {name: (int(row[1]), int(row[2])) for name, row in _rows().items() if row[1]}
    found: dict[str, dict[str, Record]] = {}
    for name, of_category in published_records().items():
        for entry_id, record in of_category.items():
            if CATEGORIES[name].single_turn:
                others, valid = counted[entry_id]
                share = (valid - right[entry_id]) / (others - systems[entry_id])
                found.setdefault(name, {})[entry_id] = Record(share, record.runs[1:])
    return found


def _rows() -> dict[str, list[str]]:
    """The cells of `difficulty.csv` by entry."""
    path = Path(__file__).parents[1] / "bfcl_pipeline/show/noise/difficulty.csv"
    rows = (line.split(",") for line in path.read_text(encoding="utf-8").splitlines()[1:])
    return {row[0]: row for row in rows}


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
        entries = [(name, one) for name in category_weights(score, {}) for one in known[name]]
        sizes = Counter(name for name, _ in entries)
        return cls(
            entries,
            np.array([category_weights(score, {})[name] / sizes[name] for name, _ in entries]),
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
    """Prints a line for each goal, and the records by which entries are chosen."""
    published, random, four = held_out(table), np.random.default_rng(0), four_runs(table)
    own = {
        name: {one: Record(record.share, [(four[one], RUNS - 1)]) for one, record in of.items()}
        for name, of in published.items()
    }
    print("records, score, loss: entries (random by size, by weight) | power that the gate states | found")
    for (score, loss), records in product(GOALS, (published, own)):
        sentinel = plan_sentinel(score, loss, records, records is own)
        truth = Truth.of(score, records)
        chosen = {one for ids in sentinel.entries.values() for one in ids}
        places = np.array([place for place, entry in enumerate(truth.entries) if entry[1] in chosen])
        worth = entry_weights(score, [truth.entries[place] for place in places], records)
        cluster = np.unique(truth.cluster[places], return_inverse=True)[1]
        found: dict[str, list[float]] = defaultdict(list)
        stated = []
        for _ in range(draws):
            one, two = truth.pair(random)
            sums = cluster_sums(cluster, (one[places].astype(float) - two[places]) * worth)
            found["false alarms"].append(probability(sums) <= FALSE_ALARMS)
            stated.append(power_of(moments_with(sums, worth, two[places].astype(float), loss), loss))
            for name, lost in truth.losses(loss, random):
                new = one & (random.random(len(one)) >= lost)
                sums = cluster_sums(cluster, (new[places].astype(float) - two[places]) * worth)
                found[name].append(probability(sums) <= FALSE_ALARMS)
        strata = strata_of(score, records, records is own)
        sizes = ", ".join(f"{random_sample(strata, score, loss, by)}" for by in SampleBy)
        shares = ", ".join(f"{name} {np.mean(each):.1%}" for name, each in found.items())
        head = f"{'own' if records is own else 'published'}, {score}, {loss:.0%}: {len(places)} ({sizes})"
        print(f"{head} | {np.mean(stated):.1%} | {shares}", flush=True)


def four_runs(table: Path) -> dict[str, int]:
    """How many of the runs of gpt-oss-120b that are not in the table have an entry right."""
    fifth = fifth_run(table)
    return {name: int(row[3]) - fifth[name] for name, row in _rows().items()}


def fifth_run(table: Path) -> dict[str, bool]:
    """The verdicts of the run of gpt-oss-120b that is in the table."""
    rows = pq.read_table(table, columns=["run", "entry_id", "valid"]).to_pylist()
    return {row["entry_id"]: row["valid"] for row in rows if "gpt-oss-120b" in row["run"]}


def random_sample(strata: list[Stratum], score: str, loss: float, by: SampleBy) -> int:
    """The entries of a `sample` of a config, of the categories of a score, that finds the same loss."""
    shares = category_weights(score, {})
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
        if planned_power(merged, [drawn[name] for name in shares], loss) >= POWER:
            return count
    return sum(sizes.values())


def noise(table: Path) -> None:
    """Prints the flips that four runs predict beside those of the fifth against one of them (mean)."""
    fifth, four = fifth_run(table), four_runs(table)
    entries = [(name, one) for name, of in published_records().items() for one in of]
    others = np.array([four[one] for _, one in entries])
    order = np.random.default_rng(0).random((RUNS - 1, len(entries))).argsort(axis=0)
    marks = (order < others).astype(np.float64)  # which of the four has it right is not recorded
    seen = np.abs(np.array([fifth[one] for _, one in entries]) - others / (RUNS - 1))
    held = 0
    rows = list(noise_of(entries, marks))
    for row in rows:
        flips = float(seen[[name in categories_of(row.score) for name, _ in entries]].sum())
        held += row.flips_low <= flips <= row.flips_high
        predicted = f"predicted {row.flips:6.1f} ({row.flips_low:.0f} to {row.flips_high:.0f})"
        print(f"{row.score:24} {row.entries:5} entries: {predicted}, seen {flips:.1f}")
    print(f"{held} of {len(rows)} within their interval")


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=("power", "noise", "mlperf"))
    parser.add_argument("--table", type=Path, help="power and noise: published verdicts")
    parser.add_argument("--data", type=Path, default=Path("data"), help="mlperf: the staged release")
    parser.add_argument("--draws", type=int, default=1000)
    options = parser.parse_args()
    if options.what == "mlperf":
        print(mlperf_text(mlperf_entries(options.data)))
    elif options.what == "noise":
        noise(options.table)
    else:
        power(options.table, options.draws)


if __name__ == "__main__":
    main()
