"""Time and memory of a run whose models are published results.

    python -m benchmarks.results_models results/embedded --models 100 --work WORK

exports the answers of oracle-FC and lexical-FC of a finished run as a result folder of the official tool,
and makes as many models from them: the model with number i takes each answer from the oracle with its own
probability, else from the lexical model, so that all models differ. Then it runs the workflow on all of
them in WORK, which has to be empty.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import yaml

from tests.support.snakemake_project import make_project

_RIGHT, _WRONG = "oracle-FC", "lexical-FC"


def main() -> int:
    """Prints one line for each step: seconds, processor seconds, the largest memory of one process."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("run", type=Path, help="directory of a finished run of the embedded models")
    parser.add_argument("--models", type=int, default=100)
    parser.add_argument("--data", type=Path, default=Path("data"), help="the staged data")
    parser.add_argument("--work", type=Path, required=True, help="an empty directory")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--sample", type=int, help="entries of the run (default: all)")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    project = make_project(options.work.resolve()).folder
    (project / "data").symlink_to(options.data.resolve())
    command = [sys.executable, "-m", "bfcl_pipeline.cli"]
    exported = [*command, "export-official", str(options.run.resolve()), "--out", "exported"]
    _timed("export two models", [*exported, "--model", _RIGHT, "--model", _WRONG], project)
    models = [f"published-{number:03}-FC" for number in range(options.models)]
    for number, name in enumerate(models):
        _mix(project / "exported/result", project / "result" / name, number, options)
    rows = [
        {"name": name, "kind": "results", "path": f"result/{name}", "web": "simulated"} for name in models
    ]
    (project / "config/my_models.yaml").write_text(yaml.safe_dump({"models": rows}))
    # In a file, because a hundred names are too long for a line.
    names = yaml.safe_dump(models, default_flow_style=True, width=10**6).strip()
    config = project / "config/config.yaml"
    text = config.read_text().replace(
        "models: [oracle-FC, oracle, lexical-FC, lexical]", f"models: {names}"
    )
    config.write_text(text.replace("run: embedded", "run: published"))
    snakemake = [sys.executable, "-m", "snakemake", "--cores", str(options.cores)]
    sample = [] if options.sample is None else ["--config", f"sample={options.sample}"]
    _timed("dry run", [*snakemake, "-n", *sample], project)
    _timed(f"run of {len(rows)} models", [*snakemake, *sample], project)
    _timed("run again, nothing to do", [*snakemake, *sample], project)
    page = (project / "results/published/report.html").stat().st_size
    print(f"report.html {page / 1e6:.1f} MB")
    return 0


def _mix(exported: Path, folder: Path, number: int, options: argparse.Namespace) -> None:
    """Writes the results of one model; sessions and snapshots are those of the model that is right."""
    draw, share = random.Random(number), (number + 1) / (options.models + 1)
    for path in sorted((exported / _RIGHT).rglob("*.json")):
        target = folder / path.relative_to(exported / _RIGHT)
        target.parent.mkdir(parents=True, exist_ok=True)
        other = exported / _WRONG / path.relative_to(exported / _RIGHT)
        if not path.name.startswith("BFCL_") or "_prereq" in path.name or not other.is_file():
            os.link(path, target)
            continue
        wrong = {json.loads(line)["id"]: line for line in other.read_text().splitlines()}
        lines = [
            line if draw.random() < share else wrong.get(json.loads(line)["id"], line)
            for line in path.read_text().splitlines()
        ]
        target.write_text("\n".join(lines) + "\n")


def _timed(what: str, command: Sequence[str], folder: Path) -> None:
    started, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - started
    if done.returncode:
        sys.exit(f"{what}: exit status {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    # The peak is that of all processes that have ended so far, not of this step alone.
    peak = after.ru_maxrss / 1024
    print(
        f"{what}: {seconds:,.1f} s, {processor:,.1f} s of processor time; "
        f"largest process so far {peak:,.0f} MB",
        flush=True,
    )


if __name__ == "__main__":
    if shutil.which("snakemake") is None:
        sys.exit("Snakemake is not installed.")
    sys.exit(main())
