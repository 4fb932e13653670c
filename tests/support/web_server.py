"""One server for tests of the web: scripted answers, byte for byte, for any name, in plain and over TLS.

It is reached at its port, in plain or by TLS, or as a proxy: by requests of whole addresses and by CONNECT,
behind which it answers itself. Clients check the certificates, which are of an authority made for the test.
"""

from __future__ import annotations

import base64
import json
import os
import socket
import socketserver
import ssl
import struct
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import parse_qs, urlsplit

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

from tests.support.certificates import DAY, Holder, builder, named, root

Answer: TypeAlias = bytes | Callable[[], Iterable[bytes]]
"""The bytes of an answer, or a function of its pieces, which are sent one by one."""

RESET = b"\0RESET"
"""At the end of an answer: the connection is reset."""

SILENCE = b"\0SILENCE"
"""In the place of an answer: none, until the client disconnects."""

PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
"""Variables of the environment that name proxies; lower case works too."""

AUTHORITY = "REQUESTS_CA_BUNDLE"
"""The variable that names the certificate of the authority; not SSL_CERT_FILE, as primp reads that once in
each process."""


def http(
    body: Any = "", status: str | int = 200, kind: str = "text/html", length: int | None = None, **more: str
) -> bytes:
    """A whole answer; anything but bytes and text is written as JSON.

    length: what Content-Length claims, if not the truth. more: headers (_ for a hyphen), which replace the
    usual ones; "": none.
    """
    if not isinstance(body, bytes):
        body = (body if isinstance(body, str) else json.dumps(body)).encode()
    claimed = len(body) if length is None else length
    headers = {"Content-Type": kind, "Content-Length": str(claimed), "Connection": "close"}
    headers |= {name.replace("_", "-"): value for name, value in more.items()}
    start = f"HTTP/1.1 {status}" if " " in str(status) else f"HTTP/1.1 {status} X"
    lines = [start, *(f"{name}: {value}" for name, value in headers.items() if value), "", ""]
    return "\r\n".join(lines).encode() + body


