"""Fetches wait for their turn at each host, and this wait is not part of their time."""

from __future__ import annotations

from typing import Any

import pytest

from bfcl_pipeline.world.tools.web_search.web import Page, WebFailure
from bfcl_pipeline.world.web import http_client
from bfcl_pipeline.world.web.fetcher import Fetcher
from bfcl_pipeline.world.web.pace import HostPace
from bfcl_pipeline.world.web.transport import TimeLimit
from tests.support.paused_time import PausedTime
from tests.support.web_server import WebServer, http, moved


@pytest.fixture
def time() -> PausedTime:
    return PausedTime()


@pytest.fixture
def pace(time: PausedTime) -> HostPace:
    """Half a minute between two requests to one host."""
    return HostPace(30.0, clock=time.clock, sleep=time.sleep)


def test_each_hop_waits_for_its_own_host(
    names: Any, server: WebServer, time: PausedTime, pace: HostPace
) -> None:
    """A redirect to another host starts at once, one to the same host after the pause."""
    lookup = names(one_example="127.0.0.1", two_example="127.0.0.1")
    port = server.port
    server.script("/a", moved(f"http://two.example:{port}/b"))
    server.script("/b", moved(f"http://one.example:{port}/c"))
    server.script("/c", http("x"))
    fetcher = Fetcher(allow_private=True, lookup=lookup, pace=pace)
    assert fetcher.fetch(f"http://one.example:{port}/a") == Page("x")
    assert time.slept == [30.0]


def test_a_wait_is_not_part_of_the_time_of_a_fetch(
    server: WebServer, time: PausedTime, pace: HostPace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After waits longer than the whole time of a fetch, all of it is left."""
    limits: list[TimeLimit] = []

    def limited(seconds: float) -> TimeLimit:
        limits.append(TimeLimit(seconds, time.clock))
        return limits[-1]

    monkeypatch.setattr(http_client, "TimeLimit", limited)
    fetcher = Fetcher(allow_private=True, pace=pace)
    url = server.script("/", http("x"))
    for _ in range(4):
        assert fetcher.fetch(url) == Page("x")
    assert time.slept == [30.0] * 3
    server.script("/moved", moved("/moved"))
    assert "Exceeded 10 redirects" in str(fetcher.fetch(f"{url}moved"))
    assert sum(time.slept) == 3 * 30 + 11 * 30
    assert not limits[-1].is_over
    assert limits[-1].left() == 60.0


def test_a_time_limit_stands_still_only_within_its_block() -> None:
    """PausedTime before and after the wait counts."""
    time = PausedTime()
    limit = TimeLimit(10.0, time.clock)
    time.now += 4
    with limit.stopped():
        time.now += 1_000
        assert not limit.is_over
    assert limit.left() == 6.0
    time.now += 6
    assert limit.is_over


@pytest.mark.parametrize("status", ["429 Too Many Requests", "503 Service Unavailable"])
def test_a_page_that_asks_for_a_wait_has_it_from_all(
    server: WebServer, time: PausedTime, status: str, pace: HostPace
) -> None:
    """The refusal is the outcome of this page; the next request to its host starts after Retry-After."""
    url = server.script("/", http("", status, Retry_After="90"))
    fetcher = Fetcher(allow_private=True, pace=pace)
    assert isinstance(fetcher.fetch(url), WebFailure)
    server.script("/", http("x"))
    assert fetcher.fetch(url) == Page("x")
    assert time.slept == [90.0]
