"""A tiny untrained model on disk."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its folder."""
    from tests.support.tiny_model import save_tiny_model  # imports torch and transformers

    return save_tiny_model(tmp_path_factory.mktemp("models") / "tiny")
