"""Time and memory of `compare`: python -m benchmarks.compare_speed [RUN] [--models 100]

Makes a run of many models in a temporary directory: the entries and columns of one model's verdicts, with
verdicts that were drawn, where every model differs from a common base in some entries. Measures the
command, from its start to its end, for two models and for all pairs of all models, with the files of
comparisons and of flipped entries.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from bfcl_pipeline.benchmark.tables import read_table, write_table

_MEGABYTE = 2**20
_FLIPPED = 0.15  # share of its entries in which a model differs from the base


@dataclass(frozen=True)
class Measured:
    """One run of a command."""

    seconds: float  # from start to end
    processor: float  # seconds of processor time, which other programs do not prolong
    megabytes: float  # largest resident set


def make_run(source: Path, folder: Path, models: int) -> int:
    """Writes the verdicts of made-up models; returns the number of entries of each."""
    table = read_table(sorted((source / "verdicts").glob("*-FC.parquet"))[0])
    random = np.random.default_rng(14)
    base = random.random(table.num_rows) < 0.6
    for number in range(models):
        valid = base ^ (random.random(table.num_rows) < _FLIPPED)
        columns = {
            "model": pa.array([f"model-{number:03}"] * table.num_rows),
            "valid": pa.array(valid),
            "status": pa.array(["answered"] * table.num_rows),
        }
        own = table
        for name, values in columns.items():
            own = own.set_column(own.schema.get_field_index(name), own.schema.field(name), values)
        write_table(folder / "verdicts" / f"model-{number:03}.parquet", own)
    return len(set(table.column("entry_id").to_pylist()))


def measure(arguments: Sequence[str]) -> Measured:
    """Runs `bfcl-pipeline compare`; raises CalledProcessError if it fails."""
    command = [sys.executable, "-m", "bfcl_pipeline.cli", "compare", *arguments]
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - started
    if status:
        raise subprocess.CalledProcessError(status, command)
    return Measured(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / _MEGABYTE)


def main() -> None:
    """Prints one line for each command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("run", type=Path, nargs="?", default=Path("results/embedded"))
    parser.add_argument("--models", type=int, default=100)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bfcl-compare-speed-") as temporary:
        folder = Path(temporary)
        entries = make_run(options.run, folder / "many", options.models)
        many = str(folder / "many")
        pairs = options.models * (options.models - 1) // 2
        files = ["--out", str(folder / "out.parquet"), "--flips", str(folder / "flips.parquet")]
        for name, arguments in {
            "2 models": [f"{many}:model-000", f"{many}:model-001"],
            f"{options.models} models, all {pairs:,} pairs": [many, "--all-pairs"],
            f"{options.models} models, all {pairs:,} pairs, with files": [many, "--all-pairs", *files],
        }.items():
            found = measure(arguments)
            print(
                f"{name}, {entries:,} entries: {found.seconds:.1f} s ({found.processor:.1f} s of processor "
                f"time), {found.megabytes:,.0f} MB"
            )


if __name__ == "__main__":
    main()
