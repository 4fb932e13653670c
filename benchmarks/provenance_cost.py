"""Measures what recording what makes the answers costs a job of 1,000 small requests, and in bytes.

    python -m benchmarks.provenance_cost [--repeats 5]

The job asks the scripted server on this machine (`tests/support/chat_server.py`), each time with an empty
journal: with the record, and without it, alternating. Prints the medians of the seconds and of this
process's processor seconds, their ratios, the seconds of collecting a record alone, and the bytes of the
record and per line. Needs the staged release in `data`.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path

from bfcl_pipeline.ask.jobs.provenance import job_record, record_making
from bfcl_pipeline.ask.jobs.run import run_job
from bfcl_pipeline.benchmark.config import Job, JobPaths, ModelRow, load_models
from tests.support import ROOT
from tests.support.local_chat import local_chat

CATEGORIES = ("simple_python", "multiple", "parallel", "parallel_multiple")
"""1,000 entries with one request each."""


def job(row: ModelRow, journals: Path) -> Job:
    """All entries of the categories."""
    return Job(
        row=row, categories=CATEGORIES, run="r", paths=JobPaths(data=ROOT / "data", journals=journals)
    )


def seconds_of(job: Job, *, recorded: bool) -> tuple[float, float]:
    """Seconds of the clock and of the processor."""
    started = time.perf_counter(), time.process_time()
    run_job(job, record=record_making if recorded else lambda *_: "")
    return time.perf_counter() - started[0], time.process_time() - started[1]


def main() -> None:
    """Runs the jobs and prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5, help="of each of the two (default: 5)")
    repeats = parser.parse_args().repeats
    times: dict[bool, list[tuple[float, float]]] = {True: [], False: []}
    sizes: dict[bool, float] = {}
    with tempfile.TemporaryDirectory() as folder, local_chat() as server:
        models = Path(folder) / "models.yaml"
        row = f"{{name: m-FC, kind: openai_chat, endpoint: '{server.endpoint}'}}"
        models.write_text(f"models: [{row}]\n")
        chosen = load_models(models)["m-FC"]
        for number in range(repeats + 1):
            for recorded in (True, False):
                one = job(chosen, Path(folder) / f"{number}-{recorded}")
                measured = seconds_of(one, recorded=recorded)
                if number:  # the first pair loads what is loaded once
                    times[recorded].append(measured)
                lines = (one.paths.journals / "m-FC/exchanges.jsonl").read_bytes().splitlines()
                sizes[recorded] = sum(map(len, lines)) / len(lines)
                if recorded:
                    size = sum(
                        path.stat().st_size
                        for path in sorted((one.paths.journals / "m-FC").glob("provenance/*.json"))
                    )
        collecting = []
        for _ in range(repeats):
            started = time.perf_counter()
            job_record(one, lambda _line: None)
            collecting.append(time.perf_counter() - started)
    print(
        f"{len(lines):,} requests, {repeats} times with the record of what makes the answers, and without"
    )
    for place, what in enumerate(("seconds", "processor seconds")):
        with_it, without = (statistics.median(one[place] for one in times[key]) for key in (True, False))
        print(f"{what}: {with_it:.2f} with, {without:.2f} without, ratio {with_it / without:.3f}")
    print(f"collecting a record: {1000 * statistics.median(collecting):.0f} ms, once a job")
    print(
        f"a record: {size:,} bytes; a line: {sizes[True]:.0f} bytes, {sizes[True] - sizes[False]:.0f} more"
    )


if __name__ == "__main__":
    main()
