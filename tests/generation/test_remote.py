"""Asking a model behind a wire: what is sent, what is kept, what becomes a status."""

import asyncio
import itertools

import pytest

from bfcl_pipeline.config import Limits
from bfcl_pipeline.errors import (
    AccessDenied,
    ContextOverflow,
    Malformed,
    RateLimited,
    RequestRefused,
    Transient,
)
from bfcl_pipeline.generation import Origin, converse_all
from bfcl_pipeline.generation.journal import Journal
from bfcl_pipeline.generation.remote import Remote, Terms
from bfcl_pipeline.generation.tally import Tally
from bfcl_pipeline.prompts import WireFormat
from bfcl_pipeline.records import Exchange, Mode, Status
from bfcl_pipeline.tables.texts import read_texts

QUICK = Limits(in_flight=4, attempts=3, retry_seconds=0.001)


class Scripted:
    """A wire on which happens what the test says: `happens(number, body)` gives an answer or an error."""

    name, mode, wire, identity = "scripted-FC", Mode.FC, WireFormat.OPENAI_CHAT, {"who": "scripted"}

    def __init__(self, happens=lambda _number, _body: "fine"):
        self._happens = happens
        self._numbers = itertools.count()
        self.sent = []
        self.flying = self.most_flying = 0

    def open(self):
        """There is nothing to load."""

    def body(self, request):
        return {"messages": [dict(message) for message in request.messages]}

    async def send(self, body):
        self.sent.append(body)
        self.flying += 1
        self.most_flying = max(self.flying, self.most_flying)
        try:
            for _ in range(20):  # rounds of the loop, in which others are sent
                await asyncio.sleep(0)
            happened = self._happens(next(self._numbers), body)
            if isinstance(happened, Exception):
                raise happened
            if happened is None:
                await asyncio.Event().wait()  # never
            return {"text": happened}
        finally:
            self.flying -= 1

    def read(self, request, raw):
        if raw["text"] == "garbage":
            raise Malformed("scripted: not in the format")
        return Exchange(request, raw["text"], input_tokens=1000, output_tokens=100, finish_reason="stop")

    async def close(self):
        """There is nothing to let go of."""


@pytest.fixture
def asked(staged, entries, setting_of, tmp_path):
    """Asks the first entries of a category over a wire; journals of one test are one."""

    def ask(wire, count=8, limits=QUICK, tally=None, category="simple_python", **terms):
        chosen = entries(category)[:count]

        async def main():
            journal = Journal.open(tmp_path / "exchanges.jsonl")
            try:
                remote = Remote(wire, journal, limits, Terms("r", **terms), tally or Tally())
                return await converse_all(chosen, remote, read_texts(staged), setting_of, Origin("m", "r"))
            finally:
                await journal.close()

        return [one.response for one in asyncio.run(main())]

    return ask


def _statuses(responses):
    return {response.status for response in responses}


def test_what_was_answered_is_not_asked_again(asked):
    """A second run of the same requests sends nothing and gives the same, latencies included."""
    first, second = Scripted(), Scripted()
    responses = asked(first)
    assert asked(second) == responses
    assert (len(first.sent), second.sent) == (8, [])
    assert responses[0].steps[0].finish_reason == "stop"
    assert responses[0].latency_seconds > 0


def test_each_trial_is_asked_anew(asked):
    """Trials have keys of their own."""
    wire = Scripted()
    asked(wire)
    asked(wire, trial=2)
    asked(wire, trial=2)
    assert len(wire.sent) == 16


def test_no_more_are_in_flight_than_allowed_and_all_slots_are_used(asked):
    """Four slots, four requests at once."""
    wire = Scripted()
    asked(wire, count=20)
    assert wire.most_flying == 4


def test_what_may_pass_is_tried_again(asked):
    """Resets, busy servers and answers that cannot be read are repeated until there is an answer."""
    errors = [Transient("reset"), RateLimited("busy", 0.001), "garbage"]
    tally = Tally()
    responses = asked(Scripted(lambda number, _: errors[number] if number < 3 else "fine"), 1, tally=tally)
    assert _statuses(responses) == {Status.ANSWERED}
    assert tally.retries == 3
    assert (tally.requests_done, tally.requests_in_flight) == (1, 0)


