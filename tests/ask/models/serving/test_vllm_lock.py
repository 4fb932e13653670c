"""The versions of vLLM and of what it needs on machines with GPUs."""

from __future__ import annotations

import re
from pathlib import Path

from bfcl_pipeline.ask.models.serving.program import VLLM_VERSION

ROOT = Path(__file__).resolve().parents[4]


def test_the_lock_has_the_version_of_the_rows_and_of_the_image() -> None:
    """One version of vLLM everywhere, and in the lock an exact version of each package, for CUDA."""
    lines = (ROOT / "requirements-vllm.lock").read_text().splitlines()
    pins = dict(line.split("==") for line in lines if not line.startswith("#"))
    assert pins["vllm"] == VLLM_VERSION
    assert "nvidia-cublas" in pins
    assert "+" not in pins["torch"]  # a local version is that of one index, for example +cpu
    recipe = (ROOT / "containers/vllm/Containerfile").read_text()
    assert re.search(r"vllm-openai:v([\d.]+)@", recipe)[1] == VLLM_VERSION  # type: ignore[index]
