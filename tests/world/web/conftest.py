"""A search engine on this machine with scripted answers, byte for byte; a port without a server."""

import socket
from collections.abc import Iterator

import pytest

from tests.support.scripted_engine import ScriptedEngine, scripted_engine_server


@pytest.fixture
def scripted_engine() -> Iterator[ScriptedEngine]:
    with scripted_engine_server() as server:
        yield server


@pytest.fixture
def closed_port() -> Iterator[int]:
    """A port that refuses connections: bound, but not listening."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]
