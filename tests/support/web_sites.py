"""Sites of the web on this machine, over TLS, behind a proxy that answers for every name.

A client reaches them as it reaches the real ones: by their names, through the proxy of its environment,
with certificates that it checks (of an authority made for the test).
"""

from __future__ import annotations

import socket
import socketserver
import ssl
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
"""Variables of the environment that name proxies; lower case works too."""

AUTHORITY = "REQUESTS_CA_BUNDLE"
"""The variable that names the certificate of the authority; not SSL_CERT_FILE, as primp reads that once in
each process."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A request as it arrived."""

    method: str
    host: str
    path: str
    fields: dict[str, str]  # of the form, or of the query
    tls: bool
    url: str  # whole


@dataclass
class Sites:
    """The n-th request of a place has its n-th answer, or the last one."""

    proxy: str
    authority: Path  # its certificate
    answers: dict[str, list[bytes]] = field(default_factory=dict)  # by host/path, without a query
    answering: Callable[[Visit], bytes] | None = None  # in the place of `answers`
    visits: list[Visit] = field(default_factory=list)
    hosts: set[str] = field(default_factory=set)  # that were asked for, also if no request came

    def script(self, place: str, *answers: bytes) -> None:
        """Sets the answers of a place, for example example.org/page."""
        self.answers[place] = [*answers]

    def reached_through_the_environment(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Sets the proxy and the authority for clients of this process and of those that it starts."""
        for name in PROXIES:
            monkeypatch.delenv(name, raising=False)
            monkeypatch.delenv(name.lower(), raising=False)
        monkeypatch.setenv("HTTP_PROXY", self.proxy)
        monkeypatch.setenv("HTTPS_PROXY", self.proxy)
        self.trusted(monkeypatch)

    def trusted(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Sets the authority only."""
        monkeypatch.delenv("SSL_CERT_FILE", raising=False)
        monkeypatch.setenv(AUTHORITY, str(self.authority))


def answer(
    body: str | bytes = b"", status: str = "200 OK", kind: str = "text/html; charset=utf-8", **headers: str
) -> bytes:
    """A complete response."""
    content = body.encode() if isinstance(body, str) else body
    fields = {"Content-Type": kind, "Content-Length": str(len(content)), "Connection": "close"}
    fields |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in fields.items()), "", ""]
    return "\r\n".join(lines).encode() + content


@contextmanager
def web_sites(folder: Path, names: Sequence[str]) -> Iterator[Sites]:
    """The sites with these names; certificates are made in `folder`."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority, chain = _certificates(folder, names)
    context.load_cert_chain(chain)

    class Connection(_Connection):
        tls = context

    class Server(socketserver.ThreadingTCPServer):
        def handle_error(self, *_: Any) -> None:
            """Clients disconnect early here, as they should."""

    with Server(("127.0.0.1", 0), Connection) as server:
        server.daemon_threads = True
        sites = Connection.sites = Sites(f"http://127.0.0.1:{server.server_address[1]}", authority)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield sites
        finally:
            server.shutdown()
            thread.join()


class _Connection(socketserver.StreamRequestHandler):
    timeout = 10
    tls: ssl.SSLContext
    sites: Sites

    def handle(self) -> None:
        method, target = self._request_line()
        connected = method == "CONNECT"
        self.sites.hosts.add(target.rpartition(":")[0] if connected else urlsplit(target).netloc)
        if connected:
            self._headers()
            self.wfile.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            self.request: socket.socket = self.tls.wrap_socket(self.request, server_side=True)
            self.rfile = self.request.makefile("rb")
            self.wfile: Any = self.request.makefile("wb", 0)
            host = target.rpartition(":")[0]
            method, target = self._request_line()
            target = f"https://{host}{target}"
        form = self.rfile.read(int(self._headers().get("content-length", 0))).decode("ascii")
        parts = urlsplit(target)
        fields = parse_qs(form or parts.query, keep_blank_values=True)
        first = {name: values[0] for name, values in fields.items()}
        visit = Visit(method, str(parts.hostname), parts.path, first, connected, target)
        self.sites.visits.append(visit)
        if self.sites.answering is not None:
            self.wfile.write(self.sites.answering(visit))
            return
        scripted = self.sites.answers.get(f"{parts.hostname}{parts.path}", [answer("", "404 Not Found")])
        self.wfile.write(scripted.pop(0) if len(scripted) > 1 else scripted[0])

    def _request_line(self) -> tuple[str, str]:
        method, target, _ = self.rfile.readline().decode("latin-1").split()
        return method, target

    def _headers(self) -> dict[str, str]:
        headers = {}
        while line := self.rfile.readline().decode("latin-1").strip():
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        return headers

    def finish(self) -> None:
        with suppress(OSError):
            super().finish()
        self.request.close()


def _certificates(folder: Path, names: Sequence[str]) -> tuple[Path, Path]:
    """The certificate of an authority, and key and certificate of the sites, as files."""
    keys = [ec.generate_private_key(ec.SECP256R1()) for _ in range(2)]
    about = [x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]) for name in ("authority", "sites")]
    today = datetime.now(UTC)
    made = []
    for number, (key, subject) in enumerate(zip(keys, about, strict=True)):
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(about[0])
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(today - timedelta(days=1))
            .not_valid_after(today + timedelta(days=2))
            .add_extension(x509.BasicConstraints(ca=number == 0, path_length=None), critical=True)
            .add_extension(x509.SubjectAlternativeName([x509.DNSName(name) for name in names]), False)
        )
        made.append(builder.sign(keys[0], hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
    authority, chain = folder / "authority.pem", folder / "sites.pem"
    authority.write_bytes(made[0])
    written = keys[1].private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    chain.write_bytes(written + made[1])
    return authority, chain
