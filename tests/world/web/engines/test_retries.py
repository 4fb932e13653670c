"""How often a search is retried, and when retries end."""

import pickle

import pytest

from bfcl_pipeline.base.errors import ConfigError, WebError
from bfcl_pipeline.world.web.engines.asking import Outage, RetryPolicy, SearchRateLimited, UnknownAnswer


class Engine:
    """Raises the given exceptions in order, then answers."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.asked = 0

    def ask(self) -> str:
        self.asked += 1
        if self.errors:
            raise self.errors.pop(0)
        return "answer"


def retries(waits: list[float], jitter: float = 1.0, **settings: float) -> RetryPolicy:
    return RetryPolicy(sleep=waits.append, jitter=lambda: jitter, **settings)


def test_an_answer_is_returned_without_waiting() -> None:
    """A first attempt that succeeds is not followed by a wait."""
    waits: list[float] = []
    assert retries(waits)(Engine().ask) == "answer"
    assert waits == []


def test_waits_double_up_to_the_longest() -> None:
    """Each wait is twice the previous one, up to the longest."""
    waits: list[float] = []
    engine = Engine(*[Outage("e", "down")] * 6)
    assert retries(waits, attempts=7, first_wait_seconds=5, longest_wait_seconds=60)(engine.ask) == "answer"
    assert waits == [5, 10, 20, 40, 60, 60]


@pytest.mark.parametrize(("jitter", "wait"), [(0.0, 2.5), (0.5, 3.75), (1.0, 5.0)])
def test_jitter_takes_up_to_half_of_a_wait(jitter: float, wait: float) -> None:
    """The random source shortens a wait by up to a half."""
    waits: list[float] = []
    retries(waits, jitter)(Engine(SearchRateLimited("e", "202")).ask)
    assert waits == [wait]


def test_retry_after_is_waited_in_full() -> None:
    """The engine's Retry-After is the minimum length of a wait, with any jitter."""
    waits: list[float] = []
    errors = [SearchRateLimited("e", "429", 70.0), Outage("e", "503", 1.0)]
    retries(waits, jitter=0.0)(Engine(*errors).ask)
    assert waits == [70, 5]


def test_a_retry_after_beyond_the_longest_wait_ends_it() -> None:
    """If an engine demands more than the longest wait, there is neither a wait nor another request."""
    waits: list[float] = []
    engine = Engine(SearchRateLimited("ddg", "it refused with HTTP 429", 3600.0))
    with pytest.raises(WebError, match=r"ddg failed once; .* It requests a wait of 3600 s\. Wait an hour"):
        retries(waits)(engine.ask)
    assert (waits, engine.asked) == ([], 1)


@pytest.mark.parametrize("kind", [SearchRateLimited, Outage])
def test_it_ends_after_the_attempts(kind: type[SearchRateLimited] | type[Outage]) -> None:
    """When no attempt is left, an error names the engine, the number, the last failure and what to do."""
    waits: list[float] = []
    engine = Engine(*[kind("duckduckgo", "it answered nonsense")] * 99)
    with pytest.raises(WebError) as raised:
        retries(waits, attempts=3)(engine.ask)
    assert (engine.asked, len(waits)) == (3, 2)
    assert not isinstance(raised.value, (SearchRateLimited, Outage))  # not retried by a caller
    for part in ("search engine duckduckgo", "3 times", "it answered nonsense", kind.advice):
        assert part in str(raised.value)


def test_other_errors_are_not_retried() -> None:
    """A request with an unreadable answer is not repeated."""
    engine = Engine(UnknownAnswer("changed"))
    with pytest.raises(UnknownAnswer):
        retries([])(engine.ask)
    assert engine.asked == 1


def test_a_thousand_attempts_stay_within_the_longest_wait() -> None:
    """Doubling does not overflow, however many attempts there are."""
    waits: list[float] = []
    engine = Engine(*[Outage("e", "down")] * 1999)
    retries(waits, attempts=2000, first_wait_seconds=1, longest_wait_seconds=30)(engine.ask)
    assert max(waits) == 30


def test_less_than_one_attempt_is_a_configuration_error() -> None:
    """Less than one attempt is rejected."""
    with pytest.raises(ConfigError, match="at least one attempt"):
        retries([], attempts=0)(Engine().ask)


def test_failures_can_be_pickled() -> None:
    """A failure keeps its text and Retry-After across processes."""
    copy = pickle.loads(pickle.dumps(SearchRateLimited("e", "429", 7.0)))
    assert (str(copy), copy.retry_after_seconds) == ("e: 429", 7.0)
