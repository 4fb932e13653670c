"""A tiny untrained model on disk, and a working directory of runs with it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml

from tests.support.small_model_runs import MODEL


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its folder."""
    from tests.support.tiny_model import save_tiny_model  # imports torch and transformers

    return save_tiny_model(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture
def weights(tiny: Path, tmp_path: Path) -> Path:
    """A copy of the model that a test may change."""
    return Path(shutil.copytree(tiny, tmp_path / "weights"))


@pytest.fixture
def folder(weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with a models file; hashes of weights are kept below it."""
    row = {
        "name": MODEL,
        "kind": "transformers",
        "model": str(weights),
        "family": "qwen3-fc",
        "options": {"max_tokens": 12},
        "limits": {"in_flight": 2},
    }
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "models.yaml").write_text(yaml.safe_dump({"models": [row]}))
    monkeypatch.chdir(folder)
    return folder
