"""A faulty server costs time and leads to statuses, but never to a crash, a hang or a wrong score.

BFCL_FAULTY_REQUESTS is the minimum number of requests, by default 600. Half of them fail, with all faults
of `tests/support/chat_faults.py`, and some correct answers have unusual forms.
tests/ask/models/test_wire_faults.py tests the effect of single faults on the adapters.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from bfcl_pipeline.benchmark.records import Entry
from bfcl_pipeline.benchmark.tables import read_table
from tests.support.chat_faults import ALL
from tests.support.generate_run import GenerateRun
from tests.support.local_chat import LocalChat, local_chat

REQUESTS = int(os.environ.get("BFCL_FAULTY_REQUESTS", "600"))
LIMITS = {"in_flight": 32, "seconds": 0.5, "attempts": 2, "retry_seconds": 0.01}
FAULTY, ODD = 0.4, 0.1  # shares of requests that fail, and that are answered oddly
MOST_SECONDS = 120.0  # of one job: every request has an end
MOST_BYTES = 400 * 2**20  # of memory that a job may take

Rows = Mapping[str, list[dict[str, Any]]]


@pytest.fixture(scope="module")
def server() -> Iterator[LocalChat]:
    with local_chat() as started:
        yield started


@pytest.fixture(scope="module")
def new_run(
    entries: Callable[[str], list[Entry]], staged: Path, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[], GenerateRun]:
    """Makes a run of single turns, some conversations, and a memory with its sessions."""
    remembered = [entry for entry in entries("memory_kv") if entry.scenario == "notetaker"]
    asked = [*entries("simple_python")[:320], *entries("multi_turn_base")[:8], *remembered[-8:]]
    ids = [entry.entry_id for entry in asked if not entry.prerequisite]
    categories = list(dict.fromkeys(entry.category for entry in asked))
    selection = ["--category", *categories, "--entry-ids", *ids]
    return lambda: GenerateRun(tmp_path_factory.mktemp("faulty"), staged, selection)


@pytest.fixture(scope="module")
def healthy(new_run: Callable[[], GenerateRun], server: LocalChat) -> tuple[Rows, Counter[str]]:
    """The results of a run without failures, and how often it sent each request."""
    run = new_run()
    server.behave()
    run.complete(server, **LIMITS)
    return run.tables(), Counter(server.counts()["bodies"])


def test_every_entry_ends_with_its_answer_or_a_status(
    new_run: Callable[[], GenerateRun], server: LocalChat, healthy: tuple[Rows, Counter[str]]
) -> None:
    """No failure becomes an answer, a score or a line of the journal; the next run retries the rest."""
    tables, requests = healthy
    sent, done = 0, Counter[str]()
    for seed in count():
        run = new_run()
        server.behave(faults=FAULTY, odd=ODD, seed=seed)
        complete_within_bounds(run, server)
        counts = server.counts()
        sent, done = sent + counts["requests"], done + Counter(counts["done"])
        check_statuses(run.tables(), tables)
        check_scores(run)
        journaled = run.journaled()
        server.behave()
        run.complete(server, **LIMITS)
        assert Counter(server.counts()["bodies"]) == requests - journaled
        assert run.tables() == tables
        if sent >= REQUESTS:
            print(f"{sent:,} requests in {seed + 1} runs, {done.total():,} of them not plainly answered")
            assert REQUESTS < 10_000 or done.keys() == ALL.keys()
            return


def complete_within_bounds(run: GenerateRun, server: LocalChat) -> None:
    """The command, to its end, in bounded time and memory."""
    with run.start(server, **LIMITS) as process:
        too_long = threading.Timer(MOST_SECONDS, process.kill)
        too_long.start()
        code = process.wait()
        too_long.cancel()
    assert code == 0, run.output()
    assert run.peak_bytes() < MOST_BYTES


def check_statuses(rows: Rows, right: Rows) -> None:
    """Every entry has its correct answer, or a status with the reason why it has no answer."""
    assert rows.keys() == right.keys()
    statuses = Counter[str]()
    for name, its in rows.items():
        for row, expected in zip(its, right[name], strict=True):
            statuses[row["status"]] += 1
            if row["status"] == "answered":
                assert row == expected
            else:
                assert row["entry_id"] == expected["entry_id"]
                assert row["status"] == "infrastructure_error"
                assert row["status_detail"]
                assert row["result_json"] is None
    assert len(statuses) == 2, "too few requests failed, or too many, to tell anything"


def check_scores(run: GenerateRun) -> None:
    """An entry has a verdict if and only if it has an answer."""
    verdicts = run.folder / "verdicts.parquet"
    tables = sorted(map(str, (run.folder / "responses").glob("*.parquet")))
    command = [sys.executable, "-m", "bfcl_pipeline.cli", "score", *tables, "--data", str(run.staged)]
    subprocess.run([*command, "--out", str(verdicts)], check=True, stderr=subprocess.DEVNULL)
    for row in read_table(verdicts).to_pylist():
        assert (row["valid"] is None) == (row["status"] != "answered")
