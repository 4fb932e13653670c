"""A job that is killed, again and again, asks on where it was, and ends as one that was left alone.

BFCL_KILLS is how often it is killed: 4 unless told. The server counts what it is asked, so that a moment is
drawn as a number of requests, from none to all that are left, and a part of a second after the last.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
from generate_run import GenerateRun
from local_chat import LocalChat, local_chat

from bfcl_pipeline.records import Entry

KILLS = int(os.environ.get("BFCL_KILLS", "4"))
KILLS_OF_A_RUN = 10  # at most: so that many runs come to their end
LATENCY_SECONDS = 0.01
IN_FLIGHT = 16
START_SECONDS = 1.0  # about what the process takes to its first request
END_SECONDS = 0.2  # about what it takes after its last


@pytest.fixture(scope="module")
def server() -> Iterator[LocalChat]:
    with local_chat() as started:
        yield started


@pytest.fixture(scope="module")
def selection(entries: Callable[[str], list[Entry]]) -> list[str]:
    """Options that say what is asked: single turns, conversations, two memories with all their sessions."""
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
    """How often a job that comes to its end asked what."""
    server.behave(latency=LATENCY_SECONDS)
    run.complete(server, in_flight=IN_FLIGHT)
    return Counter(server.counts()["bodies"])


class Undisturbed:
    """A run that was never killed: its tables, and how often it asked what."""

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
    """Whether a job was killed (it may be done before), and how often it asked what.

    left: how many requests the job has to send until it is done.
    """
    requests = rng.randint(0, left)
    longest = START_SECONDS if not requests else END_SECONDS if requests == left else LATENCY_SECONDS
    server.behave(latency=LATENCY_SECONDS)
    with run.start(server, in_flight=IN_FLIGHT) as process:
        server.wait_for(requests, later=rng.uniform(0, longest))
        killed = process.poll() is None
        process.kill()
    assert killed or process.returncode == 0, run.told()
    server.wait_for_quiet()
    return killed, Counter(server.counts()["bodies"])


def test_a_job_killed_at_random_moments_ends_as_an_undisturbed_one(
    new_run: Callable[[], GenerateRun], server: LocalChat, undisturbed: Undisturbed
) -> None:
    """The same tables but for seconds, and nothing that the journal holds an answer to is asked again."""
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
