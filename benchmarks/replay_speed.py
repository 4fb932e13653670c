"""Measures the time to derive a full run of one model behind an API again, from start to end.

    python -m benchmarks.replay_speed [--cores 2] [--sample N]

Makes such a run first: all scored entries of the benchmark, answered by the scripted server on this machine
(`tests/support/chat_server.py`). After the server has stopped, `bfcl-pipeline replay` derives the run
again, scores and tabulates it and compares every byte. Prints the seconds of both, and of the steps of the
replay. Needs the staged release and encoder in `data`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml

from bfcl_pipeline.benchmark.tables.files import count_rows
from tests.support.local_chat import local_chat
from tests.support.snakemake_project import ROOT, Project, make_project

MODEL = "model-FC"


def record(project: Project, sample: int | None) -> None:
    """Makes the run with a server that is stopped afterwards."""
    with local_chat() as server:
        row = {"name": MODEL, "kind": "openai_chat", "endpoint": server.endpoint}
        (project.folder / "config/models.yaml").write_text(yaml.safe_dump({"models": [row]}))
        config = {"run": "full", "models": f"[{MODEL}]", "categories": "[all_scoring]"}
        if sample is not None:
            config["sample"] = str(sample)
        with project.start(**config) as process:
            output, _ = process.communicate()
        if process.returncode != 0:
            sys.exit(output)
        print(f"asked {server.counts()['requests']:,} requests", end=", ")


def replay(project: Project, cores: int) -> str:
    """The output of the command."""
    command = [sys.executable, "-m", "bfcl_pipeline.cli", "replay", "full", "--cores", str(cores)]
    command += ["--keep", "again"]
    done = subprocess.run(command, cwd=project.folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stdout + done.stderr)
    return done.stdout.splitlines()[0]


def main() -> None:
    """Makes the run, derives it again, prints the seconds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cores", type=int, default=2, help="of the replay (default: 2)")
    parser.add_argument("--sample", type=int, help="only so many entries (default: all)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        project = make_project(Path(folder))
        (project.folder / "data").symlink_to(ROOT / "data")
        started = time.perf_counter()
        record(project, options.sample)
        recorded = time.perf_counter()
        responses = project.folder / f"results/full/responses/{MODEL}"
        entries = sum(map(count_rows, responses.glob("*.parquet")))
        print(f"{entries:,} entries, in {recorded - started:.0f} s")
        said = replay(project, options.cores)
        print(f"{said}\nreplay on {options.cores} cores: {time.perf_counter() - recorded:.1f} s")
        for path in sorted((project.folder / "again/results/full/benchmarks").rglob("*.tsv")):
            seconds = path.read_text().splitlines()[1].split("\t")[0]
            print(f"  {path.parent.name} {path.stem}: {seconds} s")


if __name__ == "__main__":
    main()
