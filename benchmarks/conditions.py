"""How often conditions are shown to differ: python -m benchmarks.conditions {false-alarms,power} FILE

Simulates runs under six conditions and a canary, in each of which an entry is right with the same
probability. `false-alarms` prints the share of runs in which any change is shown; `power` plants losses of
the size that runs state in one condition, and in the canary, and prints how often each is shown. FILE: a
table of recorded verdicts (run, category, entry_id, valid), from which the probabilities follow: that of
one run, drawn in each simulation, mixed with the share of all runs that have the entry right.
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
from bfcl_pipeline.show.conditions.answers import ACCURACY, NO_ANSWER, Answers
from bfcl_pipeline.show.conditions.view import ConditionEffect, effects

CONDITIONS = ("", AGAIN, "stream", "load=1", "load=16", "load=128", "strict", FIRST, LAST)
FLAKY = 0.15  # how much of an entry's probability is the share of all runs
RARE = {"unread": 0.01, "malformed": 0.02, "starved": 0.01, NO_ANSWER: 0.005}

Entry = tuple[str, str]


class Recorded:
    """Entries, and the probability with which each is right."""

    def __init__(self, file: Path) -> None:
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
        run = self._runs[random.integers(len(self._runs))]
        shares = [self._shares[entry] for entry in entries]
        own = [run.get(entry, share > 0.5) for entry, share in zip(entries, shares, strict=True)]
        return (1 - FLAKY) * np.array(own, float) + FLAKY * np.array(shares)

    def run(
        self, size: int, random: np.random.Generator, losses: Mapping[str, float] = {}
    ) -> list[ConditionEffect]:
        """The effects of one simulated run. losses: of accuracy, by condition."""
        entries = [self.entries[place] for place in random.permutation(len(self.entries))[:size]]
        chances = self.chances(entries, random)
        asked = []
        for condition in CONDITIONS:
            number = min(CANARY, size) if condition in (FIRST, LAST) else size
            kept = 1 - min(1.0, losses.get(condition, 0.0) / chances[:number].mean())
            drawn = {ACCURACY: random.random(number) < chances[:number] * kept}
            drawn |= {name: random.random(number) < share for name, share in RARE.items()}
            marks = {
                entry: {NO_ANSWER: True}
                if drawn[NO_ANSWER][place]
                else {name: bool(of[place]) for name, of in drawn.items()}
                for place, entry in enumerate(entries[:number])
            }
            asked.append(Answers(condition, marks=marks))
        return effects(asked)


def _stated(found: list[ConditionEffect], condition: str) -> float:
    return next(
        each.detectable or 1.0 for each in found if (each.condition, each.measure) == (condition, ACCURACY)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["false-alarms", "power"])
    parser.add_argument("file", type=Path, help="table of recorded verdicts")
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--entries", type=int, nargs="+", default=[200, 400])
    options = parser.parse_args()
    recorded, rows = Recorded(options.file), []
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
