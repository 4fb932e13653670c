"""The hosts of the web APIs as one server on this machine, over HTTP and TLS, with scripted answers."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, cast

import pytest
from requests import Request

from bfcl_pipeline.world.executables import ApiRequest, Apis
from bfcl_pipeline.world.executables.apis import PLACEHOLDERS
from bfcl_pipeline.world.web.api_recording import API_LIMITS
from bfcl_pipeline.world.web.apis import sendable
from bfcl_pipeline.world.web.http_client import HttpClient
from bfcl_pipeline.world.web.pace import HostPace
from bfcl_pipeline.world.web.proxies import Proxies
from tests.support.web_server import AUTHORITY, WebServer, http

KEYS = {
    "RAPID_API_KEY": "rapid/key+0123456789",
    "EXCHANGERATE_API_KEY": "exchange&key=0123",
    "OMDB_API_KEY": "omdbkey1",
    "GEOCODE_API_KEY": "geo%code-key-77",
}
"""Keys with characters that are escaped in addresses."""

answered = partial(http, kind="application/json")
"""A whole answer of an API."""


def know(
    server: WebServer, apis: Apis, requests: Iterable[ApiRequest], keys: Mapping[str, str] = KEYS
) -> None:
    """Scripts the answers of `apis` to these requests, with their keys."""
    for request in requests:
        sent, answer = sendable(request, keys), apis.get(request)
        prepared = Request("GET", sent.url, params=list(sent.params)).prepare()
        server.script(f"{sent.host}{prepared.path_url}", answered(answer.body, answer.status))


def client_of(server: WebServer, pace: HostPace | None = None, **limits: Any) -> HttpClient:
    """A client of web APIs for which every host is this server."""
    return HttpClient(
        replace(API_LIMITS, **limits),
        lookup=names_at(server.port),
        allow_private=True,
        proxies=Proxies(certificates=str(server.authority)),
        pace=pace,
    )


def serve_jobs(server: WebServer, monkeypatch: pytest.MonkeyPatch, keys: Mapping[str, str] = KEYS) -> None:
    """Makes jobs of this process ask this server, with these keys in the environment."""
    defaults = cast("dict[str, Any]", HttpClient.__init__.__kwdefaults__)
    for name, value in {"lookup": names_at(server.port), "allow_private": True}.items():
        monkeypatch.setitem(defaults, name, value)
    monkeypatch.setenv(AUTHORITY, str(server.authority))
    for name in PLACEHOLDERS:
        monkeypatch.setenv(name, keys.get(name, ""))


def names_at(port: int) -> Callable[..., list[tuple[Any, ...]]]:
    """A name lookup by which every name is a server on this machine."""
    return lambda *_: [(socket.AF_INET, socket.SOCK_STREAM, 0, "", ("127.0.0.1", port))]
