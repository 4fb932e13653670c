"""A proxy on this machine that is the whole web: it answers for every host, over HTTP and TLS.

Clients are sent to it by HTTP_PROXY and HTTPS_PROXY and trust its certificate through REQUESTS_CA_BUNDLE,
as on a machine behind a company's proxy. No request leaves the machine.
"""

from __future__ import annotations

import shutil
import socketserver
import ssl
import subprocess
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

HAS_OPENSSL = shutil.which("openssl") is not None
"""Whether the certificate can be made."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A request as it arrived."""

    method: str
    url: str  # whole
    fields: dict[str, str]  # of the query and of the form
    headers: dict[str, str]  # names in lower case

    @property
    def host(self) -> str:
        """The host that was asked."""
        return urlsplit(self.url).hostname or ""


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer to a visit."""

    body: bytes
    status: str = "200 OK"
    kind: str = "text/html; charset=utf-8"

    def http(self) -> bytes:
        """The bytes of the response."""
        fields = {"Content-Type": self.kind, "Content-Length": len(self.body), "Connection": "close"}
        lines = [f"HTTP/1.1 {self.status}", *(f"{name}: {value}" for name, value in fields.items()), "", ""]
        return "\r\n".join(lines).encode("latin-1") + self.body


@dataclass
class SiteProxy:
    """The proxy, and what arrived there."""

    authority: Path  # the certificate that clients must trust
    answer: Callable[[Visit], Reply | bytes]  # bytes: the whole response as sent
    port: int = 0
    visits: list[Visit] = field(default_factory=list)
    hosts: set[str] = field(default_factory=set)  # that were asked for, also without a request

    @property
    def address(self) -> str:
        """Its address, as clients are given it."""
        return f"http://127.0.0.1:{self.port}"

    def environment(self) -> dict[str, str]:
        """The variables with which programs use the proxy."""
        trusted, names = str(self.authority), ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy")
        proxies = dict.fromkeys(names, self.address)
        trusts = dict.fromkeys(("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"), trusted)
        return {**proxies, **trusts, "NO_PROXY": "", "no_proxy": ""}


@contextmanager
def site_proxy(
    folder: Path, hosts: Collection[str], answer: Callable[[Visit], Reply | bytes]
) -> Iterator[SiteProxy]:
    """The proxy. hosts: the names in its certificate, which is made in `folder`; others are HTTP only."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*_certificate(folder, hosts))
    proxy = SiteProxy(folder / "authority.pem", answer)

    class Connection(socketserver.StreamRequestHandler):
        timeout = 20

        def handle(self) -> None:
            method, target, headers = _head(self.rfile)
            connect = method == "CONNECT"
            proxy.hosts.add(target.rpartition(":")[0] if connect else urlsplit(target).netloc)
            if not connect:
                return self._answer(self.rfile, self.wfile, method, target, headers)
            self.wfile.write(b"HTTP/1.1 200 Connected\r\n\r\n")
            with suppress(OSError), context.wrap_socket(self.request, server_side=True) as secure:
                secure.settimeout(self.timeout)
                with secure.makefile("rb") as received, secure.makefile("wb") as sent:
                    method, path, headers = _head(received)
                    host = target.removesuffix(":443")
                    self._answer(received, sent, method, f"https://{host}{path}", headers)
            return None

        def _answer(self, received: Any, sent: Any, method: str, url: str, headers: dict[str, str]) -> None:
            form = received.read(int(headers.get("content-length", "0"))).decode("ascii", "replace")
            fields = dict(parse_qsl(urlsplit(url).query, True) + parse_qsl(form, True))
            visit = Visit(method, url, fields, headers)
            proxy.visits.append(visit)
            answer = proxy.answer(visit)
            sent.write(answer if isinstance(answer, bytes) else answer.http())
            sent.flush()

    class Server(socketserver.ThreadingTCPServer):
        request_queue_size = 256

        def handle_error(self, *_: Any) -> None:
            """Clients disconnect early here, as they should."""

    with Server(("127.0.0.1", 0), Connection) as server:
        server.daemon_threads = True
        proxy.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield proxy
        finally:
            server.shutdown()
            thread.join()


def _head(received: Any) -> tuple[str, str, dict[str, str]]:
    """The method, the target and the headers of the next request."""
    method, target, _ = received.readline().decode("latin-1").split()
    headers = {}
    while line := received.readline().decode("latin-1").strip():
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    return method, target, headers


def _certificate(folder: Path, hosts: Collection[str]) -> tuple[Path, Path]:
    """A certificate for `hosts` and its key, signed by an authority of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    key, authority_key, authority = folder / "key.pem", folder / "authority.key", folder / "authority.pem"
    certificate = folder / "hosts.pem"
    new = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
    new += ["-nodes", "-days", "2"]
    names = ",".join(f"DNS:{host}" for host in hosts)
    made = ["-keyout", str(authority_key), "-out", str(authority), "-subj", "/CN=a test's authority"]
    _run(*new, *made, "-addext", "keyUsage=critical,keyCertSign,digitalSignature")
    signed = ["-CA", str(authority), "-CAkey", str(authority_key), "-subj", "/CN=sites of a test"]
    extensions = [f"subjectAltName={names}", "basicConstraints=critical,CA:FALSE"]
    extensions += ["extendedKeyUsage=serverAuth"]
    added = [part for extension in extensions for part in ("-addext", extension)]
    _run(*new, *signed, *added, "-keyout", str(key), "-out", str(certificate))
    return certificate, key


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)
