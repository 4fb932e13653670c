"""When requests are admitted, in virtual time, and when a job stops asking a model that does not answer."""

import asyncio

import pytest

from bfcl_pipeline.ask.generation.pace import LONGEST_OBEYED_SECONDS, STOP_AFTER, FailureStreak, Pace
from bfcl_pipeline.base.errors import AccessDenied, Malformed, ModelError, NoConnection, RequestRefused
from bfcl_pipeline.benchmark.config import RequestLimits
from tests.support.virtual_time import run


async def _send_all(pace, count, seconds=1.0, tokens=(10, 10), urgencies=None):
    """Sends `count` requests that take `seconds` each; returns the times at which they were sent."""
    loop = asyncio.get_running_loop()
    sent = []

    async def one(number):
        urgency = urgencies[number] if urgencies else 0
        async with pace.slot(urgency, tokens[0]) as permit:
            sent.append((loop.time(), number))
            await asyncio.sleep(seconds)
            pace.succeeded(permit, *tokens)

    await asyncio.gather(*(one(number) for number in range(count)))
    return sent


def _times(limits, count, **how):
    async def main():
        return [when for when, _ in await _send_all(Pace(limits), count, **how)]

    return run(main())


def test_never_more_than_the_slots_are_in_flight():
    """Ten requests of a second through three slots take four seconds, three at a time."""
    assert _times(RequestLimits(in_flight=3), 10) == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3]


def test_the_most_urgent_request_is_sent_first():
    """Of the waiting requests, the first of the longest chain is admitted; equal ones in their order."""

    async def main():
        return await _send_all(Pace(RequestLimits(in_flight=1)), 5, urgencies=[0, 1, 9, 5, 9])

    assert [number for _, number in run(main())] == [0, 2, 4, 3, 1]


def test_the_limit_of_requests_per_minute_is_respected():
    """After a burst of ten seconds' requests, one request every second."""
    times = _times(RequestLimits(in_flight=50, requests_per_minute=60), 30, seconds=0.1)
    assert times[:10] == [0] * 10
    assert times[10:] == pytest.approx([float(n) for n in range(1, 21)])


def test_the_limit_of_tokens_per_minute_is_respected():
    """The tokens that answers report are what counts."""
    times = _times(RequestLimits(in_flight=1, tokens_per_minute=6000), 60, seconds=0.01, tokens=(50, 50))
    assert times[-1] >= 50 - 1  # 60 requests of 100 tokens at 6,000 a minute, less the burst of ten


def test_a_request_larger_than_a_bucket_is_admitted_when_it_is_full():
    """A request that alone exceeds a burst does not wait forever."""
    times = _times(RequestLimits(in_flight=2, tokens_per_minute=60), 2, seconds=0.1, tokens=(500, 0))
    assert len(times) == 2


def test_requests_pause_as_long_as_a_busy_server_demands():
    """No request is sent before Retry-After has passed, and fewer are in flight afterwards."""

    async def main():
        loop, pace = asyncio.get_running_loop(), Pace(RequestLimits(in_flight=8))
        async with pace.slot(0) as permit:
            pace.limited(permit, 7.0)
        assert pace.pause_seconds == 7.0
        sent = await _send_all(pace, 8)
        return [when for when, _ in sent], loop.time()

    times, _ = run(main())
    assert times[0] == 7.0
    assert times.count(7.0) == 4  # half of eight


def test_one_wave_of_refusals_counts_once():
    """Requests in flight together are refused together, which halves their number once."""

    async def main():
        pace = Pace(RequestLimits(in_flight=8))
        async with pace.slot(0) as first, pace.slot(0) as second, pace.slot(0) as third:
            for permit in (first, second, third):
                pace.limited(permit, None)
        return [when for when, _ in await _send_all(pace, 8)]

    times = run(main())
    assert times.count(times[0]) == 4


def test_the_number_in_flight_grows_with_answers():
    """After the pause each round of answers admits one more, up to the limit of the row."""

    async def main():
        pace = Pace(RequestLimits(in_flight=4))
        async with pace.slot(0) as permit:
            pace.limited(permit, 1.0)
        sent = [when for when, _ in await _send_all(pace, 60)]
        return max(sent.count(when) for when in sent)

    assert run(main()) == 4


def test_pauses_without_a_time_double_up_to_a_limit():
    """A server that only refuses is tried after 1, 2, 4 ... seconds; a week of Retry-After is cut."""

    async def main():
        loop, pace, pauses = asyncio.get_running_loop(), Pace(RequestLimits(in_flight=1)), []
        for _ in range(9):
            async with pace.slot(0) as permit:
                before = loop.time()
                pace.limited(permit, None)
                pauses.append(round(pace.pause_seconds, 6))
            assert loop.time() == before
        async with pace.slot(0) as permit:
            pace.limited(permit, 1e6)
        return pauses, pace.pause_seconds

    pauses, longest = run(main())
    assert pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60]
    assert longest == LONGEST_OBEYED_SECONDS


def test_a_cancelled_request_leaves_no_gap():
    """It frees its place in the queue, and its slot if it had one already."""

    async def main():
        pace = Pace(RequestLimits(in_flight=1))
        async with pace.slot(0):
            waiting = [asyncio.create_task(_send_all(pace, 1)) for _ in range(3)]
            await asyncio.sleep(1)
            waiting[0].cancel()
        (await asyncio.gather(*waiting, return_exceptions=True))
        return pace.in_flight, [task.cancelled() for task in waiting]

    assert run(main()) == (0, [True, False, False])


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
    [(NoConnection("refused"), None), (RequestRefused("not this"), None), (AccessDenied("expired"), 4)],
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
