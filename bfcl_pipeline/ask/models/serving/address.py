"""The address file of a server: its state, and its endpoint once it is ready.

The file is written when the command starts: Snakemake starts the jobs that use a server as soon as the
file exists, and gives up after seconds if it does not, while a large model takes minutes to load. So those
jobs wait here, and report the reason if the server fails.
"""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from bfcl_pipeline.base.errors import ModelError
from bfcl_pipeline.base.files import write_text
from bfcl_pipeline.base.process import Process, is_alive
from bfcl_pipeline.runs.provenance import ServerRecord
from bfcl_pipeline.runs.provenance.document import server_record

POLL_SECONDS = 0.2
"""Interval between two looks at a server or its address."""

MARGIN_SECONDS = 60.0
"""Time beyond the server's own limit after which a job gives up waiting for it."""


class State(StrEnum):
    """The state of a server."""

    STARTING = "starting"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Address:
    """The content of the address file, as JSON."""

    state: State
    model: str  # name of its row in config/models.yaml
    process: Process  # starts and ends the server
    start_seconds: float  # a server that is not ready after this time has failed
    log: str | None = None  # file with the server's output; None: standard error
    command: tuple[str, ...] = ()  # that started the server
    endpoint: str | None = None  # URL of its API; None until it is ready
    vllm: str | None = None  # version that the server reports
    reason: str | None = None  # why it failed
    server: Mapping[str, Any] | None = None  # its record (`provenance.Server`), once it is ready


def write_address(path: Path, address: Address) -> None:
    """Writes `address` atomically."""
    write_text(path, json.dumps(asdict(address), indent=2) + "\n")


def read_address(path: Path) -> Address | None:
    """The address in `path`; None if the file is empty, as the workflow creates it.

    Raises ModelError if the file does not exist or has other content.
    """
    try:
        text = path.read_text(encoding="utf-8")
        if not text:
            return None
        values = json.loads(text)
        return Address(
            **{
                **values,
                "state": State(values["state"]),
                "command": tuple(values["command"]),
                "process": Process(**values["process"]),
            }
        )
    except FileNotFoundError as error:
        raise ModelError(
            f"{path}: no such file. `bfcl-pipeline serve MODEL --address-out {path}` writes it."
        ) from error
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ModelError(f"{path}: not an address that `bfcl-pipeline serve` wrote ({error!r}).") from error


def ready_endpoint(
    path: Path,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> str:
    """Waits until the server with the address file `path` is ready; returns the URL of its API.

    Raises ModelError, with the reason, if the server failed, ended, or exceeds its time limit.
    """
    started = clock()
    while True:
        address = read_address(path)
        endpoint = None if address is None else _endpoint(address)
        if endpoint is not None:
            return endpoint
        seconds = MARGIN_SECONDS + (0.0 if address is None else address.start_seconds)
        if clock() - started > seconds:
            raise ModelError(f"{path}: the server is not ready after {seconds:g} s{_see_log(address)}.")
        sleep(POLL_SECONDS)


def server_of(path: Path) -> ServerRecord | None:
    """The record of the server with the address file `path`; None if it has none yet."""
    try:
        address = read_address(path)
        return None if address is None else server_record(address.server)
    except (ModelError, ValueError):
        return None


def _endpoint(address: Address) -> str | None:
    """The server's endpoint; None while it starts. Raises ModelError if it failed or ended."""
    if address.state is State.FAILED:
        raise ModelError(f"the server of {address.model} failed: {address.reason}")
    if is_alive(address.process) is False:  # one on another machine counts as alive
        raise ModelError(
            f"the server of {address.model} has ended without a reason ({address.process})"
            f"{_see_log(address)}. Start it again."
        )
    return address.endpoint


def _see_log(address: Address | None) -> str:
    return f"; see {address.log}" if address is not None and address.log else ""
