"""A server on this machine with scripted answers; a port without a server."""

import socket
from collections.abc import Iterator

import pytest

from tests.support.web_server import WebServer, web_server


@pytest.fixture
def server() -> Iterator[WebServer]:
    """The server, without answers."""
    with web_server() as running:
        yield running


@pytest.fixture
def closed_port() -> Iterator[int]:
    """A port that refuses connections: bound, but not listening."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]