def moved(target: str, **headers: str) -> bytes:
    """A redirect."""
    return http("", "302 Found", Location=target, **headers)


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as it arrived."""

    lines: list[str]  # the request line, and the headers
    body: bytes
    tls: bool

    @property
    def method(self) -> str:
        return self.lines[0].split()[0]

    @property
    def headers(self) -> dict[str, str]:
        """The headers, with names in lower case."""
        named = (line.partition(":") for line in self.lines[1:])
        return {name.lower(): value.strip() for name, _, value in named}

    @property
    def host(self) -> str:
        return self.headers.get("host", "")

    @property
    def target(self) -> str:
        """Path and query."""
        parts = urlsplit(self.lines[0].split()[1])
        return parts._replace(scheme="", netloc="").geturl() or "/"

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]

    @property
    def url(self) -> str:
        return f"http{'s' if self.tls else ''}://{self.host}{self.target}"

    @property
    def fields(self) -> dict[str, str]:
        """The fields of the form, or of the query."""
        text = self.body.decode("ascii") or self.target.partition("?")[2]
        return {name: values[0] for name, values in parse_qs(text, keep_blank_values=True).items()}


@dataclass
class WebServer:
    """The n-th request of a place has its n-th answer, or the last one.

    A place is host/path or /path, with a query or without; the empty one is any other.
    """

    authority: Path = Path()  # its certificate, in a file
    port: int = 0
    answers: dict[str, list[Answer]] = field(default_factory=dict)  # by place
    answering: Callable[[Asked], Answer | None] = lambda _asked: None  # before `answers`
    asked: list[Asked] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)  # the first of each request, CONNECT included
    login: str | None = None  # user:password that it demands as a proxy
    refusal: bytes = b""  # the answer of the proxy to every request, CONNECT included
    context: ssl.SSLContext = field(default_factory=lambda: ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER))
    ended: threading.Event = field(default_factory=threading.Event)  # the test is over
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def address(self) -> str:
        """Its own address, as a site and as a proxy."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def hosts(self) -> set[str]:
        """The hosts that were asked for through the proxy, also if no request came."""
        words = [line.split() for line in self.lines]
        return {
            target.rpartition(":")[0] if method == "CONNECT" else urlsplit(target).netloc
            for method, target, *_ in words
        }

    def script(self, place: str, *answers: Answer) -> str:
        """Sets the answers of a place. Returns the address of a path."""
        self.answers[place] = [*answers]
        return f"{self.address}{place}"

    def drip(self, start: bytes, piece: bytes = b"x") -> Callable[[], Iterable[bytes]]:
        """An answer that never ends: `start`, and then a byte now and then until the test is over."""

        def pieces() -> Iterable[bytes]:
            yield start
            while not self.ended.wait(0.01):
                yield piece

        return pieces

    def forget(self) -> None:
        """Removes all answers and requests."""
        self.answers.clear()
        self.asked.clear()
        self.lines.clear()

    def reached_through_the_environment(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Sets the proxy and the authority for clients of this process and of those that it starts."""
        for name in PROXIES:
            monkeypatch.delenv(name, raising=False)
            monkeypatch.delenv(name.lower(), raising=False)
        monkeypatch.setenv("HTTP_PROXY", self.address)
        monkeypatch.setenv("HTTPS_PROXY", self.address)
        self.trusted(monkeypatch)

    def trusted(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Sets the authority only."""
        monkeypatch.delenv("SSL_CERT_FILE", raising=False)
        monkeypatch.setenv(AUTHORITY, str(self.authority))

    def answer_to(self, asked: Asked) -> Answer:
        """Notes a request, and returns its answer."""
        with self.lock:
            self.asked.append(asked)
        if (answer := self.answering(asked)) is not None:
            return answer
        places = (f"{asked.host}{asked.target}", f"{asked.host}{asked.path}", asked.target, asked.path, "")
        with self.lock:
            scripted = next((self.answers[place] for place in places if self.answers.get(place)), None)
            if scripted is None:
                return http("nothing here", "404 Not Found")
            return scripted.pop(0) if len(scripted) > 1 else scripted[0]


@contextmanager
def web_server(folder: Path | None = None, names: Sequence[str] = ()) -> Iterator[WebServer]:
    """A running server; with a folder, over TLS too, by a certificate for these names, made there."""
    server = WebServer()
    if folder is not None:
        server.authority, chain = _certificates(folder, names)
        server.context.load_cert_chain(chain)
    with _Listening(("127.0.0.1", 0), partial(_Connection, server)) as listening:
        server.port = listening.server_address[1]
        thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.ended.set()
            listening.shutdown()
            thread.join()


class _Listening(socketserver.ThreadingTCPServer):
    daemon_threads = True
    request_queue_size = 512

    def handle_error(self, *_: Any) -> None:
        """Clients disconnect early here, as they should."""


class _Connection(socketserver.StreamRequestHandler):
    timeout = 10
    request: socket.socket

    def __init__(self, server: WebServer, *rest: Any) -> None:
        self._web = server
        super().__init__(*rest)

    def handle(self) -> None:
        tls = self.request.recv(1, socket.MSG_PEEK) == b"\x16"
        if tls:
            self._secure()
        if not (lines := self._head()):
            return
        self._web.lines.append(lines[0])
        if not self._may_pass(lines):
            self.wfile.write(http("", "407 Proxy Authentication Required"))
            return
        if self._web.refusal:
            self.wfile.write(self._web.refusal)
            return
        if lines[0].startswith("CONNECT "):
            tls = True
            self.wfile.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            self._secure()
            lines = self._head()
        asked = Asked(lines, b"", tls)
        body = self.rfile.read(int(asked.headers.get("content-length", 0)))
        answer = self._web.answer_to(Asked(lines, body, tls))
        for piece in [answer] if isinstance(answer, bytes) else answer():
            self._send(piece)

    def _secure(self) -> None:
        self.request = self._web.context.wrap_socket(self.request, server_side=True)
        self.rfile = self.request.makefile("rb")
        self.wfile: Any = self.request.makefile("wb", 0)

    def _head(self) -> list[str]:
        lines = []
        while line := self.rfile.readline().decode("latin-1").strip():
            lines.append(line)
        return lines

    def _may_pass(self, lines: list[str]) -> bool:
        if self._web.login is None:
            return True
        login = base64.b64encode(self._web.login.encode()).decode()
        return f"Basic {login}" in [line.partition(": ")[2] for line in lines]

    def _send(self, piece: bytes) -> None:
        if piece == SILENCE:
            with suppress(OSError):
                self.rfile.read(1)
            return
        self.wfile.write(piece.removesuffix(RESET))
        if piece.endswith(RESET):
            self.request.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            os.close(self.request.detach())

    def finish(self) -> None:
        with suppress(OSError):
            super().finish()
        self.request.close()


def _certificates(folder: Path, names: Sequence[str]) -> tuple[Path, Path]:
    """The certificate of an authority, and key and certificate of the sites, as files."""
    authority, key, now = root("authority"), ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    subject, issuer = named("sites"), authority.certificate.subject
    made = builder(subject, issuer, key.public_key(), now - DAY, now + 2 * DAY).add_extension(
        x509.SubjectAlternativeName([x509.DNSName(name) for name in names]), critical=False
    )
    sites = Holder(made.sign(authority.key, hashes.SHA256()), key)
    trusted, chain = folder / "authority.pem", folder / "sites.pem"
    trusted.write_bytes(authority.pem)
    chain.write_bytes(sites.key_pem + sites.pem)
    return trusted, chain
