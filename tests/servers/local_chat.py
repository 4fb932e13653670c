"""How tests and benchmarks start the scripted chat server, and what they ask it besides completions."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

COMMAND = (sys.executable, str(Path(__file__).with_name("chat_server.py")))
LONGEST_SECONDS = 120.0
"""After which a question to the server itself fails: it never takes so long."""


@dataclass(frozen=True, slots=True)
class LocalChat:
    """A running server."""

    port: int
    pid: int

    @property
    def endpoint(self) -> str:
        """What a model's row, or OPENAI_BASE_URL, names."""
        return f"http://127.0.0.1:{self.port}/v1"

    def behave(self, **behaviour: float | str) -> None:
        """Sets how requests are answered from now on (`chat_server.Behaviour`), and forgets all counts."""
        self._ask("POST", "/behave", json.dumps(behaviour))

    def counts(self) -> Mapping[str, Any]:
        """What was asked since `behave`: the fields of `chat_server.Counts`."""
        counts: Mapping[str, Any] = self._ask("GET", "/counts")
        return counts

    def wait_for(self, requests: int, later: float = 0.0) -> None:
        """Returns when so many requests have come since `behave`, and `later` seconds have passed."""
        self._ask("GET", f"/seen?requests={requests}&later={later}")

    def release(self) -> None:
        """Has all answers sent that were held (`chat_server.Behaviour`), and holds no more."""
        self._ask("GET", "/release")

    def wait_for_quiet(self) -> None:
        """Returns when no client is connected: all that a killed one had sent has been counted."""
        self._ask("GET", "/quiet")

    def _ask(self, method: str, target: str, body: str | None = None) -> Any:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=LONGEST_SECONDS)
        try:
            connection.request(method, target, body)
            return json.loads(connection.getresponse().read())
        finally:
            connection.close()


@contextmanager
def local_chat(latency: float = 0.0) -> Iterator[LocalChat]:
    """A server that answers after `latency` seconds, until the block is left."""
    command = [*COMMAND, "--latency", str(latency)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield LocalChat(int(process.stdout.readline()), process.pid)
        finally:
            process.kill()
