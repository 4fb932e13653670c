"""How the work of planning grows with models: in calls of functions, alike on every machine."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import yaml

from tests.support.snakemake_project import Project

COUNTED = """
import cProfile, pstats, sys
from snakemake.cli import main
with cProfile.Profile() as profile:
    try:
        main()
    except SystemExit as ended:
        assert not ended.code, ended.code
print("calls:", pstats.Stats(profile).total_calls)
"""
SIZES = (5, 10, 20)


def test_twice_the_models_take_twice_the_planning(bare: Project) -> None:
    """The rule of a file is not searched among the files of all models: planning grows linearly."""
    small, middle, large = (calls(bare.folder, models) for models in SIZES)
    assert (large - middle) / (middle - small) < 2.2


def calls(folder: Path, models: int) -> int:
    """How many functions Snakemake calls to plan a run of so many models behind an API."""
    names = [f"model-{number}" for number in range(models)]
    rows = [{"name": name, "kind": "openai_chat", "endpoint": "http://127.0.0.1:9/v1"} for name in names]
    (folder / "config/models.yaml").write_text(yaml.safe_dump({"models": rows}), encoding="utf-8")
    command = [sys.executable, "-c", COUNTED, "--dry-run", "--quiet", "all", "--cores", "2"]
    command += ["--config", f"models=[{','.join(names)}]"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    return int(done.stdout.rpartition("calls:")[2])
