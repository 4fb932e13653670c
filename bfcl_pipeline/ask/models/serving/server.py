"""One vLLM server as a process: it is started, queried, and ended with all its children."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from types import TracebackType

from bfcl_pipeline.runs.provenance.http_get import http_get

GRACE_SECONDS = 20.0
"""Time between TERM and KILL."""

_KEEPER = "bfcl_pipeline.ask.models.serving.keeper"
_TAIL_LINES = 25
_TAIL_BYTES = 64_000
_ANSWER_SECONDS = 5.0
_MOST_ANSWER_BYTES = 2**20


class Server:
    """A server that runs until `close` is called or this process ends."""

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        host: str,
        port: int,
        log: Path | None = None,
        grace_seconds: float = GRACE_SECONDS,
    ) -> None:
        """Starts the server.

        Args:
            command: of the server.
            environment: its environment variables.
            host: at which it can be reached from this machine.
            port: its port.
            log: the file to which its output is appended; None: standard error.
            grace_seconds: time between TERM and KILL when it is ended.
        """
        self._host = host
        self._port = port
        self._log = log
        self._log_start = 0
        output: int | None = None
        if log is not None:
            log.parent.mkdir(parents=True, exist_ok=True)
            output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
            self._log_start = os.fstat(output).st_size
        try:
            self._keeper = subprocess.Popen(
                [sys.executable, "-m", _KEEPER, str(grace_seconds), *command],
                stdin=subprocess.PIPE,
                stdout=sys.stderr.fileno() if output is None else output,
                stderr=subprocess.STDOUT,
                env=dict(environment),
                start_new_session=True,  # so that Ctrl-C reaches this process only
            )
        finally:
            if output is not None:
                os.close(output)

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def exit_status(self) -> int | None:
        """Of the server; None while it runs."""
        return self._keeper.poll()

    def is_ready(self) -> bool:
        """Whether the server answers that it takes requests."""
        return self._get("/health") is not None

    def version(self) -> str | None:
        """The version of vLLM that the server reports; None if it reports none."""
        answer = self._get("/version")
        try:
            return str(json.loads(answer or b"")["version"])
        except (ValueError, KeyError, TypeError):
            return None

    def tail(self) -> str:
        """The last lines of the server's output in its log; empty without a log."""
        if self._log is None:
            return ""
        with self._log.open("rb") as log:
            size = log.seek(0, os.SEEK_END)
            log.seek(max(self._log_start, size - _TAIL_BYTES))
            lines = log.read().decode(errors="replace").splitlines()
        return "\n".join(lines[-_TAIL_LINES:])

    def close(self) -> None:
        """Ends the server and all its children, and waits until they have ended."""
        if self._keeper.stdin is not None:
            self._keeper.stdin.close()
        self._keeper.wait()

    def _get(self, path: str) -> bytes | None:
        """The content of an answer of status 200, else None. No proxy is used."""
        with suppress(OSError, HTTPException, ValueError):
            return http_get(f"http://{self._host}:{self._port}{path}", _ANSWER_SECONDS, _MOST_ANSWER_BYTES)
        return None
