"""The environment without a network does what tests take for granted."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support.offline import offline, without_native, without_network


def said(env: dict[str, str], code: str, *before: str) -> str:
    """The output of a process with that environment. before: the command that runs it."""
    command = [*before, sys.executable, "-c", code]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, check=False)
    return done.stdout + done.stderr


@pytest.mark.parametrize(
    "code",
    [
        "import socket; socket.create_connection(('127.0.0.1', 9))",
        "import socket; socket.getaddrinfo('example.org', 80)",
        "import socket; socket.gethostbyname('localhost')",
        "import socket; socket.gethostbyaddr('127.0.0.1')",
        "import socket; socket.create_server(('127.0.0.1', 0))",
        "import _socket; _socket.socket().connect(('127.0.0.1', 9))",
        "import socket; socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', 9))",
        "import subprocess, sys; subprocess.run([sys.executable, '-c', "
        "'import socket; socket.create_connection((\"127.0.0.1\", 9))'])",
    ],
)
def test_the_network_is_refused(code: str, tmp_path: Path) -> None:
    """Connections and name lookups are stopped, also in a process of the process."""
    assert "there is no network" in said(offline(tmp_path), code)


def test_named_packages_cannot_be_imported(tmp_path: Path) -> None:
    """Those that are not named can."""
    env = offline(tmp_path, blocked=["yaml"], unset=["HOME"])
    assert "yaml is blocked" in said(env, "import yaml")
    assert said(env, "import json, os; print('HOME' in os.environ)") == "False\n"


PRIMP = "import primp; primp.Client(timeout=5).get('http://127.0.0.1:%d/')"
FETCH = (
    "from bfcl_pipeline.world.web.fetcher import Fetcher; "
    "print(Fetcher(allow_private=True).fetch('http://127.0.0.1:%d/'))"
)


@pytest.fixture
def listening() -> Iterator[tuple[int, list[bytes]]]:
    """A server that answers each connection, and what it was sent."""
    received: list[bytes] = []

    def serve() -> None:
        with suppress(OSError):
            while True:
                connection, _ = server.accept()
                with connection:
                    received.append(connection.recv(65_536))
                    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield server.getsockname()[1], received
        server.shutdown(socket.SHUT_RDWR)
        thread.join()


@pytest.mark.parametrize("code", [PRIMP, FETCH])
def test_a_live_request_fails_without_a_network(
    code: str, listening: tuple[int, list[bytes]], tmp_path: Path
) -> None:
    """A search engine's client and a page fetch reach the server with a network and not without one."""
    port, received = listening
    assert "Error" not in said({**os.environ}, code % port)
    assert len(received) == 1
    env = offline(tmp_path)
    without_native(tmp_path, "primp")
    assert "there is no network" in said(env, code % port)
    assert len(received) == 1


@pytest.mark.parametrize("code", [PRIMP, FETCH])
def test_native_code_has_no_network_either(
    code: str, listening: tuple[int, list[bytes]], tmp_path: Path
) -> None:
    """The kernel refuses the same requests of an unchanged process."""
    before = without_network()
    if not before:
        pytest.skip("this machine does not permit a network namespace")
    port, received = listening
    assert re.search("ConnectError|Network is unreachable", said({**os.environ}, code % port, *before))
    assert received == []
