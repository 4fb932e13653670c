"""vLLM, a tiny model for it, and the rows that serve it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.support.tiny_vllm import find_vllm, make_models_file, vllm_variables


@pytest.fixture(scope="session")
def vllm_python() -> str:
    """The Python that has vLLM."""
    return find_vllm()


@pytest.fixture(scope="session")
def scratch() -> Iterator[Path]:
    """A folder with a short name: vLLM's sockets lie in it."""
    with TemporaryDirectory(prefix="vllm-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
def models_file(vllm_python: str, scratch: Path) -> Path:
    """A models file with the rows of `tiny_rows`, and the model that they serve."""
    return make_models_file(vllm_python, scratch)


@pytest.fixture(scope="session")
def variables(vllm_python: str, scratch: Path) -> dict[str, str]:
    """The environment of the tests with what vLLM needs."""
    return {**os.environ, **vllm_variables(vllm_python, scratch)}
