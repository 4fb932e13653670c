"""How tests and benchmarks start the scripted chat server, control it and read its counts."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import Any

from tests.support import ROOT

COMMAND = (sys.executable, "-m", "tests.support.chat_server")
LONGEST_SECONDS = 120.0
"""Timeout of control requests to the server, far above the time that they take."""


@dataclass(frozen=True, slots=True)
class LocalChat:
    """A running server."""

    port: int
    pid: int

    @property
    def endpoint(self) -> str:
        """The base URL, for a model's row or OPENAI_BASE_URL."""
        return f"http://127.0.0.1:{self.port}/v1"

    def behave(self, **behaviour: float | str) -> None:
        """Sets how requests are answered from now on (`chat_server.Behaviour`), and forgets all counts."""
        self._ask("POST", "/behave", json.dumps(behaviour))

    def counts(self) -> Mapping[str, Any]:
        """The requests since `behave`: the fields of `chat_server.Counts`."""
        counts: Mapping[str, Any] = self._ask("GET", "/counts")
        return counts

    def wait_for(self, requests: int, later: float = 0.0) -> None:
        """Returns `later` seconds after the server received this many requests since `behave`."""
        self._ask("GET", f"/seen?requests={requests}&later={later}")

    def release(self) -> None:
        """Makes the server send all answers that it holds back (`chat_server.Behaviour`), and hold back no
        more."""
        self._ask("GET", "/release")

    def wait_for_quiet(self) -> None:
        """Returns when no client is connected: all requests of a killed client have been counted."""
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
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            yield LocalChat(int(process.stdout.readline()), process.pid)
        finally:
            process.kill()
