"""`bfcl-pipeline serve` as a process, with a stand-in for vLLM; tests/vllm has the real one."""

from __future__ import annotations

import json
import platform
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bfcl_pipeline.ask.models.serving.address import (
    Address,
    State,
    ready_endpoint,
    server_of,
    write_address,
)
from bfcl_pipeline.ask.models.serving.program import PYTHON_VARIABLE
from bfcl_pipeline.base.errors import ModelError
from bfcl_pipeline.base.process import this_process
from bfcl_pipeline.cli import main
from tests.support.serving_process import Serving, environment, has_ended

Start = Callable[..., Serving]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_server_runs_until_a_signal_ends_it(start: Start, number: int) -> None:
    """The address file has its endpoint; after the signal its processes have ended and the address file is
    deleted."""
    serving = start("answer", TOLD="1.2.3")
    serving.wait_for_line("ready at")
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


def test_the_address_file_records_what_the_server_is(start: Start) -> None:
    """Its version, packages, command and variables, for jobs that may run on other machines.

    The port of its endpoint is that of the options.
    """
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
    variables = {"TOLD": "1.2.3", "VLLM_BATCH_INVARIANT": "1", "VLLM_API_KEY": "sk-test-0123456789"}
    serving = start("answer", "--port", str(port), **variables)
    assert f"http://127.0.0.1:{port}/v1" in serving.wait_for_line("ready at")
    server = server_of(serving.address)
    assert server is not None
    assert (server.kind, server.version) == ("vllm", "1.2.3")
    assert server.packages["python"] == platform.python_version()
    assert server.command[0].startswith("python")
    assert "--enable-prefix-caching" in server.command
    assert not {"--host", "--port"} & set(server.command)
    assert server.environment["VLLM_BATCH_INVARIANT"] == "1"
    assert "VLLM_API_KEY" not in server.environment
    assert serving.end(signal.SIGTERM)[0] == 0


def test_a_server_ends_when_the_command_is_killed(start: Start) -> None:
    """SIGKILL, which Snakemake sends if a job that uses the server failed, leaves no process behind."""
    serving = start("answer")
    serving.wait_for_line("ready at")
    serving.end(signal.SIGKILL)
    assert all(map(has_ended, serving.processes()))
    with pytest.raises(ModelError, match="has ended without a reason"):
        ready_endpoint(serving.address)


def test_a_server_ends_with_the_process_that_started_the_command(start: Start, tmp_path: Path) -> None:
    """With --end-with-parent, the server does not outlive a killed run."""
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
        try:
            serving.wait_for_line("ready at")
            pid = json.loads(address.read_text())["process"]["pid"]
        finally:
            parent.kill()
        told = parent.stderr.read() if parent.stderr else ""
    assert "the process that started this one has ended" in told
    assert has_ended(pid)
    assert all(map(has_ended, serving.processes()))


def test_a_server_that_fails_reports_the_reason(start: Start) -> None:
    """The end of its log is in the error and in the address file, which other jobs read."""
    serving = start("fail")
    status, told = serving.ended()
    assert status == 1
    assert "before it was ready (exit status 1). The end of its log" in told
    assert "ValueError: no model of that name" in told
    assert all(map(has_ended, serving.processes()))
    with pytest.raises(ModelError, match=r"the server of small-FC failed: .*\n(.*\n)*ValueError: no model"):
        ready_endpoint(serving.address)
    assert json.loads(serving.address.read_text())["command"][3:5] == ["--model", "small"]


