"""How often conditions are shown to differ: python -m benchmarks.conditions {false-alarms,power} [FILE]

Simulates runs under six conditions and a canary, in each of which an entry is right with the same
probability. `false-alarms` prints the share of runs in which any change is shown; `power` plants losses of
the size that runs state in one condition, and in the canary, and prints how often each is shown. FILE: a
table of recorded verdicts (run, category, entry_id, valid), from which the probabilities follow: that of
one run, drawn in each simulation, mixed with the share of all runs that have the entry right. Without it,
they are drawn for the clusters of simple_python to live_multiple.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from bfcl_pipeline.base.text import text_table
from bfcl_pipeline.benchmark.config.conditions import AGAIN, CANARY, FIRST, LAST
from bfcl_pipeline.benchmark.definition.clusters import cluster_of
from bfcl_pipeline.show.conditions.answers import ACCURACY, Answers
from bfcl_pipeline.show.conditions.effects import Effect, effects

CONDITIONS = ("", AGAIN, "stream", "load=1", "load=16", "load=128", "strict", FIRST, LAST)
FLAKY = 0.15  # how much of an entry's probability is the share of all runs
RARE = {"unread": 0.01, "malformed": 0.02, "starved": 0.01, "failed": 0.005}

Entry = tuple[str, str]


class Recorded:
    """Entries, and the probability with which each is right."""

    def __init__(self, file: Path | None, staged: Path) -> None:
        if file is None:
            names = ("simple_python", "multiple", "parallel", "live_simple", "live_multiple")
            self.entries = [
                (name, entry_id)
                for name in names
                for entry_id in pq.read_table(staged / f"{name}.parquet")["entry_id"].to_pylist()
            ]
            self._runs: list[dict[Entry, bool]] = []
            return
        runs: dict[str, dict[Entry, bool]] = defaultdict(dict)
        for row in pq.read_table(file, columns=["run", "category", "entry_id", "valid"]).to_pylist():
            runs[row["run"]][row["category"], row["entry_id"]] = row["valid"]
        self._runs = list(runs.values())
        self.entries = sorted({entry for run in self._runs for entry in run})
        self._shares = {
            entry: float(np.mean([run[entry] for run in self._runs if entry in run]))
            for entry in self.entries
        }

    def chances(self, entries: list[Entry], random: np.random.Generator) -> np.ndarray:
        """The probability of each entry."""
        if not self._runs:
            clusters = {cluster_of(*entry): random.beta(0.5, 0.3) for entry in entries}
            return np.array([clusters[cluster_of(*entry)] for entry in entries])
        run = self._runs[random.integers(len(self._runs))]
        shares = [self._shares[entry] for entry in entries]
        own = [run.get(entry, share > 0.5) for entry, share in zip(entries, shares, strict=True)]
        return (1 - FLAKY) * np.array(own, float) + FLAKY * np.array(shares)

    def run(self, size: int, random: np.random.Generator, losses: Mapping[str, float] = {}) -> list[Effect]:
        """The effects of one simulated run. losses: of accuracy, by condition."""
        entries = [self.entries[place] for place in random.permutation(len(self.entries))[:size]]
        chances = self.chances(entries, random)
        asked = []
        for condition in CONDITIONS:
            number = min(CANARY, size) if condition in (FIRST, LAST) else size
            kept = 1 - min(1.0, losses.get(condition, 0.0) / chances[:number].mean())
            right = random.random(number) < chances[:number] * kept
            rare = {name: random.random(number) < share for name, share in RARE.items()}
            marks = {
                entry: {"failed": True}
                if rare["failed"][place]
                else {
                    ACCURACY: bool(right[place]),
                    "failed": False,
                    **{name: bool(rare[name][place]) for name in RARE if name != "failed"},
                }
                for place, entry in enumerate(entries[:number])
            }
            asked.append(Answers(condition, marks=marks))
        return effects(asked)


def _stated(found: list[Effect], condition: str) -> float:
    return next(
        each.detectable or 1.0 for each in found if (each.condition, each.measure) == (condition, ACCURACY)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["false-alarms", "power"])
    parser.add_argument("file", type=Path, nargs="?", help="table of recorded verdicts")
    parser.add_argument("--staged", type=Path, default=Path("data/entries"))
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--entries", type=int, nargs="+", default=[200, 400])
    options = parser.parse_args()
    recorded, rows = Recorded(options.file, options.staged), []
    for size in options.entries:
        random = np.random.default_rng(size)
        runs = [recorded.run(size, random) for _ in range(options.runs if options.what != "power" else 40)]
        if options.what == "false-alarms":
            alarms = sum(any(each.shown for each in run) for run in runs)
            rows.append([f"{size:,}", f"{alarms}", f"{alarms / len(runs) * 100:.2f}"])
            continue
        stating = {"stream": AGAIN, LAST: LAST}
        losses = {
            losing: float(np.median([_stated(run, condition) for run in runs]))
            for losing, condition in stating.items()
        }
        found = [recorded.run(size, random, losses) for _ in range(options.runs)]
        cells = [f"{size:,}"]
        for losing, loss in losses.items():
            shown = [any(each.shown and each.condition == losing for each in run) for run in found]
            cells += [f"{loss * 100:.1f}", f"{np.mean(shown) * 100:.1f}"]
        rows.append(cells)
    headings = ["entries", "runs with an alarm", "per cent"]
    if options.what == "power":
        headings = ["entries", "stated points", "shown, per cent", "canary: stated", "shown, per cent"]
    print(text_table(headings, rows, range(len(headings))), flush=True)


if __name__ == "__main__":
    main()
