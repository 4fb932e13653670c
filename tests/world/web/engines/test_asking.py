"""How often a request is retried, when retries end, and when nothing is asked any more."""

import pickle
from typing import Any

import pytest

from bfcl_pipeline.base.errors import ConfigError, WebError, WebStopped
from bfcl_pipeline.world.web.engines.asking import (
    STOP_AFTER,
    STOP_AFTER_UNKNOWN,
    Breaker,
    Outage,
    RetryPolicy,
    SearchRateLimited,
    UnknownAnswer,
)

DOWN, CHANGED, BROKEN = Outage("e", "down"), UnknownAnswer("changed"), WebError("refused")


class Asked:
    """A request that raises the given errors in order (None: it answers), the last one ever after."""

    def __init__(self, *errors: Exception | None) -> None:
        self.errors = errors
        self.times = 0

    def __call__(self) -> str:
        error = self.errors[min(self.times, len(self.errors) - 1)]
        self.times += 1
        if error is not None:
            raise error
        return "answer"


@pytest.mark.parametrize(
    ("errors", "settings", "jitter", "waits"),
    [
        ([None], {}, 1.0, []),
        ([*[DOWN] * 6, None], {"attempts": 7, "longest_wait_seconds": 60}, 1.0, [5, 10, 20, 40, 60, 60]),
        ([DOWN, None], {}, 0.0, [2.5]),
        ([DOWN, None], {}, 0.5, [3.75]),
        # A Retry-After is the least wait, with any jitter.
        ([SearchRateLimited("e", "429", 70.0), Outage("e", "503", 1.0), None], {}, 0.0, [70, 5]),
        ([*[DOWN] * 1_999, None], {"attempts": 2_000, "longest_wait_seconds": 5}, 1.0, [5] * 1_999),
    ],
)
def test_waits_between_attempts(
    errors: list[Exception | None], settings: dict[str, Any], jitter: float, waits: list[float]
) -> None:
    """Each wait is twice the previous one, up to the longest; jitter takes up to half of it."""
    slept: list[float] = []
    assert RetryPolicy(sleep=slept.append, jitter=lambda: jitter, **settings)(Asked(*errors)) == "answer"
    assert slept == waits


@pytest.mark.parametrize(
    ("error", "times", "text"),
    [
        (Outage("duckduckgo", "it answered nonsense"), 3, rf"3 times; .* nonsense\. {Outage.advice[:20]}"),
        (SearchRateLimited("duckduckgo", "no"), 3, "engine duckduckgo failed 3 times; .* Wait an hour"),
        # A longer Retry-After than the longest wait: neither a wait nor another request.
        (SearchRateLimited("ddg", "HTTP 429", 3600.0), 1, r"ddg failed once; .* wait of 3600 s\. Wait an"),
        (UnknownAnswer("changed"), 1, "changed"),
    ],
)
def test_retries_end(error: WebError, times: int, text: str) -> None:
    """The error names engine, number, last failure and what to do; a caller does not retry it."""
    waits: list[float] = []
    request = Asked(error)
    with pytest.raises(WebError, match=text) as raised:
        RetryPolicy(3, sleep=waits.append)(request)
    assert (request.times, len(waits)) == (times, times - 1)
    assert not isinstance(raised.value, (SearchRateLimited, Outage))


def test_less_than_one_attempt_is_a_configuration_error() -> None:
    """Less than one attempt is rejected."""
    with pytest.raises(ConfigError, match="at least one attempt"):
        RetryPolicy(attempts=0)(Asked(None))


def test_failures_can_be_pickled() -> None:
    """A failure keeps its text and Retry-After across processes."""
    copy = pickle.loads(pickle.dumps(SearchRateLimited("e", "429", 7.0)))
    assert (str(copy), copy.retry_after_seconds) == ("e: 429", 7.0)


@pytest.mark.parametrize(
    ("errors", "raised"),
    [
        ([BROKEN], [WebError] * STOP_AFTER + [WebStopped] * (30 - STOP_AFTER)),
        # Answers that cannot be read are given more chances.
        ([CHANGED], [UnknownAnswer] * STOP_AFTER_UNKNOWN + [WebStopped] * (30 - STOP_AFTER_UNKNOWN)),
        ([BROKEN, BROKEN, None] * 10, [WebError, WebError, None] * 10),  # an answer ends the row
    ],
)
def test_what_fails_in_a_row_is_not_asked_again(
    errors: list[Exception | None], raised: list[type[WebError] | None]
) -> None:
    """After the last failure nothing is sent to it; others are asked."""
    breaker, request = Breaker("searches", WebStopped), Asked(*errors)
    seen: list[type[WebError] | None] = []
    for _ in range(30):
        try:
            breaker("duckduckgo", request)
        except WebError as error:
            seen.append(type(error))
        else:
            seen.append(None)
    assert seen == raised
    assert request.times == 30 - raised.count(WebStopped)
    assert breaker("another", Asked(None)) == "answer"
    if WebStopped in raised:
        text = rf"duckduckgo did not answer {request.times} searches in a row .* failure: {errors[-1]}"
        with pytest.raises(WebStopped, match=text):
            breaker("duckduckgo", request)
