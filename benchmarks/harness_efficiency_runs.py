"""Runs of two harnesses against the local server: their commands, requests and times.

Each runs as its users run it, one process from its start to its end, in a separate folder, without files
of an earlier run.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from bfcl_pipeline.benchmark.tables import entries_path, read_entries, read_table
from tests.peer.peer import PYTHON, peer_environment
from tests.support.local_chat import LocalChat

OFFICIAL_MODEL = "openbmb/MiniCPM-SALA-FC"
"""A model of the official list that uses plain chat completions, at the URL in OPENAI_BASE_URL."""


@dataclass(frozen=True, slots=True)
class Harness:
    """One harness and its entries, without the server."""

    command: Sequence[str]
    environment: Mapping[str, str]  # but for where the server is
    folder: Path
    prepare: Callable[[LocalChat], None]
    requests_of_entries: Callable[[], dict[str, int]]  # after it has run: how many each entry took
    categories: Sequence[str]
    data: Path


@dataclass(frozen=True, slots=True)
class Measured:
    """One run, as the server saw it and as its user did."""

    requests: int
    chain: int  # the most requests of which each had to wait for the one before
    asking_seconds: float  # from the first request to the last answer
    process_seconds: float  # from the start of the process to its end
    most_in_flight: int


def ours(categories: Sequence[str], in_flight: int, data: Path, folder: Path) -> Harness:
    """`bfcl-pipeline generate`, one process for all categories."""
    models, responses, sessions = folder / "models.yaml", folder / "responses", folder / "sessions"

    def prepare(server: LocalChat) -> None:
        row = {
            "name": "local-FC",
            "kind": "openai_chat",
            "endpoint": server.endpoint,
            "limits": {"in_flight": in_flight},
        }
        models.write_text(yaml.safe_dump({"models": [row]}), encoding="utf-8")

    def requests_of_entries() -> dict[str, int]:
        tables = [path for part in (responses, sessions) for path in part.glob("*.parquet")]
        rows = [row for path in tables for row in read_table(path).to_pylist()]
        assert all(row["status"] == "answered" for row in rows)
        return {row["entry_id"]: len(row["steps"]) for row in rows}

    command = [sys.executable, "-m", "bfcl_pipeline.cli", "generate", "--run", "benchmark"]
    command += ["--model", "local-FC", "--models", str(models), "--category", *categories]
    command += ["--data", str(data.resolve()), "--cache", str(folder / "exchanges")]
    command += ["--out", str(responses), "--sessions-out", str(sessions)]
    return Harness(command, os.environ, folder, prepare, requests_of_entries, categories, data)


def official(categories: Sequence[str], in_flight: int, data: Path, folder: Path) -> Harness:
    """`bfcl generate`, one thread for each request in flight."""
    results = folder / "result"

    def requests_of_entries() -> dict[str, int]:
        rows = [
            json.loads(line)
            for path in results.rglob("*_result.json")
            for line in path.read_text(encoding="utf-8").splitlines()
        ]
        assert not [row["id"] for row in rows if "traceback" in row]
        return {row["id"]: _steps(row) for row in rows}

    command = [str(PYTHON), "-W", "ignore", "-m", "bfcl_eval", "generate", "--model", OFFICIAL_MODEL]
    command += ["--test-category", ",".join(categories), "--num-threads", str(in_flight)]
    command += ["--result-dir", str(results)]
    environment = peer_environment(folder)
    return Harness(command, environment, folder, lambda server: None, requests_of_entries, categories, data)


HARNESSES: Mapping[str, Callable[[Sequence[str], int, Path, Path], Harness]] = {
    "ours": ours,
    "official": official,
}


def measured(harness: Harness, server: LocalChat) -> Measured:
    """Runs `harness` against `server`, with its counts at zero."""
    harness.folder.mkdir()
    harness.prepare(server)
    log = harness.folder / "log.txt"
    started = time.perf_counter()
    with log.open("wb") as log_file:
        done = subprocess.run(
            harness.command,
            env={**harness.environment, "OPENAI_BASE_URL": server.endpoint},
            cwd=harness.folder,
            stdin=subprocess.DEVNULL,
            stdout=log_file,
            stderr=subprocess.STDOUT,
        )
    seconds = time.perf_counter() - started
    if done.returncode:
        sys.exit(
            f"{' '.join(harness.command)}\n{log.read_text(encoding='utf-8', errors='replace')[-4000:]}"
        )
    counts = server.counts()
    requests = harness.requests_of_entries()
    assert sum(requests.values()) == counts["requests"] == counts["answers"]
    return Measured(
        requests=counts["requests"],
        chain=_longest_chain(requests, harness),
        asking_seconds=counts["last_at"] - counts["first_at"],
        process_seconds=seconds,
        most_in_flight=counts["most_in_flight"],
    )


def _longest_chain(requests: Mapping[str, int], harness: Harness) -> int:
    """The most requests of an entry together with those of all entries that it depends on."""
    entries = [
        entry for name in harness.categories for entry in read_entries(entries_path(harness.data, name))
    ]
    assert requests.keys() == {entry.entry_id for entry in entries}
    return max(sum(requests[one] for one in (entry.entry_id, *entry.depends_on)) for entry in entries)


def _steps(row: Mapping[str, object]) -> int:
    """How many requests an official result took: one, or the steps of each turn."""
    result = row["result"]
    if isinstance(result, list) and result and isinstance(result[0], list):
        return sum(len(turn) for turn in result)
    return 1
