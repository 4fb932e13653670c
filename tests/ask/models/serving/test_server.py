"""How one server process is ended."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

from bfcl_pipeline.ask.models.serving.server import Server
from tests.support.serving_process import environment, has_ended


def test_a_server_that_ignores_term_is_killed(tmp_path: Path) -> None:
    """After the grace period it is killed, and so are the children that it left behind."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    log = tmp_path / "log"
    command = [sys.executable, "-m", "vllm.entrypoints.openai.api_server"]
    command += ["--host", "127.0.0.1", "--port", str(port)]
    with Server(command, environment("stubborn"), "127.0.0.1", port, log, grace_seconds=0.1) as server:
        while not server.is_ready():
            assert server.exit_status is None, server.tail()
        processes = [int(pid) for pid in log.read_text().split()[1:3]]
    assert server.exit_status == 128 + 9
    assert all(map(has_ended, processes))
    assert server.version() is None
