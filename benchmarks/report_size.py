"""Measures the page of a run with its conversations: bytes, seconds and memory, for each `report.entries`.

    python -m benchmarks.report_size results/embedded [--data data] [--cache cache]

Makes the page of a copy of the run with none, wrong and all conversations, and prints the size of the page,
the size and number of the files beside it, and what `bfcl-pipeline report` took.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from pathlib import Path

from benchmarks.scale_measure import taken
from bfcl_pipeline.benchmark.config.choices import ShownEntries


def measure(run: Path, shown: ShownEntries, data: Path, cache: Path, folder: Path) -> str:
    """One line of the table."""
    copied = folder / f"{run.name}-{shown}"
    shutil.copytree(run, copied, copy_function=os.link)
    command = [sys.executable, "-m", "bfcl_pipeline.cli", "report", str(copied), "--entries", shown.value]
    command += ["--data", str(data.resolve()), "--cache", str(cache.resolve())]
    took = taken(command, folder, {}, folder / "log.txt")
    page = (copied / "report.html").stat().st_size
    files = [path.stat().st_size for path in (copied / "report").glob("*.js")]
    sizes = f"page {page / 1e6:.2f} MB, beside it {sum(files) / 1e6:.2f} MB in {len(files)} files"
    times = f"{took.processor_seconds:.1f} CPU s, {took.seconds:.1f} s"
    return f"{shown.value:6} {sizes}, {times}, {took.peak_bytes / 1e6:,.0f} MB of memory"


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--cache", type=Path, default=Path("cache"))
    options = parser.parse_args()
    # Beside the run: hard links do not lead to another file system.
    with tempfile.TemporaryDirectory(dir=options.run.resolve().parent, prefix=".size-") as folder:
        for shown in (ShownEntries.NONE, ShownEntries.WRONG, ShownEntries.ALL):
            line = measure(options.run, shown, options.data, options.cache, Path(folder))
            print(line, flush=True)


if __name__ == "__main__":
    main()
