"""Serving one model: chooses a port, runs the server, writes its address and ends it.

Covers a port that another process takes, a server that dies or does not become ready, and the signals
that end it. One process of vLLM is in `server`, the address file in `address`.
"""

import os
import shlex
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from bfcl_pipeline.ask.models.serving.address import POLL_SECONDS, Address, State, write_address
from bfcl_pipeline.ask.models.serving.program import find_program, server_command, server_environment
from bfcl_pipeline.ask.models.serving.server import Server
from bfcl_pipeline.base.errors import ConfigError, ModelError, PipelineError
from bfcl_pipeline.base.process import this_process
from bfcl_pipeline.base.text import Log
from bfcl_pipeline.benchmark.config import ModelRow
from bfcl_pipeline.runs.provenance.machine import gpus, started_server
from bfcl_pipeline.runs.provenance.software import packages_of, python_of

HOST = "127.0.0.1"
"""The job that uses the server runs on the same machine, and no other machine shall reach it."""

START_SECONDS = 1800.0
"""A large model is read from disk and compiled for many minutes."""

PORTS_TRIED = 5
"""Attempts to find a free port: another process may take one between its choice and its use."""

_TAKEN = "address already in use"

_PATH_BEGINNINGS = ("/", "./", "../")
"""Of a model that can only be on a disk. Others may be names on the hub, or addresses that vLLM loads."""


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """Options of a server besides those in the row of its model."""

    address: Path  # the address file
    log: Path | None = None  # file for the server's output; None: standard error
    host: str = HOST  # address to bind
    port: int | None = None  # None: a free one
    python: str | None = None  # the Python that has vLLM; None: `find_program` searches
    start_seconds: float = START_SECONDS  # a server that is not ready after this time has failed
    with_parent: bool = False  # end when the process that started this one ends


Announce: TypeAlias = Callable[..., None]
"""Changes fields of the address in the address file."""


@contextmanager
def announced_address(name: str, options: ServerOptions) -> Iterator[Announce]:
    """Writes the address file of the server of the model called `name`, with the state `starting`.

    The block is given a function that changes it. On an error the file keeps the command and has the
    reason; else it is deleted at the end of the block.
    """
    address = Address(
        State.STARTING,
        model=name,
        process=this_process(),
        start_seconds=options.start_seconds,
        log=str(options.log) if options.log else None,
    )

    def announce(**changes: Any) -> None:
        nonlocal address
        address = replace(address, **changes)
        write_address(options.address, address)

    announce()
    try:
        yield announce
    except PipelineError as error:
        announce(state=State.FAILED, reason=str(error))
        raise
    options.address.unlink(missing_ok=True)


def serve(row: ModelRow, options: ServerOptions, announce: Announce, log: Log) -> None:
    """Serves the model of `row` until this process gets TERM, INT or HUP; then ends all that it started.

    Args:
        row: the model.
        options: of the server.
        announce: called with the command, and with the endpoint when the server is ready.
        log: receives lines about the progress.

    Raises:
        ConfigError: the row or an option is wrong.
        ModelError: the server cannot be started, is not ready in time, or dies.
    """
    if row.served and row.model.startswith(_PATH_BEGINNINGS) and not Path(row.model).exists():
        raise ConfigError(
            f"{row.model} does not exist on this machine: correct `model` in the row of {row.name}, or put "
            "the weights there."
        )
    with _ending(options.with_parent, log) as is_ending:
        for left in reversed(range(PORTS_TRIED)):
            if not _serve_once(row, options, announce, is_ending, log, again=left > 0):
                return


def _serve_once(
    row: ModelRow,
    options: ServerOptions,
    announce: Announce,
    is_ending: Callable[[float], bool],
    log: Log,
    *,
    again: bool,
) -> bool:
    """Serves on one port to the end. Returns whether to try another port, if `again` allows it."""
    port = _port(options)
    program = find_program(options.python)
    command = server_command(row, program, options.host, port)
    environment = server_environment(row, os.environ)
    python = python_of(program)
    packages = {} if python is None else packages_of(python)
    announce(command=command)
    log(f"starting {shlex.join(command)}")
    started = time.monotonic()
    here, elsewhere = options.host, options.host
    if options.host == "0.0.0.0":  # noqa: S104  # compared, not bound
        here, elsewhere = HOST, socket.gethostname()
    with Server(command, environment, here, port, options.log) as server:
        while not server.is_ready():
            seconds = time.monotonic() - started
            if is_ending(POLL_SECONDS):
                return False
            if server.exit_status is not None:
                if again and options.port is None and _TAKEN in server.tail().lower():
                    log(f"port {port} is in use by now; trying another")
                    return True
                raise ModelError(
                    _failed(f"ended after {seconds:.0f} s, before it was ready", server, options)
                )
            if seconds > options.start_seconds:
                raise ModelError(
                    _failed(f"is not ready after {options.start_seconds:g} s", server, options)
                )
        version = server.version()
        record = started_server("vllm", version, packages, command, environment, gpus(environment))
        endpoint = f"http://{elsewhere}:{port}/v1"
        announce(state=State.READY, endpoint=endpoint, vllm=version, server=asdict(record))
        log(f"ready at {endpoint} after {time.monotonic() - started:.0f} s (vLLM {version})")
        while not is_ending(POLL_SECONDS):
            if server.exit_status is not None:
                raise ModelError(_failed("ended while it was in use", server, options))
    log("ended")
    return False


def _port(options: ServerOptions) -> int:
    """The port of the options, or a free one. Raises ModelError if it is in use."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((options.host, options.port or 0))
        except OSError as error:
            raise ModelError(
                f"cannot serve at {options.host}:{options.port or 0} ({error.strerror}). "
                "Choose another --port, or leave it out for a free one."
            ) from error
        port: int = probe.getsockname()[1]
    return port


def _failed(what: str, server: Server, options: ServerOptions) -> str:
    status = "" if server.exit_status is None else f" (exit status {server.exit_status})"
    tail = server.tail()
    if not tail:
        return f"vLLM {what}{status}."
    return f"vLLM {what}{status}. The end of its log, {options.log}:\n{tail}"


@contextmanager
def _ending(with_parent: bool, log: Log) -> Iterator[Callable[[float], bool]]:
    """A function that waits for a number of seconds, or until the end, and returns whether to end."""
    parent = os.getppid()
    ending = threading.Event()
    replaced = {}
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        # A signal that is ignored stays so: nohup ignores HUP.
        if signal.getsignal(number) is not signal.SIG_IGN:
            replaced[number] = signal.signal(number, lambda _number, _frame: ending.set())

    def is_ending(seconds: float) -> bool:
        if with_parent and os.getppid() != parent:
            log("the process that started this one has ended")
            ending.set()
        return ending.wait(seconds)

    try:
        yield is_ending
    finally:
        for number, handler in replaced.items():
            signal.signal(number, handler)
