"""A model that `bfcl-pipeline serve` serves with vLLM, and `generate` runs that ask it."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bfcl_pipeline.benchmark.records import Response
from bfcl_pipeline.benchmark.tables import read_responses
from bfcl_pipeline.cli import main
from tests.support.serving_process import Serving, descendants, has_ended


@contextmanager
def served(model: str, models_file: Path, variables: Mapping[str, str], folder: Path) -> Iterator[Path]:
    """The address file of a server of `model`; at the end all its processes have ended."""
    path, log = folder / f"{model}.json", folder / f"{model}.log"
    command = [sys.executable, "-m", "bfcl_pipeline.cli", "serve", model, "--models", str(models_file)]
    process = subprocess.Popen(
        [*command, "--address-out", str(path), "--log", str(log)],
        env=dict(variables),
        stderr=subprocess.PIPE,
        text=True,
    )
    serving = Serving(process, path, log)
    with process:
        try:
            serving.wait_for_line("ready at")
            processes = descendants(process.pid)
            yield path
        finally:
            status, told = serving.end(signal.SIGTERM)
    assert status == 0, told
    assert len(processes) > 1
    assert all(map(has_ended, processes))


@dataclass(frozen=True, slots=True)
class Ask:
    """Runs `generate` against one server."""

    address: Path  # its address file
    models_file: Path
    staged: Path
    folder: Path  # for what the runs write

    def __call__(self, model: str, *options: str, folder: str = "asked") -> dict[str, Response]:
        """The responses of `model` by entry id, without latencies."""
        out = self.folder / folder
        command = ["generate", "--model", model, "--models", str(self.models_file)]
        command += ["--data", str(self.staged), "--run", "local", "--out", str(out / model)]
        command += ["--sessions-out", str(out / "sessions"), "--cache", str(out / "cache")]
        assert main([*command, "--endpoint-from", str(self.address), *options]) == 0
        return {
            response.entry_id: response
            for table in sorted((out / model).glob("*.parquet"))
            for response in read_responses(table)
        }
