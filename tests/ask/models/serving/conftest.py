"""Fixtures that run `bfcl-pipeline serve` with a stand-in for vLLM."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support.serving_process import Serving, environment

ROWS = """
models:
  - {name: small-FC, kind: vllm, model: small, vllm: {tool_parser: hermes}}
  - {name: missing, kind: vllm, model: ./missing}
  - {name: elsewhere, kind: vllm, backend: endpoint, endpoint: "http://localhost:1/v1"}
"""


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """A models file."""
    path = tmp_path / "models.yaml"
    path.write_text(ROWS)
    return path


@pytest.fixture
def start(tmp_path: Path, models: Path) -> Iterator[Callable[..., Serving]]:
    """Starts `bfcl-pipeline serve` with a stand-in; the first argument names its behaviour."""
    with ExitStack() as stack:

        def started(what: str, *options: str, **variables: str) -> Serving:
            address, log = tmp_path / "servers/small.json", tmp_path / "logs/small.log"
            command = [sys.executable, "-m", "bfcl_pipeline.cli", "serve", "small-FC"]
            command += ["--models", str(models), "--address-out", str(address), "--log", str(log)]
            process = subprocess.Popen(
                [*command, *options],
                env=environment(what, **variables),
                stderr=subprocess.PIPE,
                text=True,
                preexec_fn=_hears_hangups,
            )
            stack.enter_context(process)
            stack.callback(process.kill)
            return Serving(process, address, log)

        yield started


def _hears_hangups() -> None:
    """Restores HUP, which `nohup` around the tests would have the children ignore."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
