"""Measures the time and memory to compare two archives of full runs, and checks what is found.

    python -m benchmarks.run_diff_speed [--sample N] [--changed 0.01] [--keep DIR]

Makes a full run of one model behind an API as `replay_speed` does: all scored entries, answered by the
scripted server. In a copy of its journal the last answer to a share of the entries is changed, and the run
is made again from that journal. Both are archived and compared by `bfcl-pipeline diff`. Prints the seconds
and the peak memory, and fails unless exactly the changed entries are found. Needs the staged release and
encoder in `data`.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.replay_speed import MODEL, record
from bfcl_pipeline.benchmark.config import model_folder
from tests.support.generate_run import COMMAND
from tests.support.snakemake_project import ROOT, Project, make_project

CHANGED = "changed.json"
JOURNAL = f"cache/exchanges/{model_folder(MODEL)}/exchanges.jsonl"


def change_answers(journal: Path, share: float) -> set[str]:
    """Changes the last answer to a share of the entries in a journal; returns their ids."""
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    last = {exchange["entry_id"]: exchange for exchange in lines}
    changed = set(random.Random(7).sample(sorted(last), max(1, round(share * len(last)))))
    for entry_id in changed:
        _change(last[entry_id]["raw"]["choices"][0]["message"])
    journal.write_text("".join(f"{json.dumps(one, separators=(',', ':'))}\n" for one in lines))
    return changed


def _change(message: dict[str, Any]) -> None:
    if message.get("tool_calls"):
        message["tool_calls"][0]["function"]["arguments"] = '{"changed": true}'
    else:
        message["content"] = f"{message['content']} Changed."


def run(project: Project, *command: str) -> subprocess.CompletedProcess[str]:
    """A command of the pipeline in the folder of a project."""
    arguments = [sys.executable, "-c", COMMAND, *command]
    return subprocess.run(arguments, cwd=project.folder, capture_output=True, text=True, check=False)


def project_in(folder: Path) -> Project:
    """A new project with the staged data."""
    folder.mkdir()
    project = make_project(folder)
    (folder / "data").symlink_to(ROOT / "data")
    return project


def second_run(first: Project, folder: Path, share: float, sample: int | None) -> tuple[Project, set[str]]:
    """The run again, from a journal in which a share of the answers is changed; and their entries."""
    second = project_in(folder)
    (second.folder / JOURNAL).parent.mkdir(parents=True)
    for name in ("config/models.yaml", JOURNAL):
        shutil.copyfile(first.folder / name, second.folder / name)
    if (first.folder / "cache/encoder").is_dir():
        shutil.copytree(first.folder / "cache/encoder", second.folder / "cache/encoder")
    changed = change_answers(second.folder / JOURNAL, share)
    config = {"run": "full", "models": f"[{MODEL}]", "categories": "[all_scoring]"}
    with second.start(**config, **({} if sample is None else {"sample": str(sample)})) as process:
        output, _ = process.communicate()
    if process.returncode != 0:
        sys.exit(output)
    return second, changed


def make(folder: Path, share: float, sample: int | None) -> None:
    """Makes and archives both runs, and notes the changed entries."""
    first = project_in(folder / "first")
    record(first, sample)
    print()
    second, changed = second_run(first, folder / "second", share, sample)
    for project in (first, second):
        made = run(project, "archive", "full", "--out", "full.crate.zip")
        if made.returncode != 0:
            sys.exit(made.stdout + made.stderr)
    (folder / CHANGED).write_text(json.dumps(sorted(changed)))


def compare(folder: Path) -> None:
    """Compares both archives, prints seconds and memory, and checks the entries that were found."""
    first, changed = Project(folder / "first"), set(json.loads((folder / CHANGED).read_text()))
    started, before = time.perf_counter(), _processor_seconds()
    compared = run(first, "diff", "full.crate.zip", "../second/full.crate.zip", "--out", "diff.json")
    seconds, worked = time.perf_counter() - started, _processor_seconds() - before
    if compared.returncode != 1:
        sys.exit(compared.stdout + compared.stderr)
    [model] = json.loads((first.folder / "diff.json").read_text())["models"]
    found = {row["entry_id"] for row in model["entries"] if row["difference"] != "same"}
    print(f"{len(model['entries']):,} entries and sessions, {model['requests'][0]:,} requests on each side")
    print(f"changed {len(changed):,}, found {len(found):,}, the same: {found == changed}")
    kilobytes = int(compared.stdout.rpartition("VmHWM:")[2].split()[0])
    print(f"diff: {seconds:.1f} s, {worked:.1f} s of processor time, {kilobytes / 1e3:,.0f} MB")
    if found != changed:
        sys.exit(f"only changed: {sorted(changed - found)[:5]}, only found: {sorted(found - changed)[:5]}")


def _processor_seconds() -> float:
    """Of all processes that this one started and that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    """Makes both runs, unless they are kept, and compares their archives."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", type=int, help="only so many entries (default: all)")
    parser.add_argument("--changed", type=float, default=0.01, help="share of entries (default: 0.01)")
    parser.add_argument("--keep", type=Path, help="a folder to keep both runs in, and to use them again")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = (options.keep or Path(temporary)).absolute()
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / CHANGED).is_file():
            make(folder, options.changed, options.sample)
        compare(folder)


if __name__ == "__main__":
    main()
