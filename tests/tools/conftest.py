"""What the tests of the simulated APIs share: the setting of an entry."""

from __future__ import annotations

import pytest

from bfcl_pipeline.tools import Constants, Setting


@pytest.fixture(scope="session")
def setting(constants: Constants) -> Setting:
    """The setting of an entry that is not of multi_turn_long_context."""
    return Setting(constants)
