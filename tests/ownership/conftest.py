"""What tests of ownership share: a file, owners that were left there, time that is not waited for."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from bfcl_pipeline.ownership import Owner, Process, Rhythm, this_process


class Time:
    """A clock that only goes on when somebody sleeps by it; `then` is called after each sleep."""

    def __init__(self) -> None:
        self.seconds = 1000.0
        self.sleeps = 0
        self.then: Callable[[int], None] = lambda sleeps: None

    def now(self) -> float:
        return self.seconds

    def sleep(self, seconds: float) -> None:
        self.seconds += seconds
        self.sleeps += 1
        assert self.sleeps < 10_000
        self.then(self.sleeps)


@pytest.fixture
def time() -> Time:
    """A clock of the test's own."""
    return Time()


@pytest.fixture
def rhythm(time: Time) -> Rhythm:
    """The usual one, by that clock."""
    return Rhythm(now=time.now, sleep=time.sleep)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where an owner may be told."""
    return tmp_path / "thing.owner"


@pytest.fixture
def elsewhere() -> Process:
    """This process, were it on another machine."""
    return replace(this_process(), host="elsewhere", machine="another")


@pytest.fixture
def leave(path: Path) -> Callable[..., Owner]:
    """Makes the file of an owner that differs from this process; gives the owner."""

    def left(where: Path = path, token: str = "t" * 32, **changes: object) -> Owner:
        owner = Owner(token, "2026-10-01T12:00:00+00:00", replace(this_process(), **changes))
        where.write_text(json.dumps(asdict(owner)))
        return owner

    return left


@pytest.fixture
def ended() -> int:
    """The number of a process that has ended."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        return process.pid
