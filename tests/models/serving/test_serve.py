"""`bfcl-pipeline serve` as a process, from its first moment to its end, with a stand-in for vLLM.

The real one is served in tests/vllm.
"""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from serving_process import Serving, environment, has_ended

from bfcl_pipeline.errors import ModelError
from bfcl_pipeline.models.serving import ready_endpoint

Start = Callable[..., Serving]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_server_is_there_until_it_is_told_to_end(start: Start, number: int) -> None:
    """The address is where it answers; after the signal its processes and its address are gone."""
    serving = start("answer", TOLD="1.2.3")
    serving.says("ready at")
    address = json.loads(serving.address.read_text())
    assert address["state"] == "ready"
    assert address["vllm"] == "1.2.3"
    assert address["command"][3:5] == ["--model", "small"]
    assert ready_endpoint(serving.address) == address["endpoint"]
    status, _ = serving.end(number)
    assert status == 0
    assert not serving.address.exists()
    assert len(serving.processes()) == 2
    assert all(map(has_ended, serving.processes()))


def test_a_server_ends_when_the_command_is_killed(start: Start) -> None:
    """SIGKILL, which Snakemake uses where a consumer failed, leaves no process behind."""
    serving = start("answer")
    serving.says("ready at")
    serving.end(signal.SIGKILL)
    assert all(map(has_ended, serving.processes()))
    with pytest.raises(ModelError, match="has ended without a word"):
        ready_endpoint(serving.address)


def test_a_server_ends_with_the_process_that_started_the_command(start: Start, tmp_path: Path) -> None:
    """With --end-with-parent, the death of a killed run is noticed."""
    (tmp_path / "models.yaml").write_text("models:\n- {name: small, kind: vllm}\n")
    address, log = tmp_path / "a.json", tmp_path / "log"
    words = [sys.executable, "-m", "bfcl_pipeline.cli", "serve", "small", "--end-with-parent"]
    words += ["--models", str(tmp_path / "models.yaml"), "--address-out", str(address), "--log", str(log)]
    parent = subprocess.Popen(
        [sys.executable, "-c", f"import subprocess; subprocess.run({words!r})"],
        env=environment("answer"),
        stderr=subprocess.PIPE,
        text=True,
    )
    serving = Serving(parent, address, log)
    with parent:
        serving.says("ready at")
        pid = json.loads(address.read_text())["pid"]
        parent.kill()
        told = parent.stderr.read() if parent.stderr else ""
    assert "the process that started this one has ended" in told
    assert has_ended(pid)
    assert all(map(has_ended, serving.processes()))


def test_a_server_that_fails_says_why(start: Start) -> None:
    """The end of its log is in the error and in the address, so that those who ask see it as well."""
    serving = start("fail")
    status, told = serving.ended()
    assert status == 1
    assert "before it was ready (exit status 1). The end of its log" in told
    assert "ValueError: no model of that name" in told
    assert all(map(has_ended, serving.processes()))
    with pytest.raises(ModelError, match=r"the server of small-FC failed: .*\n(.*\n)*ValueError: no model"):
        ready_endpoint(serving.address)


def test_a_server_that_dies_in_use_says_why(start: Start) -> None:
    """It ends with an error, and the address tells it, too."""
    serving = start("die")
    status, told = serving.ended()
    assert status == 1
    assert "ended while it was in use" in told
    assert json.loads(serving.address.read_text())["state"] == "failed"


def test_a_server_that_does_not_get_ready_is_ended(start: Start) -> None:
    """--start-seconds bounds the wait."""
    serving = start("load", "--start-seconds", "0.5")
    status, told = serving.ended()
    assert status == 1
    assert "is not ready after 0.5 s" in told
    assert all(map(has_ended, serving.processes()))


def test_a_server_that_loads_can_be_ended(start: Start) -> None:
    """Nobody has to wait until it is ready."""
    serving = start("load")
    serving.says("starting")
    assert serving.end(signal.SIGTERM)[0] == 0
    assert all(map(has_ended, serving.processes()))


def test_a_port_that_is_lost_is_replaced(start: Start, tmp_path: Path) -> None:
    """Where another process took the port between its choice and its use, the next one is tried."""
    serving = start("lose_port", LOST=str(tmp_path / "lost"))
    line = serving.says("was taken meanwhile")
    assert (tmp_path / "lost").read_text() in line
    serving.says("ready at")
    assert serving.end(signal.SIGTERM)[0] == 0
    assert all(map(has_ended, serving.processes()))


def test_a_taken_port_that_was_asked_for_is_an_error(start: Start) -> None:
    """Whoever answers there is not taken for the model."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        status, told = start("answer", "--port", str(port)).ended()
    assert status == 1
    assert f"cannot serve at 127.0.0.1:{port} (Address already in use)" in told


def test_a_port_that_was_asked_for_is_used(start: Start) -> None:
    """--port is where the server is."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
    serving = start("answer", "--port", str(port))
    assert f"http://127.0.0.1:{port}/v1" in serving.says("ready at")
    assert serving.end(signal.SIGTERM)[0] == 0


@pytest.mark.parametrize(
    ("model", "told"),
    [
        ("smal", "unknown model 'smal'. Did you mean 'small-FC'?"),
        ("elsewhere", "only models of kind vllm are served, and not those with `backend: endpoint`"),
    ],
)
def test_a_model_that_cannot_be_served_is_told_to_those_who_ask(
    start: Start, model: str, told: str
) -> None:
    """Nothing is started; the address says why."""
    serving = start("answer", model=model)
    status, line = serving.ended()
    assert status == 1
    assert told in line
    assert told in json.loads(serving.address.read_text())["reason"]


def test_those_who_ask_wait_for_a_server_that_starts(start: Start, tmp_path: Path) -> None:
    """The address stands at once; who reads it gets the endpoint when there is one."""
    serving = start("answer")
    serving.says("starting")
    endpoint = ready_endpoint(serving.address)
    assert endpoint in serving.says("ready at")
    assert serving.end(signal.SIGTERM)[0] == 0


def test_an_address_that_nobody_keeps_is_an_error(tmp_path: Path) -> None:
    """Neither a missing file nor one of something else is waited for, and an empty one for a while only."""
    with pytest.raises(ModelError, match="no such file"):
        ready_endpoint(tmp_path / "none.json")
    (tmp_path / "other.json").write_text("[]")
    with pytest.raises(ModelError, match="not an address"):
        ready_endpoint(tmp_path / "other.json")
    (tmp_path / "empty.json").touch()
    passed = iter(range(0, 1000, 20))
    with pytest.raises(ModelError, match="the server is not ready after 60 s"):
        ready_endpoint(tmp_path / "empty.json", sleep=lambda _seconds: None, clock=lambda: next(passed))
