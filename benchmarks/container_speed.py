"""Measures the run time in the image compared with a run outside, and the size of the image.

    python -m benchmarks.container_speed [--repeat 3] [--config sample=200 ...] [--image NAME]

The same run is made outside and by `make run-in-container`, alternating, each in a separate folder with
only staged data, so that both are measured under the same load. Without --config it is the whole first run:
all entries, four models. Prints every time in seconds, the medians and their ratio. Without --image, the
image that the container tests built is used, with their podman (BFCL_CONTAINERS_FOLDER).
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.containers.main_job import BASE, IMAGE, ROOT, run_bare, run_inside
from tests.containers.podman_engine import Podman
from tests.support.snakemake_project import Project, make_project


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--config", nargs="*", default=[], metavar="KEY=VALUE")
    parser.add_argument("--image", default=IMAGE)
    args = parser.parse_args()
    config = {"run": "timed", **dict(item.split("=", 1) for item in args.config)}
    folder = os.environ.get("BFCL_CONTAINERS_FOLDER")
    podman = Podman.make(Path(folder or f"{tempfile.gettempdir()}/bfcl-containers-{os.getuid()}"))
    size, base = (podman.inspect(name)["Size"] / 1e9 for name in (args.image, BASE))
    print(f"image: {size:.2f} GB, {base:.2f} GB of them the base")
    bare, inside = [], []
    for turn in range(args.repeat):
        bare.append(seconds(lambda project: run_bare(project, **config)))
        inside.append(seconds(lambda project: run_inside(podman, args.image, project, config)))
        print(f"{turn + 1}: bare {bare[-1]:.1f} s, inside {inside[-1]:.1f} s", flush=True)
    middle, within = statistics.median(bare), statistics.median(inside)
    print(f"median: bare {middle:.1f} s, inside {within:.1f} s, ratio {within / middle:.2f}")


def seconds(run: Callable[[Project], object]) -> float:
    """The duration of `run` in a new project, in seconds."""
    with tempfile.TemporaryDirectory() as folder:
        project = make_project(Path(folder))
        shutil.copytree(ROOT / "data", project.folder / "data")
        for name in ("cache", "results", ".snakemake"):
            (project.folder / name).mkdir()
        started = time.perf_counter()
        run(project)
        return time.perf_counter() - started


if __name__ == "__main__":
    main()
