"""When a search engine is not asked any more."""

from __future__ import annotations

import pytest

from bfcl_pipeline.base.errors import WebError, WebStopped
from bfcl_pipeline.world.tools.web_search.web import Hits
from bfcl_pipeline.world.web.engines.asking import STOP_AFTER, STOP_AFTER_UNKNOWN, Breaker, UnknownAnswer


class Scripted:
    """An engine that fails as it is told; None: it answers."""

    def __init__(self, *failures: WebError | None) -> None:
        self.failures = list(failures)
        self.asked = 0

    def search(self, keywords: str, region: str) -> Hits:
        """The next of the scripted outcomes, the last one ever after."""
        failure = self.failures[min(self.asked, len(self.failures) - 1)]
        self.asked += 1
        if failure is not None:
            raise failure
        return Hits(())


def searched(engine: Scripted, times: int) -> list[type[WebError] | None]:
    """What each of several searches raises."""
    breaker, raised = Breaker("searches", WebStopped), list[type[WebError] | None]()
    for _ in range(times):
        try:
            breaker("duckduckgo", lambda: engine.search("ducks", "us-en"))
        except WebError as error:
            raised.append(type(error))
        else:
            raised.append(None)
    return raised


@pytest.mark.parametrize(
    ("failure", "stops_after"),
    [(WebError("refused"), STOP_AFTER), (UnknownAnswer("changed"), STOP_AFTER_UNKNOWN)],
)
def test_an_engine_that_fails_in_a_row_is_not_asked_again(failure: WebError, stops_after: int) -> None:
    """After the last failure nothing is sent; answers that cannot be read are given more chances."""
    engine = Scripted(failure)
    raised = searched(engine, 30)
    assert engine.asked == stops_after
    assert raised == [type(failure)] * stops_after + [WebStopped] * (30 - stops_after)


def test_an_answer_ends_the_row() -> None:
    """Single failures among answers stop nothing."""
    engine = Scripted(*[WebError("outage"), WebError("outage"), None] * 10)
    assert searched(engine, 30) == [WebError, WebError, None] * 10


def test_the_reason_says_what_failed_and_what_to_do() -> None:
    """The engine's name and the text of the last failure, with its advice."""
    engine, breaker = (
        Scripted(WebError("it refused with HTTP 202. Wait an hour.")),
        Breaker("searches", WebStopped),
    )
    for _ in range(STOP_AFTER):
        with pytest.raises(WebError):
            breaker("duckduckgo", lambda: engine.search("ducks", "us-en"))
    text = "duckduckgo did not answer 3 searches in a row .* it refused with HTTP 202. Wait an hour."
    with pytest.raises(WebStopped, match=text):
        breaker("duckduckgo", lambda: engine.search("ducks", "us-en"))
    breaker("another", lambda: None)