def test_what_does_not_pass_becomes_a_status_and_is_asked_again_by_the_next_run(asked):
    """No answer is made of a failure; what was answered beside it stays."""
    failing = Scripted(lambda _, body: Transient("reset") if "triangle" in str(body) else "fine")
    responses = asked(failing)
    failed = [one for one in responses if one.status is Status.INFRASTRUCTURE_ERROR]
    assert 0 < len(failed) < 8
    assert {one.result_json for one in failed} == {None}
    assert {one.status_detail for one in failed} == {"reset"}
    healthy = Scripted()
    assert _statuses(asked(healthy)) == {Status.ANSWERED}
    assert len(healthy.sent) == len(failed)


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (ContextOverflow("too long"), Status.CONTEXT_OVERFLOW),
        (RequestRefused("not this"), Status.INFRASTRUCTURE_ERROR),
    ],
)
def test_a_refusal_is_not_repeated(asked, error, status):
    """What would be refused again is sent once, and becomes the status of its entry alone."""
    wire = Scripted(lambda number, _: error if number == 0 else "fine")
    responses = asked(wire, 3)
    assert [one.status for one in responses].count(status) == 1
    assert len(wire.sent) == 3


def test_a_wrong_key_stops_the_job(asked):
    """What is wrong for all requests is raised, not written into five thousand rows."""
    wire = Scripted(lambda *_: AccessDenied("the key is wrong"))
    with pytest.raises(AccessDenied, match="the key is wrong"):
        asked(wire, 100)
    assert len(wire.sent) <= 2 * QUICK.in_flight


def test_a_request_has_a_time_limit(asked):
    """A server that never answers costs its limit, not the job."""
    wire = Scripted(lambda number, _: None if number == 0 else "fine")
    limits = Limits(in_flight=2, attempts=2, seconds=0.05, retry_seconds=0.001)
    assert _statuses(asked(wire, 3, limits)) == {Status.ANSWERED}
    assert len(wire.sent) == 4


def test_an_outage_is_noticed(asked):
    """When nothing is answered any more, the rest is not sent but left to the next run, and says why."""
    wire = Scripted(lambda *_: Transient("connection refused"))
    responses = asked(wire, 200)
    assert _statuses(responses) == {Status.INFRASTRUCTURE_ERROR}
    assert len(wire.sent) < 150  # of 600: what was open when it was noticed
    assert "all failed, the last one because: connection refused" in responses[-1].status_detail


def test_a_budget_ends_the_job_cleanly(asked):
    """Nothing is sent that the budget does not cover; a higher one goes on from there."""
    prices = {"input_price": 1.0, "output_price": 10.0}  # $0.002 a request
    first, second = Scripted(), Scripted()
    responses = asked(first, 40, budget=0.05, **prices)
    answered = [one for one in responses if one.status is Status.ANSWERED]
    assert len(answered) == len(first.sent) <= 25
    assert len(answered) >= 20
    skipped = next(one for one in responses if one.status is Status.SKIPPED)
    assert "the budget of $0.05 is spent" in skipped.status_detail
    assert _statuses(asked(second, 40, budget=0.10, **prices)) == {Status.ANSWERED}
    assert len(first.sent) + len(second.sent) == 40


def test_sessions_that_failed_take_their_questions_along(asked):
    """Questions of a memory that could not be filled are not asked."""
    wire = Scripted(lambda *_: Transient("reset"))
    responses = asked(wire, 12, category="memory_kv")
    assert _statuses(responses) == {Status.INFRASTRUCTURE_ERROR}
    assert any("its session" in one.status_detail for one in responses)


def test_half_characters_are_written_escaped(asked):
    """Text that no table can hold stays readable JSON."""
    (response,) = asked(Scripted(lambda *_: "half \ud83d"), 1)
    assert response.result_json == '"half \\ud83d"'
