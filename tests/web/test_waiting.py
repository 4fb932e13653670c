"""How often a search engine is asked again, and when it is left alone."""

import pickle

import pytest

from bfcl_pipeline.errors import ConfigError, WebError
from bfcl_pipeline.web.asking import UnknownAnswer
from bfcl_pipeline.web.waiting import Outage, Patience, RateLimited, patiently


class Engine:
    """Raises what it is given, one after the other, then answers."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.asked = 0

    def ask(self) -> str:
        self.asked += 1
        if self.errors:
            raise self.errors.pop(0)
        return "answer"


def patience(waits: list[float], jitter: float = 1.0, **settings: float) -> Patience:
    return Patience(sleep=waits.append, jitter=lambda: jitter, **settings)


def test_an_answer_is_returned_without_waiting() -> None:
    """Who is answered at once does not wait."""
    waits: list[float] = []
    assert patience(waits)(Engine().ask) == "answer"
    assert waits == []


def test_waits_double_up_to_the_longest() -> None:
    """Each wait is twice the one before, up to the longest."""
    waits: list[float] = []
    engine = Engine(*[Outage("e", "down")] * 6)
    assert (
        patience(waits, attempts=7, first_wait_seconds=5, longest_wait_seconds=60)(engine.ask) == "answer"
    )
    assert waits == [5, 10, 20, 40, 60, 60]


@pytest.mark.parametrize(("jitter", "wait"), [(0.0, 2.5), (0.5, 3.75), (1.0, 5.0)])
def test_jitter_takes_up_to_half_of_a_wait(jitter: float, wait: float) -> None:
    """The random source shortens a wait by up to a half."""
    waits: list[float] = []
    patience(waits, jitter)(Engine(RateLimited("e", "202")).ask)
    assert waits == [wait]


def test_retry_after_is_waited_in_full() -> None:
    """The engine's Retry-After is a wait's least length, whatever the jitter."""
    waits: list[float] = []
    errors = [RateLimited("e", "429", 70.0), Outage("e", "503", 1.0)]
    patience(waits, jitter=0.0)(Engine(*errors).ask)
    assert waits == [70, 5]


def test_a_retry_after_beyond_the_longest_wait_ends_it() -> None:
    """An engine that asks for more than the longest wait is not asked again, nor waited for."""
    waits: list[float] = []
    engine = Engine(RateLimited("ddg", "it refused with HTTP 429", 3600.0))
    with pytest.raises(WebError, match=r"ddg was asked once .* It asks to wait 3600 s\. Leave it"):
        patience(waits)(engine.ask)
    assert (waits, engine.asked) == ([], 1)


@pytest.mark.parametrize("kind", [RateLimited, Outage])
def test_it_ends_after_the_attempts(kind: type[RateLimited] | type[Outage]) -> None:
    """When the attempts are used up, an error names the engine, how often, what came and what to do."""
    waits: list[float] = []
    engine = Engine(*[kind("duckduckgo", "it answered nonsense")] * 99)
    with pytest.raises(WebError) as raised:
        patience(waits, attempts=3)(engine.ask)
    assert (engine.asked, len(waits)) == (3, 2)
    assert not isinstance(raised.value, (RateLimited, Outage))  # nobody asks again because of it
    for part in ("search engine duckduckgo", "3 times", "it answered nonsense", kind.advice):
        assert part in str(raised.value)


def test_other_errors_are_not_retried() -> None:
    """An answer that cannot be read is not asked for again."""
    engine = Engine(UnknownAnswer("changed"))
    with pytest.raises(UnknownAnswer):
        patience([])(engine.ask)
    assert engine.asked == 1


def test_a_thousand_attempts_stay_within_the_longest_wait() -> None:
    """Doubling does not overflow, however many attempts there are."""
    waits: list[float] = []
    engine = Engine(*[Outage("e", "down")] * 1999)
    patiently(engine.ask, 2000, 1.0, 30.0, waits.append, lambda: 1.0)
    assert max(waits) == 30


def test_no_attempts_is_a_mistake_of_the_configuration() -> None:
    """Less than one attempt is refused."""
    with pytest.raises(ConfigError, match="at least one attempt"):
        patience([], attempts=0)(Engine().ask)


def test_failures_pass_between_processes() -> None:
    """A failure can be pickled with all it says."""
    copy = pickle.loads(pickle.dumps(RateLimited("e", "429", 7.0)))
    assert (str(copy), copy.retry_after_seconds) == ("e: 429", 7.0)
