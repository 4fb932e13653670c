"""The hosts of the web APIs as servers on this machine, over HTTP and TLS, with scripted answers."""

from __future__ import annotations

import json
import shutil
import socket
import socketserver
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest
from requests import Request

from bfcl_pipeline.world.executables import ApiRequest, Apis
from bfcl_pipeline.world.executables.apis import HOSTS, PLACEHOLDERS
from bfcl_pipeline.world.web.api_recording import API_LIMITS
from bfcl_pipeline.world.web.apis import sendable
from bfcl_pipeline.world.web.http_client import HttpClient
from bfcl_pipeline.world.web.pace import HostPace
from bfcl_pipeline.world.web.proxies import Proxies

HAS_OPENSSL = shutil.which("openssl") is not None
"""Whether the certificate can be made."""

KEYS = {
    "RAPID_API_KEY": "rapid/key+0123456789",
    "EXCHANGERATE_API_KEY": "exchange&key=0123",
    "OMDB_API_KEY": "omdbkey1",
    "GEOCODE_API_KEY": "geo%code-key-77",
}
"""Keys with characters that are escaped in addresses."""

Scripted = bytes | Callable[[], Iterable[bytes]]

_SITE = """
import os, sys

if "generate" in sys.orig_argv:
    from bfcl_pipeline.world.web.http_client import HttpClient
    from tests.support.api_hosts import local_names

    names = local_names({plain}, {tls})
    HttpClient.__init__.__kwdefaults__.update(lookup=names, allow_private=True)
    os.environ["REQUESTS_CA_BUNDLE"] = {certificate!r}
"""


@dataclass(frozen=True, slots=True)
class Arrived:
    """A request as it arrived."""

    tls: bool
    host: str
    target: str
    headers: dict[str, str]  # names in lower case


@dataclass
class ApiHosts:
    """Servers that answer for any name: the n-th request of a place has its n-th answer, or the last."""

    certificate: Path
    plain_port: int = 0
    tls_port: int = 0
    answers: dict[str, list[Scripted]] = field(default_factory=dict)  # by host/path[?query]
    asked: list[Arrived] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)  # the test is over
    lock: threading.Lock = field(default_factory=threading.Lock)

    def script(self, place: str, *answers: Scripted) -> None:
        """Sets the answers of a place, for example ip-api.com/json, with or without a query."""
        self.answers[place] = [*answers]

    def know(self, apis: Apis, requests: Iterable[ApiRequest], keys: Mapping[str, str] = KEYS) -> None:
        """Answers these requests, with their keys, as `apis` do."""
        for request in requests:
            sent, answer = sendable(request, keys), apis.get(request)
            prepared = Request("GET", sent.url, params=list(sent.params)).prepare()
            self.script(f"{sent.host}{prepared.path_url}", self.http(answer.body, answer.status))

    def client(self, pace: HostPace | None = None, **limits: Any) -> HttpClient:
        """A client for these servers."""
        return HttpClient(
            replace(API_LIMITS, **limits),
            lookup=local_names(self.plain_port, self.tls_port),
            allow_private=True,
            proxies=Proxies(certificates=str(self.certificate)),
            pace=pace,
        )

    def site(self, folder: Path) -> None:
        """Writes a `sitecustomize` with which every `bfcl-pipeline generate` asks these servers."""
        folder.mkdir(parents=True, exist_ok=True)
        text = _SITE.format(plain=self.plain_port, tls=self.tls_port, certificate=str(self.certificate))
        (folder / "sitecustomize.py").write_text(text)

    def drip(self) -> Iterable[bytes]:
        """An answer that never ends: a byte now and then, until the test is over."""
        yield b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"
        while not self.ended.wait(0.01):
            yield b" "

    def serve_jobs(self, monkeypatch: pytest.MonkeyPatch, keys: Mapping[str, str] = KEYS) -> None:
        """Makes jobs of this process ask these servers, with these keys in the environment."""
        defaults = cast("dict[str, Any]", HttpClient.__init__.__kwdefaults__)
        names = local_names(self.plain_port, self.tls_port)
        for name, value in {"lookup": names, "allow_private": True}.items():
            monkeypatch.setitem(defaults, name, value)
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(self.certificate))
        for name in PLACEHOLDERS:
            monkeypatch.setenv(name, keys.get(name, ""))

    @staticmethod
    def http(body: Any = "", status: int = 200, **headers: str) -> bytes:
        """A whole answer; anything but bytes and text is written as JSON."""
        if not isinstance(body, bytes):
            body = (body if isinstance(body, str) else json.dumps(body)).encode()
        fields = {"Content-Type": "application/json", "Content-Length": str(len(body))}
        fields |= {
            "Connection": "close",
            **{name.replace("_", "-"): text for name, text in headers.items()},
        }
        lines = [f"HTTP/1.1 {status} X", *(f"{name}: {text}" for name, text in fields.items()), "", ""]
        return "\r\n".join(lines).encode() + body