def test_the_command_is_printed_without_vllm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """--print starts nothing and needs no address file; what a shell would change is quoted."""
    monkeypatch.delenv(PYTHON_VARIABLE, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    vllm = "{tool_parser: hermes, args: ['{a: 1}']}"
    (tmp_path / "models.yaml").write_text(
        f"models: [{{name: small-FC, kind: vllm, model: org/small, vllm: {vllm}}}]"
    )
    assert main(["serve", "small-FC", "--print", "--models", str(tmp_path / "models.yaml")]) == 0
    assert capsys.readouterr().out == (
        "vllm serve org/small --served-model-name org/small --host 127.0.0.1 --port 8000 "
        "--enable-prefix-caching --enable-auto-tool-choice --tool-call-parser hermes '{a: 1}'\n"
    )


def test_a_server_that_dies_in_use_reports_it(start: Start) -> None:
    """The command ends with an error, and the address file has the state `failed`."""
    serving = start("die")
    status, told = serving.ended()
    assert status == 1
    assert "ended while it was in use" in told
    assert json.loads(serving.address.read_text())["state"] == "failed"


def test_a_server_that_does_not_become_ready_is_ended(start: Start) -> None:
    """--start-seconds limits the wait."""
    serving = start("load", "--start-seconds", "0.5")
    status, told = serving.ended()
    assert status == 1
    assert "is not ready after 0.5 s" in told
    assert all(map(has_ended, serving.processes()))


def test_a_server_that_loads_can_be_ended(start: Start) -> None:
    """A signal ends it before it is ready."""
    serving = start("load")
    serving.wait_for_line("starting")
    assert serving.end(signal.SIGTERM)[0] == 0
    assert all(map(has_ended, serving.processes()))


def test_a_port_taken_by_another_process_is_replaced(start: Start, tmp_path: Path) -> None:
    """If another process binds the port between its choice and its use, a different port is tried."""
    serving = start("lose_port", LOST=str(tmp_path / "lost"))
    line = serving.wait_for_line("is in use by now")
    assert (tmp_path / "lost").read_text() in line
    serving.wait_for_line("ready at")
    assert serving.end(signal.SIGTERM)[0] == 0
    assert all(map(has_ended, serving.processes()))


def test_a_port_of_the_options_that_is_in_use_is_an_error(
    models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The other server at that port is not mistaken for the model's."""
    command = ["serve", "small-FC", "--models", str(models), "--address-out", str(tmp_path / "a.json")]
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert main([*command, "--port", str(port)]) == 1
    assert f"cannot serve at 127.0.0.1:{port} (Address already in use)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("model", "told"),
    [
        ("smal", "unknown model 'smal'. Did you mean 'small-FC'?"),
        ("elsewhere", "only models of kind vllm without `backend: endpoint` are served"),
        ("missing", "./missing does not exist on this machine: correct `model` in the row of missing"),
    ],
)
def test_the_address_file_states_why_a_model_cannot_be_served(
    models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], model: str, told: str
) -> None:
    """No server is started; the error is also the reason in the address file."""
    address = tmp_path / "servers/small.json"
    command = ["serve", model, "--models", str(models), "--address-out", str(address)]
    assert main([*command, "--python", sys.executable]) == 1
    assert told in capsys.readouterr().err
    assert told in json.loads(address.read_text())["reason"]


def test_a_job_waits_for_a_server_that_starts(start: Start, tmp_path: Path) -> None:
    """The address file exists immediately; `ready_endpoint` returns when it has an endpoint."""
    serving = start("answer")
    serving.wait_for_line("starting")
    endpoint = ready_endpoint(serving.address)
    assert endpoint in serving.wait_for_line("ready at")
    assert serving.end(signal.SIGTERM)[0] == 0


def test_a_file_without_a_live_address_is_an_error(tmp_path: Path) -> None:
    """A missing file or one with other content is an error immediately, an empty one after a time limit."""
    with pytest.raises(ModelError, match="no such file"):
        ready_endpoint(tmp_path / "none.json")
    (tmp_path / "other.json").write_text("[]")
    with pytest.raises(ModelError, match="not an address"):
        ready_endpoint(tmp_path / "other.json")
    (tmp_path / "empty.json").touch()
    passed = iter(range(0, 1000, 20))
    with pytest.raises(ModelError, match="the server is not ready after 60 s"):
        ready_endpoint(tmp_path / "empty.json", sleep=lambda _seconds: None, clock=lambda: next(passed))


def test_a_reused_process_number_is_not_the_server(tmp_path: Path) -> None:
    """The server has ended if its process number belongs to a process with another start time."""
    path, here = tmp_path / "address.json", this_process()
    alive = Address(State.READY, "small", here, 60, endpoint="http://a/v1")
    write_address(path, alive)
    assert ready_endpoint(path) == "http://a/v1"
    write_address(path, replace(alive, process=replace(here, started="1")))
    with pytest.raises(ModelError, match="has ended without a reason") as raised:
        ready_endpoint(path)
    assert str(here) in str(raised.value)
