"""The address of a server: a file that says how far it is, and where it is once it answers.

The file stands from the first moment on, because Snakemake starts those who ask as soon as it sees it, and
gives up on a server without it after seconds; a large model takes minutes. So those who ask wait here, and
learn why if a server never gets ready.
"""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from pathlib import Path

from bfcl_pipeline.errors import ModelError
from bfcl_pipeline.ownership import temporary_path

POLL_SECONDS = 0.2
"""How often a server that starts is looked at."""

MARGIN_SECONDS = 60.0
"""So much longer than a server gives itself to start do those wait who cannot see its process."""


class State(StrEnum):
    """How far a server is."""

    STARTING = "starting"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Address:
    """What the file says, as JSON."""

    state: State  # how far the server is
    model: str  # its row in config/models.yaml
    pid: int  # of the process that starts and ends the server
    machine: str  # the name of the one on which it runs
    start_seconds: float  # after which a server that is not ready has failed
    log: str | None = None  # the file with what the server says; None: it goes where errors go
    command: tuple[str, ...] = ()  # that started the server
    endpoint: str | None = None  # the URL of its API; None until it is ready
    vllm: str | None = None  # its version, as the server tells it
    reason: str | None = None  # why it failed


def write_address(path: Path, address: Address) -> None:
    """Writes `address` whole, so that no reader sees half of it; without a library's start before it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = temporary_path(path)
    unfinished.write_text(json.dumps(asdict(address), indent=2) + "\n", encoding="utf-8")
    unfinished.replace(path)


def read_address(path: Path) -> Address | None:
    """What `path` says; None if it is empty, as the workflow makes it before anything else.

    Raises ModelError if there is no such file, or it is not an address.
    """
    try:
        text = path.read_text(encoding="utf-8")
        if not text:
            return None
        values = json.loads(text)
        known = {column.name for column in fields(Address)}
        values = {name: value for name, value in values.items() if name in known}
        return Address(**{**values, "state": State(values["state"]), "command": tuple(values["command"])})
    except FileNotFoundError as error:
        raise ModelError(
            f"{path}: no such file. `bfcl-pipeline serve MODEL --address-out {path}` keeps it."
        ) from error
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ModelError(f"{path}: not an address that `bfcl-pipeline serve` wrote ({error!r}).") from error


def ready_endpoint(
    path: Path,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> str:
    """The URL of the API of the server whose address is at `path`, waited for until it is ready.

    Raises ModelError, with the reason, if the server failed, ended, or takes longer than it said.
    """
    started = clock()
    while True:
        address = read_address(path)
        endpoint = None if address is None else _endpoint(address)
        if endpoint is not None:
            return endpoint
        seconds = MARGIN_SECONDS + (0.0 if address is None else address.start_seconds)
        if clock() - started > seconds:
            raise ModelError(f"{path}: the server is not ready after {seconds:g} s{_see(address)}.")
        sleep(POLL_SECONDS)


def _endpoint(address: Address) -> str | None:
    """Where the server is; None while it starts. Raises ModelError if it is not there any more."""
    if address.state is State.FAILED:
        raise ModelError(f"the server of {address.model} failed: {address.reason}")
    if not _is_alive(address):
        raise ModelError(
            f"the server of {address.model} has ended without a word (process {address.pid})"
            f"{_see(address)}. Start it again."
        )
    return address.endpoint


def _is_alive(address: Address) -> bool:
    """Whether the process is there; one on another machine is taken to be."""
    if address.machine != socket.gethostname():
        return True
    try:
        os.kill(address.pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # another user's
        return True
    return True


def _see(address: Address | None) -> str:
    return f"; see {address.log}" if address is not None and address.log else ""
