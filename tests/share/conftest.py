"""Two keys."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.ssh_keys import make_key


@pytest.fixture(scope="session")
def keys(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The keys of Alice and Bob."""
    folder = tmp_path_factory.mktemp("keys")
    return make_key(folder / "alice"), make_key(folder / "bob")
