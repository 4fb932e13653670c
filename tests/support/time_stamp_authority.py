"""A time stamp authority of a sigstore instance (`openssl ts`), and a local server of any answers."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from cryptography.x509.oid import ExtendedKeyUsageOID

from tests.support.certificates import Holder, root, signed_by

HAS_OPENSSL = shutil.which("openssl") is not None

_CONFIG = """
[authority]
serial = {folder}/serial
digests = sha256
default_policy = 1.2.3.4
signer_digest = sha256
ess_cert_id_alg = sha256
"""


@dataclass
class Authority:
    """Makes time stamps with `openssl ts`."""

    folder: Path
    root: Holder = field(default_factory=lambda: root("Root of time"))
    name: str = "Clock of the tests"

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        own = signed_by(self.root, self.name, [ExtendedKeyUsageOID.TIME_STAMPING])
        (self.folder / "own.pem").write_bytes(own.pem)
        (self.folder / "key.pem").write_bytes(own.key_pem)
        (self.folder / "serial").write_text("01\n")
        (self.folder / "ts.cnf").write_text(_CONFIG.format(folder=self.folder))
        self.own = own

    def answer(self, query: bytes) -> bytes:
        """The answer to a request."""
        with tempfile.NamedTemporaryFile(dir=self.folder) as asked:
            asked.write(query)
            asked.flush()
            arguments = ["-config", self.folder / "ts.cnf", "-section", "authority"]
            arguments += ["-signer", self.folder / "own.pem", "-inkey", self.folder / "key.pem"]
            command = ["openssl", "ts", "-reply", *arguments, "-queryfile", asked.name]
            return subprocess.run(command, check=True, capture_output=True).stdout


@dataclass
class Service:
    """An HTTP server; `reply` has the handler of a request, and may be replaced."""

    reply: Callable[[BaseHTTPRequestHandler, bytes], None]
    url: str = ""
    asked: list[bytes] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)


def send(handler: BaseHTTPRequestHandler, body: bytes, status: int = 200, **headers: str) -> None:
    """Answers a request."""
    handler.send_response(status)
    for name, value in {"Content-Type": "application/timestamp-reply", **headers}.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


@contextmanager
def serving(reply: Callable[[BaseHTTPRequestHandler, bytes], None]) -> Iterator[Service]:
    """A server on loopback that answers each request with `reply`, until the block ends."""
    service = Service(reply)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            service.asked.append(body)
            service.reply(self, body)

        def do_GET(self) -> None:
            service.reply(self, b"")

        def log_message(self, format: str, *args: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        service.url = f"http://127.0.0.1:{server.server_port}/"
        try:
            yield service
        finally:
            service.over.set()
            server.shutdown()
