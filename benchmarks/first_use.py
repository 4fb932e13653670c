"""Measures the first use: from a fresh clone to the V4 table, and to the end of the quick tests.

    python -m benchmarks.first_use [CHECKOUT] [--tests] [--repeat N]

Clones CHECKOUT (default: this one, its last commit) into a temporary folder and calls `make run` there as a
newcomer does, with empty caches of pip and uv; then `make test`, if asked. Prints medians: seconds and
processor seconds (user and system, all processes), the size of the environment and its packages after
`make run`, and the jobs of the run. Needs a package index.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    """Prints the medians."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkout", nargs="?", type=Path, default=ROOT)
    parser.add_argument("--tests", action="store_true", help="also run `make test`")
    parser.add_argument("--repeat", type=int, default=1)
    options = parser.parse_args()
    measured = [first_use(options.checkout, options.tests) for _ in range(options.repeat)]
    for label in measured[0]:
        print(f"{label:34} {statistics.median(one[label] for one in measured):10,.2f}")


def first_use(checkout: Path, tests: bool) -> dict[str, float]:
    """The figures of one fresh clone, by label."""
    with TemporaryDirectory(prefix="first-use-") as temporary:
        clone = Path(temporary) / "clone"
        subprocess.run(["git", "clone", "--quiet", str(checkout.resolve()), str(clone)], check=True)
        # No virtual environment is active, and nothing is cached.
        environment = {
            name: value
            for name, value in os.environ.items()
            if name not in ("VIRTUAL_ENV", "UV_CACHE_DIR", "MAKEFLAGS", "MAKELEVEL", "PYTHONPATH")
        } | {"XDG_CACHE_HOME": f"{temporary}/cache", "PYTHON": sys.base_prefix + "/bin/python3"}
        start = time.perf_counter()
        figures = _timed("make .venv/.ready", clone, environment)
        figures |= _timed("make run", clone, environment)
        figures["to the V4 table (s)"] = time.perf_counter() - start
        packages = list(clone.glob(".venv/lib/python*/site-packages/*.dist-info"))
        figures["packages"] = len(packages)
        figures["size of .venv (GB)"] = _bytes(clone / ".venv") / 1e9
        figures["jobs of the run"] = _jobs(clone)
        if tests:
            figures |= _timed("make test", clone, environment)
        return figures


def _timed(command: str, folder: Path, environment: Mapping[str, str]) -> dict[str, float]:
    """Wall and processor seconds of a command, which must succeed; its output goes to standard error."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command.split(), cwd=folder, env=environment, stdout=sys.stderr, check=True)
    seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {f"{command} (s)": seconds, f"{command} (processor s)": processor}


def _bytes(folder: Path) -> int:
    """The space that a folder takes on disk, as `du` counts."""
    files = {path.lstat().st_ino: path.lstat().st_blocks * 512 for path in folder.rglob("*")}
    return sum(files.values())


def _jobs(clone: Path) -> int:
    """The number of jobs in Snakemake's logs."""
    logs = [path.read_text(encoding="utf-8") for path in clone.glob(".snakemake/log/*.log")]
    return len({number for log in logs for number in re.findall(r"(?m)^Job (\d+):", log)})


if __name__ == "__main__":
    main()
