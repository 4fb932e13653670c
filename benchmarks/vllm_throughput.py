"""Measures the throughput of a local model: a run through a vLLM server, reported in one line.

    python -m benchmarks.vllm_throughput [MODEL --models FILE] [--category NAME...] [--sample N]

MODEL is a row of kind vllm, asked by its family's prompts or by chat completions, as the row says. The
default is the tiny model of tests/vllm (tiny-prompted-FC: the same by prompts), which measures the overhead
of the server and the pipeline, not of a model. vLLM is found as `bfcl-pipeline serve` finds it, or in
.venv-vllm. The server is started and stopped here; `bfcl-pipeline generate` with an empty journal is timed
once the server is ready. The row sets the number of requests in flight (`limits: {in_flight: ...}`). The
harness share is the processor time of `generate`, its start included, as a share of the time: for the rest
it waited for the server.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

from bfcl_pipeline.ask.models.serving.address import ready_endpoint
from bfcl_pipeline.benchmark.records import Response
from bfcl_pipeline.benchmark.tables import read_responses
from tests.support.tiny_rows import tiny_rows

ROOT = Path(__file__).resolve().parents[1]
OWN_PYTHON = ROOT / ".venv-vllm/bin/python"
CLI = (sys.executable, "-m", "bfcl_pipeline.cli")


def main() -> None:
    """Measures and prints."""
    options = _options()
    if OWN_PYTHON.exists():
        os.environ.setdefault("BFCL_VLLM_PYTHON", str(OWN_PYTHON))
    with tempfile.TemporaryDirectory(prefix="vllm-", ignore_cleanup_errors=True) as scratch:
        folder = Path(scratch)
        models = options.models or _tiny(folder)
        with _served(options.model, models, folder) as address:
            endpoint = ready_endpoint(address)
            before = _metrics(endpoint)
            started, computed = time.perf_counter(), _computed_seconds()
            _generate(options, models, address, folder)
            seconds, computed = time.perf_counter() - started, _computed_seconds() - computed
            after = _metrics(endpoint)
            version = json.loads(address.read_text())["vllm"]
        responses = [one for table in (folder / "out").glob("*") for one in read_responses(table)]
    print(
        f"{_line(responses, before, after, seconds)} harness share {computed / seconds:.0%} "
        f"({1000 * computed / max(1, len(responses)):.1f} ms an entry); vLLM {version}."
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("model", nargs="?", default="tiny-FC")
    parser.add_argument("--models", type=Path, help="the models file of MODEL")
    parser.add_argument("--category", nargs="+", default=["simple_python", "multi_turn_base"])
    parser.add_argument("--sample", type=int, default=100, help="entries of each category (default: 100)")
    return parser.parse_args()


def _tiny(folder: Path) -> Path:
    """Writes a models file with the rows of the tiny model."""
    script = ROOT / "tests/support/make_tiny_model.py"
    subprocess.run(
        [os.environ["BFCL_VLLM_PYTHON"], script, folder / "tiny"], check=True, capture_output=True
    )
    path = folder / "models.yaml"
    path.write_text(json.dumps({"models": tiny_rows(folder / "tiny")}))
    return path


@contextmanager
def _served(model: str, models: Path, folder: Path) -> Iterator[Path]:
    address = folder / "address.json"
    command = [*CLI, "serve", model, "--models", str(models), "--address-out", str(address)]
    with subprocess.Popen([*command, "--log", str(folder / "vllm.log"), "--end-with-parent"]) as server:
        try:
            while not address.exists() and server.poll() is None:
                time.sleep(0.1)
            yield address
        finally:
            server.terminate()


def _generate(options: argparse.Namespace, models: Path, address: Path, folder: Path) -> None:
    command = [*CLI, "generate", "--model", options.model, "--models", str(models), "--run", "throughput"]
    command += ["--category", *options.category, "--data", str(ROOT / "data")]
    command += ["--sample", *(f"{category}={options.sample}" for category in options.category)]
    command += ["--out", str(folder / "out"), "--cache", str(folder / "cache")]
    subprocess.run([*command, "--endpoint-from", str(address)], check=True)


def _computed_seconds() -> float:
    """Processor time of the commands that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _metrics(endpoint: str) -> dict[str, float]:
    """The counters of the server by name, summed over what they are split by."""
    found: dict[str, float] = {}
    with urlopen(f"{endpoint.removesuffix('/v1')}/metrics") as answer:
        for line in answer.read().decode().splitlines():
            name, _, value = line.rpartition(" ")
            if not line.startswith("#"):
                found[name.partition("{")[0]] = found.get(name.partition("{")[0], 0.0) + float(value)
    return found


def _line(
    responses: list[Response], before: dict[str, float], after: dict[str, float], seconds: float
) -> str:
    def grown(name: str) -> float:
        return after.get(name, 0.0) - before.get(name, 0.0)

    requests = grown("vllm:request_success_total")
    read, written = grown("vllm:prompt_tokens_total"), grown("vllm:generation_tokens_total")
    cached = grown("vllm:prefix_cache_hits_total") / max(grown("vllm:prefix_cache_queries_total"), 1.0)
    return (
        f"{len(responses):,} entries, {requests:,.0f} requests in {seconds:.1f} s: "
        f"{requests / seconds:,.1f} requests/s, {read / seconds:,.0f} tokens/s read "
        f"({cached:.0%} from the prefix cache), {written / seconds:,.0f} tokens/s written;"
    )


if __name__ == "__main__":
    main()
