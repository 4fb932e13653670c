"""Measures the time that a harness adds to the model's response time, for ours and the official one.

    python -m benchmarks.harness_efficiency [--workload single_turn ...] [--in-flight 32 128]
        [--latency 0.2] [--repeat 3] [--only ours]

Both send their requests to the same scripted server on this machine (`tests/support/chat_server.py`), a
separate process that answers every request after the latency. The bound is the shortest possible time:
requests x latency / in flight, or the longest chain of dependent requests x latency, if that is more.
Efficiency is the bound divided by the time taken: of the requests alone (from the first request that the
server received to its last answer), and of the whole process, including its start and writing tables.
`most` is the efficiency that is possible with whole rounds of requests: 1,058 requests at 128 in flight are
nine rounds, not 8.27, with any harness.

The official tool is run as `bfcl generate` with as many threads as requests may be in flight. With
`--latency 0` there is no bound, and the result is the number of requests per second. Prints medians.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.harness_efficiency_runs import HARNESSES, Measured, measured
from bfcl_pipeline.benchmark.definition import CATEGORIES
from tests.peer.peer import PYTHON
from tests.support.local_chat import LocalChat, local_chat

ROOT = Path(__file__).resolve().parents[1]
WORKLOADS: Mapping[str, Sequence[str]] = {
    "single_turn": ("simple_python", "multiple", "parallel", "live_simple"),
    "multi_turn": ("multi_turn_base",),
    "memory": ("memory_kv",),
    "all_single_turn": tuple(
        category.name
        for category in CATEGORIES.values()
        if category.single_turn and not category.prompt_only
    ),
}
DEFAULT = ("single_turn", "multi_turn", "memory")
COLUMNS = (
    ("", 10),
    ("requests", 9),
    ("chain", 6),
    ("bound s", 8),
    ("most", 6),
    ("asking s", 9),
    ("eff.", 6),
    ("process s", 10),
    ("eff.", 6),
    ("requests/s", 11),
    ("at once", 8),
)


@dataclass(frozen=True, slots=True)
class Case:
    """The entries of a measurement, and its settings."""

    workload: str
    in_flight: int
    latency: float

    def bound(self, run: Measured) -> float:
        """Seconds that no harness can be faster than."""
        return max(run.requests * self.latency / self.in_flight, run.chain * self.latency)

    def whole_rounds(self, run: Measured) -> float:
        """The same, as requests can only be answered whole."""
        rounds = -(-run.requests // self.in_flight)
        return max(rounds * self.latency, run.chain * self.latency)


def main() -> None:
    options = _options()
    cases = [
        Case(workload, in_flight, options.latency)
        for workload in options.workload
        for in_flight in options.in_flight
    ]
    with tempfile.TemporaryDirectory() as folder, local_chat(options.latency) as server:
        for case in cases:
            runs = _runs(case, options, Path(folder), server)
            _report(case, runs)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workload", nargs="+", choices=WORKLOADS, default=DEFAULT)
    parser.add_argument("--in-flight", nargs="+", type=int, default=[32, 128])
    parser.add_argument("--latency", type=float, default=0.2, help="seconds to an answer (default: 0.2)")
    parser.add_argument("--repeat", type=int, default=3, help="rounds; the median counts (default: 3)")
    parser.add_argument("--only", choices=HARNESSES, help="not side by side")
    parser.add_argument("--data", type=Path, default=ROOT / "data", help="the staged data")
    options = parser.parse_args()
    options.harnesses = [options.only] if options.only else list(HARNESSES)
    if "official" in options.harnesses and not PYTHON.exists():
        parser.error("no official package in .venv-peer: `make parity` or `make benchmark` installs it")
    return options


def _runs(
    case: Case, options: argparse.Namespace, folder: Path, server: LocalChat
) -> dict[str, list[Measured]]:
    """All runs of one case; the harnesses alternate, so that both are measured under the same load."""
    runs: defaultdict[str, list[Measured]] = defaultdict(list)
    for number in range(options.repeat):
        for name in options.harnesses:
            place = folder / f"{case.workload}-{case.in_flight}-{number}-{name}"
            harness = HARNESSES[name](WORKLOADS[case.workload], case.in_flight, options.data, place)
            server.behave(latency=case.latency)
            runs[name].append(measured(harness, server))
    return runs


def _report(case: Case, runs: dict[str, list[Measured]]) -> None:
    print(f"\n{case.workload}, {case.in_flight} in flight, answers after {case.latency:g} s")
    print("".join(f"{title:>{width}}" for title, width in COLUMNS))
    for name, its in runs.items():
        run = its[-1]
        asking = statistics.median(one.asking_seconds for one in its)
        process = statistics.median(one.process_seconds for one in its)
        bound, rounds = case.bound(run), case.whole_rounds(run)
        figures = (
            name,
            f"{run.requests:,}",
            f"{run.chain:,}",
            f"{bound:.2f}",
            f"{bound / rounds if rounds else 0:.2f}",
            f"{asking:.2f}",
            f"{bound / asking:.3f}",
            f"{process:.2f}",
            f"{bound / process:.3f}",
            f"{run.requests / asking:,.0f}",
            f"{run.most_in_flight}",
        )
        print("".join(f"{figure:>{width}}" for figure, (_, width) in zip(figures, COLUMNS, strict=True)))
    if len(runs) == 2:
        _print_ratios(runs["ours"], runs["official"])
    sys.stdout.flush()


def _print_ratios(ours: Sequence[Measured], official: Sequence[Measured]) -> None:
    asking, process = (
        statistics.median(part(one) for one in official) / statistics.median(part(one) for one in ours)
        for part in (lambda one: one.asking_seconds, lambda one: one.process_seconds)
    )
    print(
        f"the official tool takes {asking:.2f} times as long to ask, its whole process {process:.2f} times"
    )
    if ours[-1].requests != official[-1].requests:
        print("the numbers of requests differ: so do the seconds that they are worth")


if __name__ == "__main__":
    main()
