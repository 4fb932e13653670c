"""Shared fixtures of the simulated API tests: the configuration of an entry's world."""

from __future__ import annotations

import pytest

from bfcl_pipeline.world.tools import Constants, WorldConfig


@pytest.fixture(scope="session")
def setting(constants: Constants) -> WorldConfig:
    """The configuration of an entry that is not of multi_turn_long_context."""
    return WorldConfig(constants)
