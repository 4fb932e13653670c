"""What the tests of the simulated APIs share: the constants of the staged release."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bfcl_pipeline.tools import Constants, Setting


@pytest.fixture(scope="session")
def constants(staged: Path) -> Constants:
    """The constants of the staged release."""
    return Constants(json.loads((staged / "release" / "texts.json").read_text(encoding="utf-8")))


@pytest.fixture(scope="session")
def setting(constants: Constants) -> Setting:
    """The setting of an entry that is not of multi_turn_long_context."""
    return Setting(constants)
