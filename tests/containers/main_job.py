"""The main job, as a user runs it in the image."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from tests.containers.podman_engine import Podman
from tests.support.snakemake_project import Project

ROOT = Path(__file__).resolve().parents[2]
BASE = "localhost/bfcl-test-base:latest"
IMAGE = "localhost/bfcl-pipeline:test"

MAIN = {
    "run": "same",
    "models": "[oracle,lexical-FC]",
    "categories": "[simple_python,live_multiple,multi_turn_base,memory_kv,memory_vector,web_search_base,"
    "format_sensitivity]",
    "sample": "60",
}
"""The main job, on a sample of every kind of category."""

LONGEST_SECONDS = 1800

SOMEBODY = 4321
"""The id of a user without an account in any image."""


def run_bare(project: Project, *arguments: str, **config: str) -> str:
    """What Snakemake prints, run without any container."""
    with project.start(*arguments, **config) as process:
        output, _ = process.communicate(timeout=LONGEST_SECONDS)
    assert process.returncode == 0, output
    return output


def run_inside(podman: Podman, image: str, project: Project, config: dict[str, str]) -> str:
    """The output of `make run-in-container`, called in `project` by a user without an account in the
    image."""
    for name in ("Makefile", "containers/images.mk"):
        (project.folder / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, project.folder / name)
    for name in ("data", "cache", "results", ".snakemake"):
        subprocess.run(["chown", "-R", str(SOMEBODY), project.folder / name], check=True)
    words = " ".join(f"{key}={value}" for key, value in config.items())
    return podman.call(
        *(
            "make",
            "run-in-container",
            f"IMAGE={image}",
            "VERSION=test",
            "CORES=2",
            f"ARGS=--config {words}",
        ),
        f"RUN_FLAGS=--user {SOMEBODY}:{SOMEBODY}",
        cwd=project.folder,
    )
