"""vLLM, a tiny model for it, and the rows that serve it.

On a GPU the same tests run with BFCL_VLLM_PYTHON=... make test-vllm; BFCL_VLLM_ARGS adds options of the
server that a machine needs.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from tiny_rows import tiny_rows

ROOT = Path(__file__).resolve().parents[2]
REQUIRED = "BFCL_VLLM_REQUIRED"


@pytest.fixture(scope="session")
def vllm_python() -> str:
    """The Python that has vLLM. Skips where there is none; fails if BFCL_VLLM_REQUIRED=1 is set."""
    python = os.environ.get("BFCL_VLLM_PYTHON") or str(ROOT / ".venv-vllm/bin/python")
    if not Path(python).exists():
        advice = f"{python} is absent: `make test-vllm` installs vLLM there."
        if os.environ.get(REQUIRED) == "1":
            pytest.fail(f"{advice} {REQUIRED}=1 asks for it.")
        pytest.skip(advice)
    return python


@pytest.fixture(scope="session")
def scratch() -> Iterator[Path]:
    """A folder with a short name: vLLM's sockets lie in it."""
    with TemporaryDirectory(prefix="vllm-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
def models_file(vllm_python: str, scratch: Path) -> Path:
    """A models file with the rows of `tiny_rows`, and the model that they serve, made on the spot."""
    model = scratch / "tiny"
    script = Path(__file__).with_name("make_tiny_model.py")
    subprocess.run([vllm_python, str(script), str(model)], check=True, capture_output=True)
    path = scratch / "models.yaml"
    path.write_text(json.dumps({"models": tiny_rows(model)}))
    return path


@pytest.fixture(scope="session")
def variables(vllm_python: str, scratch: Path) -> dict[str, str]:
    """The environment of the tests with what vLLM needs to start fast, and to leave nothing elsewhere."""
    (scratch / "tmp").mkdir()
    return {
        **os.environ,
        "BFCL_VLLM_PYTHON": vllm_python,
        "TORCHDYNAMO_DISABLE": "1",  # nothing is compiled for so small a model
        "VLLM_CACHE_ROOT": str(scratch / "cache"),
        "TMPDIR": str(scratch / "tmp"),
    }
