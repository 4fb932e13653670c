"""A wing can be taken away, its folder and its name in `cli/commands.py`; the core runs the benchmark."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bfcl_pipeline.cli import commands
from tests.support import ROOT

WINGS = {
    "share": "SHARE",
    "show/compare": "COMPARE",
    "show/noise": "NOISE",
    "show/entry": "ENTRY",
    "show/planning": "PLANNING",
    "environments": "ENVIRONMENTS",
    "show/servers": "SERVERS",
    "show/conditions": "CONDITIONS",
}
"""The folder of each wing, and the name of its commands."""

LEANING = {"show/compare": {"conditions", "gallery", "noise"}}
"""The commands of other wings that go with a wing: they compare runs."""


def without(wings: list[str], place: Path) -> Path:
    """A checkout in `place` whose package lacks the wings."""
    unwanted = shutil.ignore_patterns("my_models.yaml")  # compiled modules are copied with their sources
    for folder in ("bfcl_pipeline", "snakemake_logger_plugin_bfcl", "workflow", "profiles", "config"):
        shutil.copytree(ROOT / folder, place / folder, ignore=unwanted)
    shutil.copy(ROOT / "Snakefile", place)
    offered = place / "bfcl_pipeline/cli/commands.py"
    text = offered.read_text(encoding="utf-8")
    for wing in wings:
        shutil.rmtree(place / "bfcl_pipeline" / wing)
        line = f" | {WINGS[wing]}"
        assert text.count(line) == 1
        text = text.replace(line, "")
    offered.write_text(text, encoding="utf-8")
    return place


def python(place: Path, *arguments: str) -> str:
    """What Python prints with the checkout in `place`; it ends with 0."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=place,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(place), os.environ.get("PYTHONPATH", "")])},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.mark.parametrize("wing", WINGS)
def test_without_a_wing_its_commands_alone_are_missing(wing: str, tmp_path: Path) -> None:
    """The help lists all others, and each of these states its options."""
    place = without([wing], tmp_path)
    missing = set(getattr(commands, WINGS[wing]))
    program = (
        "import argparse, importlib; from bfcl_pipeline.cli.commands import COMMANDS\n"
        f"for name in COMMANDS.keys() - {LEANING.get(wing, set())!r}:\n"
        "    module = importlib.import_module('bfcl_pipeline.cli.' + name.replace('-', '_'))\n"
        "    module.add_arguments(argparse.ArgumentParser())\n"
        "from bfcl_pipeline.cli import main; main(['--help'])\n"
    )
    printed = python(place, "-c", program)
    listed = {line.split()[0] for line in printed.splitlines() if line.startswith("  ")}
    assert listed >= set(commands.COMMANDS) - missing
    assert not listed & missing


def test_the_core_evaluates_models_without_any_wing(
    tmp_path: Path, staged: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An embedded model is run, scored and tabulated, and the page is written."""
    place = without([*WINGS], tmp_path)
    for part in ("release", "entries"):
        shutil.copytree(staged / part, place / "data" / part)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    printed = python(
        place,
        "-m",
        "bfcl_pipeline.cli",
        "run",
        "--cores",
        "2",
        "--sample",
        "8",
        "-c",
        "simple_python,multi_turn_base",
        "-m",
        "oracle",
        "--run",
        "core",
    )
    assert "oracle" in printed
    run = place / "results/core"
    assert (run / "tables/leaderboard.csv").is_file()
    assert (run / "report.html").is_file()
