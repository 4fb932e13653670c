"""The server of a model of open weights while it is asked again, started as the workflow does."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from bfcl_pipeline.ask.models.serving import ready_endpoint
from bfcl_pipeline.base.text import Log
from bfcl_pipeline.benchmark.config import ModelRow
from bfcl_pipeline.share.asked_again.asking import OwnServer

_END_SECONDS = 60.0
"""Time that the server has to end."""


@contextmanager
def own_server(
    row: ModelRow,
    models: Sequence[Path],
    endpoint: str | None,
    address: Path | None,
    log_file: Path,
    log: Log,
) -> Iterator[OwnServer]:
    """The server that answers for the model of `row` while the block runs.

    Args:
        row: the verifier's. Only for a model that a run serves is there anything to do.
        models: the models files with the row; none: the usual ones.
        endpoint: URL of a server that runs.
        address: the status file of a server that runs.
        log_file: file for the output of a server that is started, if neither is given.
        log: receives a line on it.

    Raises:
        ModelError: the server fails.
    """
    if not row.served:
        yield OwnServer()
    elif endpoint is not None:
        yield OwnServer(endpoint)
    elif address is not None:
        yield OwnServer(ready_endpoint(address), address)
    else:
        with TemporaryDirectory(prefix="bfcl-ask-") as folder:
            path = Path(folder) / "address.json"
            path.touch()  # as the workflow does: the server writes it once it has started
            log_file.parent.mkdir(parents=True, exist_ok=True)
            log(f"{row.name}: starting vLLM; its log is {log_file}")
            with _serving(row, models, path, log_file):
                yield OwnServer(ready_endpoint(path), path)


@contextmanager
def _serving(row: ModelRow, models: Sequence[Path], address: Path, log_file: Path) -> Iterator[None]:
    command = [sys.executable, "-m", "bfcl_pipeline.cli", "serve", row.name]
    command += [f"--models={path}" for path in models]
    command += [f"--address-out={address}", f"--log={log_file}", "--end-with-parent"]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            yield
        finally:
            process.terminate()
            try:
                process.wait(_END_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
