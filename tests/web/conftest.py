"""A search engine on this machine with scripted answers, byte for byte."""

from collections.abc import Iterator

import pytest

from tests.support.scripted_engine import ScriptedEngine, scripted_engine_server


@pytest.fixture
def scripted_engine() -> Iterator[ScriptedEngine]:
    with scripted_engine_server() as server:
        yield server
