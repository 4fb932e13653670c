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
def start(tmp_path: Path) -> Iterator[Callable[..., Serving]]:
    """Starts `bfcl-pipeline serve` with a stand-in; the first argument names its behaviour."""
    models = tmp_path / "models.yaml"
    models.write_text(ROWS)
    with ExitStack() as stack:

        def started(what: str, *options: str, model: str = "small-FC", **variables: str) -> Serving:
            address, log = tmp_path / "servers/small.json", tmp_path / "logs/small.log"
            command = [sys.executable, "-m", "bfcl_pipeline.cli", "serve", model, "--models", str(models)]
            command += ["--address-out", str(address), "--log", str(log), *options]
            process = subprocess.Popen(
                command,
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
