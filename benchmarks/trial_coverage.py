"""How often 95 % intervals over trials hold the truth: python -m benchmarks.trial_coverage [--runs N]

Simulates runs of several trials of models whose probabilities of a right answer are known, and prints, for
each design, how often the interval of the mean and that of pass^T (T: all trials) hold the true values, and
the standard error of the mean beside the one that the columns `between` and `within` state. In the last
design all questions of a scenario fail in a trial with probability 0.2, as if its sessions had stored
nothing; it is shown with and without the knowledge which questions share sessions.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass

import numpy as np

from bfcl_pipeline.base.text import text_table
from bfcl_pipeline.judge.scoring.statistics.clustered import layout
from bfcl_pipeline.judge.scoring.statistics.repeated import Repeated, all_right_of, mean_of, score


@dataclass(frozen=True, slots=True)
class Design:
    """One simulated benchmark."""

    name: str
    entries: int
    trials: int
    alpha: float  # of the Beta distribution of the probabilities
    beta: float
    cluster: int = 1  # entries with one probability
    scenario: int = 1  # entries that fail together
    fails: float = 0.0  # probability with which a scenario fails in a trial
    known: bool = True  # whether the estimate knows the scenarios


DESIGNS = (
    Design("mostly certain", 200, 3, 0.5, 0.3),
    Design("clusters of 4", 200, 3, 0.5, 0.3, cluster=4),
    Design("uncertain", 200, 5, 5, 2),
    Design("toss-ups", 200, 2, 50, 50),
    Design("few entries", 40, 3, 0.3, 0.05),
    Design("sessions fail", 155, 5, 2, 1, scenario=31, fails=0.2),
    Design("the same, not known", 155, 5, 2, 1, scenario=31, fails=0.2, known=False),
)


def simulated(design: Design, runs: int, seed: int) -> list[str]:
    """One line of the table."""
    random = np.random.default_rng(seed)
    number = np.arange(design.entries)
    cluster, scenario = number // design.cluster, number // design.scenario
    where = layout(np.zeros(design.entries, np.int64), cluster)
    draw = scenario if design.known else number
    truth = _true_power(design, 1), _true_power(design, design.trials)
    held, means, stated = np.zeros(2), [], []
    for _ in range(runs):
        chance = random.beta(design.alpha, design.beta, cluster[-1] + 1)[cluster]
        stored = random.random((scenario[-1] + 1, design.trials)) >= design.fails
        right = (random.random((design.entries, design.trials)) < chance[:, None]) & stored[scenario]
        of = Repeated(right.astype(np.float64), where, draw)
        found = [score(each, np.ones(1)) for each in (mean_of(of), all_right_of(of, design.trials))]
        held += [
            each.limits.low <= true <= each.limits.high for each, true in zip(found, truth, strict=True)
        ]
        means.append(found[0].mean)
        stated.append((found[0].between or 0.0) ** 2 + (found[0].within or 0.0) ** 2)
    shares = [f"{share * 100:.1f}" for share in held / runs]
    errors = [f"{error * 100:.2f}" for error in (np.std(means), math.sqrt(float(np.mean(stated))))]
    return [design.name, f"{design.entries}", f"{design.trials}", *shares, *errors]


def _true_power(design: Design, power: int) -> float:
    """The expected probability that so many trials are right."""
    moments = ((design.alpha + step) / (design.alpha + design.beta + step) for step in range(power))
    return math.prod(moments) * (1 - design.fails) ** power


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--runs", type=int, default=2000, help="simulated runs of each design")
    options = parser.parse_args()
    head = ("design", "entries", "trials", "mean held %", "pass^T held %", "true error", "stated")
    rows = [simulated(design, options.runs, seed) for seed, design in enumerate(DESIGNS)]
    print(text_table(head, rows, right=range(1, len(head))))


if __name__ == "__main__":
    main()
