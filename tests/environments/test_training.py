"""TRL's trainer learns from the rewards of episodes.

Its Python is this one if trl is installed, else the one that BFCL_TRL_PYTHON names.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import ROOT

PYTHON = sys.executable if importlib.util.find_spec("trl") else os.environ.get("BFCL_TRL_PYTHON")


pytestmark = pytest.mark.skipif(PYTHON is None, reason="trl is not installed")

LOOP = """
from pathlib import Path
from trl import GRPOConfig
from bfcl_pipeline.environments import Episode
from bfcl_pipeline.environments.setting import open_setting
from bfcl_pipeline.environments.splits import named_split
setting = open_setting(Path("data"), Path("cache"), "simulated")
train = named_split("train:clusters-v1", setting)
short = {"max_steps": 1, "max_completion_length": 8, "report_to": [], "save_strategy": "no"}
MODEL, SETTINGS = "model", GRPOConfig("out", use_cpu=True, bf16=False, **short)
"""


def test_the_loop_of_the_page_runs(staged: Path, tmp_path: Path) -> None:
    """One step with an untrained model, which a chat template gives the whole prompts."""
    assert PYTHON is not None
    page = (ROOT / "docs/environments.md").read_text(encoding="utf-8")
    loop = page.split("```python\n")[1].split("```")[0]
    (tmp_path / "data").symlink_to(staged)
    for command in ([ROOT / "tests/support/make_tiny_model.py", "model"], ["-c", LOOP + loop]):
        paths = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
        done = subprocess.run(
            [PYTHON, *command],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": paths},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-3000:]
    assert "train_loss" in done.stdout


def test_two_steps_are_trained_and_drawn(staged: Path, tmp_path: Path) -> None:
    """It prints the rewards of both sides before and after, and draws them below the best possible ones."""
    assert PYTHON is not None
    picture = tmp_path / "curve.svg"
    command = [PYTHON, "-m", "benchmarks.training", "--steps", "2", "--picture", picture, "--data", staged]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    printed = done.stdout.splitlines()
    steps = {line[:6].strip(): line[6:].split() for line in printed if line[:6].strip().isdigit()}
    (best,) = (line.split()[:2] for line in printed if line.endswith("the best that sketches allow"))
    assert list(steps) == ["0", "2"]
    for rewards in steps.values():
        assert all(0 < 2 * float(one) < float(most) for one, most in zip(rewards, best, strict=True))
    assert "steps of GRPO" in picture.read_text(encoding="utf-8")
