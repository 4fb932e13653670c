"""A job that is killed repeatedly continues from its journal, with the results of an undisturbed job.

BFCL_KILLS is the number of kills, by default 4. The server counts requests, so that the moment of a kill is
a random number of requests, from none to all that are left, and a fraction of a second after the last one.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from bfcl_pipeline.benchmark.records import Entry
from tests.support.generate_run import GenerateRun
from tests.support.local_chat import LocalChat, local_chat

KILLS = int(os.environ.get("BFCL_KILLS", "4"))
KILLS_OF_A_RUN = 10  # upper limit, so that many runs finish
LATENCY_SECONDS = 0.01
IN_FLIGHT = 16
START_SECONDS = 1.0  # approximate time of the process before its first request
END_SECONDS = 0.2  # approximate time of the process after its last request


@pytest.fixture(scope="module")
def server() -> Iterator[LocalChat]:
    with local_chat() as started:
        yield started


@pytest.fixture(scope="module")
def selection(entries: Callable[[str], list[Entry]]) -> list[str]:
    """Options that select single turns, conversations, and two memories with all their sessions."""
    remembered = [
        entry
        for entry in entries("memory_kv")
        if entry.scenario in ("notetaker", "healthcare") and not entry.prerequisite
    ]
    asked = [*entries("simple_python")[:40], *entries("multi_turn_base")[:8], *remembered[::8]]
    categories = list(dict.fromkeys(entry.category for entry in asked))
    return ["--category", *categories, "--entry-ids", *(entry.entry_id for entry in asked)]


@pytest.fixture(scope="module")
def new_run(
    tmp_path_factory: pytest.TempPathFactory, staged: Path, selection: list[str]
) -> Callable[[], GenerateRun]:
    return lambda: GenerateRun(tmp_path_factory.mktemp("generation"), staged, selection)


def left_alone(run: GenerateRun, server: LocalChat) -> Counter[str]:
    """How often a job that was not killed sent each request."""
    server.behave(latency=LATENCY_SECONDS)
    run.complete(server, in_flight=IN_FLIGHT)
    return Counter(server.counts()["bodies"])


class Undisturbed:
    """A run that was never killed: its tables, and how often it sent each request."""

    def __init__(self, run: GenerateRun, server: LocalChat) -> None:
        self.requests = left_alone(run, server)
        self.tables = run.tables()
        assert run.journaled() == self.requests


@pytest.fixture(scope="module")
def undisturbed(new_run: Callable[[], GenerateRun], server: LocalChat) -> Undisturbed:
    return Undisturbed(new_run(), server)


def killed_at_random(
    run: GenerateRun, server: LocalChat, left: int, rng: random.Random
) -> tuple[bool, Counter[str]]:
    """Whether a job was killed (it may end before), and how often it sent each request.

    left: how many requests the job has to send until it is done.
    """
    requests = rng.randint(0, left)
    longest = START_SECONDS if not requests else END_SECONDS if requests == left else LATENCY_SECONDS
    server.behave(latency=LATENCY_SECONDS)
    with run.start(server, in_flight=IN_FLIGHT) as process:
        server.wait_for(requests, later=rng.uniform(0, longest))
        killed = process.poll() is None
        process.kill()
    assert killed or process.returncode == 0, run.output()
    server.wait_for_quiet()
    return killed, Counter(server.counts()["bodies"])


def test_a_job_killed_at_random_moments_ends_as_an_undisturbed_one(
    new_run: Callable[[], GenerateRun], server: LocalChat, undisturbed: Undisturbed
) -> None:
    """Its tables are the same except for seconds, and no request in the journal is sent again."""
    rng = random.Random(20260)
    kills = 0
    for runs in count(1):
        run, last_kill = new_run(), min(KILLS, kills + KILLS_OF_A_RUN)
        killed = True
        while killed:
            left = undisturbed.requests - run.journaled()
            if kills < last_kill:
                killed, asked = killed_at_random(run, server, left.total(), rng)
                kills += killed
            else:
                killed, asked = False, left_alone(run, server)
            assert asked <= left, "asked again, or what was never asked before"
        assert run.journaled() == undisturbed.requests
        assert run.tables() == undisturbed.tables
        if kills == KILLS:
            print(f"{kills} kills in {runs} runs of {undisturbed.requests.total()} requests")
            return
