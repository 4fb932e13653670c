"""A search engine on this machine with scripted answers, byte for byte."""

import os
import socket
import socketserver
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit


@dataclass
class Asked:
    """A request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]  # names in lower case
    fields: dict[str, str]  # of the form, or of the query


@dataclass
class ScriptedEngine:
    """Answers the n-th request with the n-th of `answers`, the last one ever after."""

    RESET = b"RESET"  # in the place of an answer: the connection is reset
    SILENCE = b"SILENCE"  # no answer, until the client disconnects

    url: str
    answers: list[bytes] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    beside: Callable[[Asked], bytes | None] = lambda _asked: None  # answers that are not in the script

    def script(self, *answers: bytes) -> str:
        """Sets the next answers. Returns the URL of the server."""
        self.answers[:] = answers
        return self.url

    @staticmethod
    def http(body: bytes | str, status: str = "200 OK", length: int | None = None, **headers: str) -> bytes:
        """An answer. length: what Content-Length claims, if not the truth."""
        content = body.encode() if isinstance(body, str) else body
        lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(content) if length is None else length}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        return "\r\n".join([*lines, "Connection: close", "", ""]).encode() + content


@contextmanager
def scripted_engine_server() -> Iterator[ScriptedEngine]:
    """A running server."""

    class Connection(socketserver.StreamRequestHandler):
        timeout = 10

        def handle(self) -> None:
            method, target, _ = self.rfile.readline().decode("latin-1").split()
            headers = {}
            while line := self.rfile.readline().decode("latin-1").strip():
                name, _, value = line.partition(":")
                headers[name.lower()] = value.strip()
            form = self.rfile.read(int(headers.get("content-length", 0))).decode("ascii")
            parts = urlsplit(target)
            fields = parse_qs(form or parts.query, keep_blank_values=True)
            asked = Asked(method, parts.path, headers, {name: values[0] for name, values in fields.items()})
            answer = scripted.beside(asked)
            if answer is None:
                scripted.asked.append(asked)
                answer = scripted.answers[min(len(scripted.asked), len(scripted.answers)) - 1]
            if answer == scripted.RESET:
                self.request.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                os.close(self.request.detach())
            elif answer == scripted.SILENCE:
                with suppress(OSError):
                    self.rfile.read(1)
            else:
                self.wfile.write(answer)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Connection) as server:
        server.daemon_threads = True
        scripted = ScriptedEngine(f"http://127.0.0.1:{server.server_address[1]}/html/")
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield scripted
        finally:
            server.shutdown()
            thread.join()
