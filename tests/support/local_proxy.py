"""An HTTP proxy on this machine that leads every host to one server, in plain and by CONNECT."""

import base64
import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field


@dataclass
class LocalProxy:
    """What arrives at the proxy, and how it answers."""

    port: int
    target: tuple[str, int]  # where all tunnels and requests lead
    login: str | None = None  # user:password that it demands
    refusal: bytes = b""  # a whole answer in the place of every tunnel and page
    asked: list[str] = field(default_factory=list)  # the first line of each request
    headers: list[list[str]] = field(default_factory=list)  # the others

    @property
    def address(self) -> str:
        """Its address, without a user."""
        return f"http://127.0.0.1:{self.port}"


def _joined(one: socket.socket, other: socket.socket) -> None:
    """Passes bytes from one to the other until its end."""
    with suppress(OSError):
        while data := one.recv(65_536):
            other.sendall(data)
    with suppress(OSError):
        other.shutdown(socket.SHUT_WR)


@contextmanager
def local_proxy(target_port: int) -> Iterator[LocalProxy]:
    """A proxy in front of a server on this machine."""

    class Connection(socketserver.StreamRequestHandler):
        timeout = 10
        rbufsize = 0

        def handle(self) -> None:
            lines = []
            while line := self.rfile.readline().decode("latin-1").strip():
                lines.append(line)
            proxy.asked.append(lines[0])
            proxy.headers.append(lines[1:])
            login = base64.b64encode((proxy.login or "").encode()).decode()
            given = [line.partition(": ")[2] for line in lines if line.lower().startswith("proxy-auth")]
            if proxy.login is not None and given != [f"Basic {login}"]:
                required = b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n"
                self.wfile.write(required + b"Connection: close\r\n\r\n")
            elif proxy.refusal:
                self.wfile.write(proxy.refusal)
            else:
                self._pass(lines)

        def _pass(self, lines: list[str]) -> None:
            with socket.create_connection(proxy.target) as server:
                if lines[0].startswith("CONNECT "):
                    self.wfile.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                else:
                    method, url, version = lines[0].split()
                    path = "/" + url.split("/", 3)[3]
                    kept = [line for line in lines[1:] if not line.lower().startswith("proxy-")]
                    sent = [f"{method} {path} {version}", *kept, "", ""]
                    server.sendall("\r\n".join(sent).encode("latin-1"))
                back = threading.Thread(target=_joined, args=(server, self.request))
                back.start()
                _joined(self.request, server)
                back.join()

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True

        def handle_error(self, *_: object) -> None:
            """Clients disconnect early."""

    with Server(("127.0.0.1", 0), Connection) as server:
        proxy = LocalProxy(server.server_address[1], ("127.0.0.1", target_port))
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield proxy
        finally:
            server.shutdown()
            thread.join()
