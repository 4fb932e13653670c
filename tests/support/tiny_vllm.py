"""vLLM and a tiny model for it, for tests of several folders.

On a GPU the same tests run with BFCL_VLLM_PYTHON=... make test-vllm; BFCL_VLLM_ARGS adds options of the
server that a machine needs.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.support.tiny_rows import tiny_rows

ROOT = Path(__file__).resolve().parents[2]
REQUIRED = "BFCL_VLLM_REQUIRED"


def find_vllm() -> str:
    """The Python that has vLLM. Skips the test if there is none, or fails it if BFCL_VLLM_REQUIRED=1 is
    set."""
    python = os.environ.get("BFCL_VLLM_PYTHON") or str(ROOT / ".venv-vllm/bin/python")
    if not Path(python).exists():
        advice = f"{python} is absent: `make test-vllm` installs vLLM there."
        if os.environ.get(REQUIRED) == "1":
            pytest.fail(f"{advice} {REQUIRED}=1 asks for it.")
        pytest.skip(advice)
    return python


def make_models_file(python: str, folder: Path) -> Path:
    """Writes a models file with the rows of `tiny_rows`, and the untrained model that they serve."""
    model = folder / "tiny"
    script = Path(__file__).with_name("make_tiny_model.py")
    subprocess.run([python, str(script), str(model)], check=True, capture_output=True)
    path = folder / "models.yaml"
    path.write_text(json.dumps({"models": tiny_rows(model)}))
    return path


def vllm_variables(python: str, folder: Path) -> dict[str, str]:
    """Environment variables with which vLLM starts fast and writes only to `folder`."""
    (folder / "tmp").mkdir()
    return {
        "BFCL_VLLM_PYTHON": python,
        "TORCHDYNAMO_DISABLE": "1",  # compiling does not pay off for so small a model
        "VLLM_CACHE_ROOT": str(folder / "cache"),
        "TMPDIR": str(folder / "tmp"),
    }