def local_names(plain_port: int, tls_port: int) -> Callable[..., list[tuple[Any, ...]]]:
    """A name lookup by which every name is one of the two servers on this machine."""

    def lookup(_host: str, port: int, *_: int) -> list[tuple[Any, ...]]:
        address = ("127.0.0.1", tls_port if port == 443 else plain_port)
        return [(socket.AF_INET, socket.SOCK_STREAM, 0, "", address)]

    return lookup


@contextmanager
def api_hosts(folder: Path) -> Iterator[ApiHosts]:
    """The servers; their certificate is made in `folder`."""
    key, certificate = folder / "key.pem", folder / "hosts.pem"
    names = ",".join(f"DNS:{host}" for host in HOSTS)
    command = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=hosts -addext"
    leaf = ["-addext", "basicConstraints=critical,CA:FALSE"]  # else a browser's TLS refuses it
    places = [*leaf, "-keyout", str(key), "-out", str(certificate)]
    subprocess.run([*command.split(), f"subjectAltName={names}", *places], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    hosts = ApiHosts(certificate)
    with ExitStack() as stack:
        hosts.plain_port = stack.enter_context(_serving(hosts, None))
        hosts.tls_port = stack.enter_context(_serving(hosts, context))
        stack.callback(hosts.ended.set)
        yield hosts


@contextmanager
def _serving(hosts: ApiHosts, context: ssl.SSLContext | None) -> Iterator[int]:
    class Server(socketserver.ThreadingTCPServer):
        def handle_error(self, *_: Any) -> None:
            """Clients disconnect early here, as they should."""

    with Server(("127.0.0.1", 0), partial(_Connection, hosts, context)) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            hosts.ended.set()
            server.shutdown()
            thread.join()


class _Connection(socketserver.StreamRequestHandler):
    timeout = 10

    def __init__(self, hosts: ApiHosts, context: ssl.SSLContext | None, *rest: Any) -> None:
        self._hosts, self._context = hosts, context
        super().__init__(*rest)

    def setup(self) -> None:
        if self._context:
            self.request = self._context.wrap_socket(self.request, server_side=True)
        super().setup()

    def handle(self) -> None:
        target = self.rfile.readline().decode("latin-1").split()[1]
        headers = {}
        while line := self.rfile.readline().decode("latin-1").strip():
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        host, hosts = headers["host"], self._hosts
        with hosts.lock:
            hosts.asked.append(Arrived(self._context is not None, host, target, headers))
            places = (f"{host}{target}", f"{host}{target.partition('?')[0]}")
            scripted = next((hosts.answers[place] for place in places if place in hosts.answers), None)
            answer = hosts.http({"error": "not found"}, 404) if not scripted else scripted[0]
            if scripted and len(scripted) > 1:
                del scripted[0]
        for piece in [answer] if isinstance(answer, bytes) else answer():
            self.wfile.write(piece)

    def finish(self) -> None:
        with suppress(OSError):
            super().finish()
        self.request.close()
