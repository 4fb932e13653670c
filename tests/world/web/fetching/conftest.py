"""Local servers with scripted answers, byte for byte, and a fetcher for them."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import pytest

from bfcl_pipeline.world.web.http_client import HttpLimits
from bfcl_pipeline.world.web.transport import WITNESS
from tests.support.page_server import PageServer
from tests.support.page_server import serving as serve_pages
from tests.support.proven_fetcher import ProvenFetcher as Fetcher


class Names:
    """A resolver for these names (_ for a dot) and the witness; addresses are resolved by the system."""

    def __init__(self, **known: str) -> None:
        self._known = {WITNESS: "127.0.0.1"} | {
            name.replace("_", "."): address for name, address in known.items()
        }
        self.asked: list[str] = []

    def __call__(self, host: str, port: int, *rest: int) -> list[Any]:
        """As `socket.getaddrinfo`."""
        self.asked.append(host)
        if host[0].isalpha() and host not in self._known:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return socket.getaddrinfo(self._known.get(host, host), port, *rest)


@pytest.fixture
def pages() -> Iterator[PageServer]:
    with serve_pages() as server:
        yield server


@pytest.fixture
def fetcher() -> Fetcher:
    """A fetcher for local servers, with small limits."""
    return Fetcher(
        HttpLimits(received_bytes=200_000, body_bytes=300_000, head_bytes=4_000), allow_private=True
    )


@pytest.fixture
def serving() -> Callable[[ssl.SSLContext | None], AbstractContextManager[PageServer]]:
    """A server of pages, of TLS if a context is given."""
    return serve_pages


@pytest.fixture
def names() -> type[Names]:
    """A resolver of a few names."""
    return Names
