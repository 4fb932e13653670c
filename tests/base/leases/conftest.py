"""Shared by the tests of leases: a lock file, dead holders, and a clock that advances without waiting."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from bfcl_pipeline.base.leases import Holder, LeaseTiming
from bfcl_pipeline.base.process import Process, this_process


class Time:
    """A clock that advances only when `sleep` is called; `then` is called after each sleep."""

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
    """The clock of the test."""
    return Time()


@pytest.fixture
def timing(time: Time) -> LeaseTiming:
    """The default intervals on that clock."""
    return LeaseTiming(now=time.now, sleep=time.sleep)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A lock file, which does not exist yet."""
    return tmp_path / "thing.owner"


@pytest.fixture
def elsewhere() -> Process:
    """A process on another machine."""
    return replace(this_process(), host="elsewhere", machine="another")


@pytest.fixture
def leave(path: Path) -> Callable[..., Holder]:
    """Writes the lock file of a holder that differs from this process; returns the holder."""

    def left(where: Path = path, token: str = "t" * 32, **changes: object) -> Holder:
        holder = Holder(token, "2026-10-01T12:00:00+00:00", replace(this_process(), **changes))
        where.write_text(json.dumps(asdict(holder)))
        return holder

    return left
