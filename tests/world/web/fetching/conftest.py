"""A fetcher for the local server, and name lookups."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from bfcl_pipeline.world.web.http_client import HttpLimits
from bfcl_pipeline.world.web.transport import WITNESS
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
def fetcher() -> Fetcher:
    """A fetcher for local servers, with small limits."""
    return Fetcher(
        HttpLimits(received_bytes=200_000, body_bytes=300_000, head_bytes=4_000), allow_private=True
    )


@pytest.fixture
def names() -> type[Names]:
    """A resolver of a few names."""
    return Names
