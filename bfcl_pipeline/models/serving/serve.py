"""Serving one model from the first moment to the last: a port, a server, its address, its end.

Covers what happens when a port is taken, when a server dies or takes too long, and when it is no longer
wanted. One process of vLLM is `server`; what the file of the address means is `address`.
"""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from bfcl_pipeline.config import ModelRow
from bfcl_pipeline.errors import ModelError, PipelineError
from bfcl_pipeline.models.serving.address import POLL_SECONDS, Address, State, write_address
from bfcl_pipeline.models.serving.program import find_program, server_command, server_environment
from bfcl_pipeline.models.serving.server import Server

HOST = "127.0.0.1"
"""Those who ask run on the same machine, and nobody else shall ask."""

START_SECONDS = 1800.0
"""A large model is read from a slow disk, and compiled, for many minutes."""

PORTS_TRIED = 5
"""Between its choice and its use, a free port may be taken by others: so often another one is chosen."""

_TAKEN = "address already in use"


@dataclass(frozen=True, slots=True)
class Terms:
    """How a server is started, besides what the row of its model says."""

    address: Path  # the file that says how far it is
    log: Path | None = None  # the file for what it says; None: standard error
    host: str = HOST  # the address to which it is bound
    port: int | None = None  # None: a free one
    python: str | None = None  # the Python that has vLLM; None: it is looked for
    start_seconds: float = START_SECONDS  # after which a server that is not ready has failed
    with_parent: bool = False  # end when the process that started this one does


@contextmanager
def announced(name: str, terms: Terms) -> Iterator[Address]:
    """The address of the server of the model called `name`, written from here on.

    It says that the server is starting, is left with the reason on an error, and is removed at the end.
    """
    address = Address(
        State.STARTING,
        model=name,
        pid=os.getpid(),
        machine=socket.gethostname(),
        start_seconds=terms.start_seconds,
        log=str(terms.log) if terms.log else None,
    )
    write_address(terms.address, address)
    try:
        yield address
    except PipelineError as error:
        write_address(terms.address, replace(address, state=State.FAILED, reason=str(error)))
        raise
    terms.address.unlink(missing_ok=True)


def serve(row: ModelRow, terms: Terms, address: Address, tell: Callable[[str], None]) -> None:
    """Serves `row` until this process is told to end (TERM, INT); then all that was started is gone.

    When the model can be asked, `address` is written anew, with where. Raises ConfigError or ModelError if
    it cannot be served, or its server dies.
    """
    with _end(terms.with_parent, tell) as is_ending:
        for left in reversed(range(PORTS_TRIED)):
            if not _served(row, terms, address, is_ending, tell, again=left > 0):
                return


def _served(
    row: ModelRow,
    terms: Terms,
    address: Address,
    is_ending: Callable[[float], bool],
    tell: Callable[[str], None],
    *,
    again: bool,
) -> bool:
    """Serves on one port to the end. Returns whether to try another port, which only `again` allows."""
    port = _port(terms)
    command = server_command(row, find_program(terms.python), terms.host, port)
    tell(f"starting {' '.join(command)}")
    started = time.monotonic()
    reached = HOST if terms.host == "0.0.0.0" else terms.host  # noqa: S104  # compared, not bound
    with Server(command, server_environment(row, os.environ), reached, port, terms.log) as server:
        while not server.is_ready():
            seconds = time.monotonic() - started
            if is_ending(POLL_SECONDS):
                return False
            if server.exit_status is not None:
                if again and terms.port is None and _TAKEN in server.tail().lower():
                    tell(f"port {port} was taken meanwhile; trying another")
                    return True
                raise ModelError(
                    _failed(f"ended after {seconds:.0f} s, before it was ready", server, terms)
                )
            if seconds > terms.start_seconds:
                raise ModelError(_failed(f"is not ready after {terms.start_seconds:g} s", server, terms))
        ready = replace(
            address,
            state=State.READY,
            command=command,
            endpoint=f"http://{_name(terms.host)}:{port}/v1",
            vllm=server.version(),
        )
        write_address(terms.address, ready)
        tell(f"ready at {ready.endpoint} after {time.monotonic() - started:.0f} s (vLLM {ready.vllm})")
        while not is_ending(POLL_SECONDS):
            if server.exit_status is not None:
                raise ModelError(_failed("ended while it was in use", server, terms))
    tell("ended")
    return False


def _port(terms: Terms) -> int:
    """The port that was asked for, or a free one. Raises ModelError if it is taken."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((terms.host, terms.port or 0))
        except OSError as error:
            raise ModelError(
                f"cannot serve at {terms.host}:{terms.port or 0} ({error.strerror}). "
                "Give another --port, or none for a free one."
            ) from error
        port: int = probe.getsockname()[1]
    return port


def _name(host: str) -> str:
    """How others call this machine."""
    return socket.gethostname() if host == "0.0.0.0" else host  # noqa: S104  # compared, not bound


def _failed(what: str, server: Server, terms: Terms) -> str:
    status = "" if server.exit_status is None else f" (exit status {server.exit_status})"
    tail = server.tail()
    if not tail:
        return f"vLLM {what}{status}."
    return f"vLLM {what}{status}. The end of its log, {terms.log}:\n{tail}"


@contextmanager
def _end(with_parent: bool, tell: Callable[[str], None]) -> Iterator[Callable[[float], bool]]:
    """A function that waits so many seconds, less if the end is wanted, and returns whether it is."""
    parent = os.getppid()
    wanted = threading.Event()
    replaced = {}
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        # What is ignored was meant to be, by nohup for one.
        if signal.getsignal(number) is not signal.SIG_IGN:
            replaced[number] = signal.signal(number, lambda _number, _frame: wanted.set())

    def is_ending(seconds: float) -> bool:
        if with_parent and os.getppid() != parent:
            tell("the process that started this one has ended")
            wanted.set()
        return wanted.wait(seconds)

    try:
        yield is_ending
    finally:
        for number, handler in replaced.items():
            signal.signal(number, handler)
