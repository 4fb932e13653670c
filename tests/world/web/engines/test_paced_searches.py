"""Searches wait for their turn, and a refusal holds back all of them."""

from __future__ import annotations

from typing import Any

import pytest

from bfcl_pipeline.world.web.engines.asking import RetryPolicy
from bfcl_pipeline.world.web.engines.client import REFUSED_SECONDS, Connection
from bfcl_pipeline.world.web.engines.duckduckgo import DuckDuckGo
from bfcl_pipeline.world.web.modes import open_engine
from bfcl_pipeline.world.web.pace import HostPace
from bfcl_pipeline.world.web.proxies import DIRECT
from tests.support.paused_time import PausedTime
from tests.world.web.engines.test_duckduckgo import form, numbered, page


def engine(server: Any, time: PausedTime) -> DuckDuckGo:
    """DuckDuckGo on this machine, with the pauses of a run."""
    pace = HostPace(2.0, clock=time.clock, sleep=time.sleep)
    opened = open_engine("duckduckgo", DIRECT, pace, RetryPolicy())
    assert isinstance(opened, DuckDuckGo)
    connection = Connection(site=server.url.removesuffix("/html/"), pace=opened.connection.pace)
    retries = RetryPolicy(attempts=2, sleep=lambda _: None)
    return DuckDuckGo(retries=retries, connection=connection)


def test_each_page_of_a_search_waits_for_its_turn(scripted_engine: Any) -> None:
    """The pages of one search, and searches that follow each other, are a pause apart."""
    more = form(q="ducks", s="10", dc="11")
    scripted_engine.script(
        scripted_engine.http(page(numbered(range(10)), more)),
        scripted_engine.http(page(numbered(range(10, 40)))),
    )
    time = PausedTime()
    searching = engine(scripted_engine, time)
    searching.search("ducks", "us-en")
    assert len(scripted_engine.asked) == 2
    assert time.slept == [2.0]
    searching.search("geese", "us-en")
    assert time.slept == [2.0, 2.0]


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [({"Retry_After": "20"}, 20.0), ({}, REFUSED_SECONDS), ({"Retry_After": "x"}, 5.0)],
)
def test_a_refusal_holds_back_the_next_request(
    scripted_engine: Any, headers: dict[str, str], seconds: float
) -> None:
    """For as long as the engine asks, or some seconds, whichever search comes next."""
    refusal = scripted_engine.http("", "429 Too Many Requests", **headers)
    scripted_engine.script(refusal, scripted_engine.http(page(numbered(range(30)))))
    time = PausedTime()
    engine(scripted_engine, time).search("ducks", "us-en")
    assert time.slept == [seconds]
