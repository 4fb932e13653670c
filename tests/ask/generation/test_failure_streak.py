"""When a job stops asking a model that does not answer."""

from __future__ import annotations

import pytest

from bfcl_pipeline.ask.generation.pace import STOP_AFTER, FailureStreak
from bfcl_pipeline.base.errors import AccessDenied, Malformed, ModelError, NoConnection, RequestRefused


def failures_until_stop(streak: FailureStreak, error: ModelError, waiting: int = 100) -> int | None:
    """How many failures stop the job; None if a hundred do not."""
    for number in range(1, 101):
        streak.failed(error, waiting)
        try:
            streak.check()
        except ModelError:
            return number
    return None


@pytest.mark.parametrize(
    ("error", "in_flight", "waiting", "stops_after"),
    [
        (NoConnection("refused"), 32, 100, STOP_AFTER),
        (NoConnection("refused"), 32, 3, 6),
        (RequestRefused("bad option"), 1, 1, STOP_AFTER),
        (AccessDenied("wrong key"), 32, 100, STOP_AFTER),
        (AccessDenied("wrong key"), 4, 100, 4),
        (Malformed("garbage"), 1, 1, None),
    ],
)
def test_a_streak_of_one_kind_stops_the_job(
    error: ModelError, in_flight: int, waiting: int, stops_after: int | None
) -> None:
    """As many as are in flight suffice for a rejected key, two for each request without a connection."""
    assert failures_until_stop(FailureStreak(in_flight), error, waiting) == stops_after


@pytest.mark.parametrize(
    ("error", "stops_after"),
    [
        (NoConnection("refused"), None),
        (RequestRefused("not this"), None),
        (AccessDenied("expired"), 4),
    ],
)
def test_after_an_answer_only_a_rejected_key_stops_the_job(
    error: ModelError, stops_after: int | None
) -> None:
    """An outage may end, and a refusal is the matter of its entry."""
    streak = FailureStreak(4)
    streak.answered()
    assert failures_until_stop(streak, error) == stops_after


def test_an_answer_or_another_failure_ends_a_streak() -> None:
    """Only failures of one kind in a row count, and the error states the last one."""
    streak = FailureStreak(4)
    for number in range(20):
        streak.failed(AccessDenied(f"no {number}"), 1)
        streak.check()
        if number % 2:
            streak.answered()
        else:
            streak.failed(Malformed("garbage"), 1)
    for _ in range(4):
        streak.failed(AccessDenied("the key has expired"), 1)
    with pytest.raises(ModelError, match="not sent: the last requests all failed: the key has expired"):
        streak.check()
