"""The API backend: requests sent, answers journaled, failures that become a status."""

import asyncio
import itertools
import resource
from dataclasses import replace

import pytest

from bfcl_pipeline.ask.generation import ChatAsking, Origin, run_entries
from bfcl_pipeline.ask.generation.counts import ProgressCounts
from bfcl_pipeline.ask.generation.pace import STOP_AFTER
from bfcl_pipeline.ask.generation.remote import ApiBackend, RunTerms
from bfcl_pipeline.base.errors import (
    AccessDenied,
    ContextOverflow,
    JournalError,
    Malformed,
    NoConnection,
    RateLimited,
    RequestRefused,
    Transient,
)
from bfcl_pipeline.benchmark.config import RequestLimits
from bfcl_pipeline.benchmark.records import Exchange, Mode, Status
from bfcl_pipeline.dialogue.release_texts import read_texts
from bfcl_pipeline.runs.journal import Journal
from tests.support.journal_exchanges import PROVENANCE

QUICK = RequestLimits(in_flight=4, attempts=3, retry_seconds=0.001)


class Scripted:
    """An adapter with scripted requests: `happens(number, body)` returns an answer or raises an error."""

    name, identity, asking = "scripted-FC", {"who": "scripted"}, ChatAsking(Mode.FC)

    def __init__(self, happens=lambda _number, _body: "fine"):
        self._happens = happens
        self._numbers = itertools.count()
        self.sent = []
        self.flying = self.most_flying = 0

    def open(self):
        """Does nothing: a scripted adapter loads nothing."""

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
        """Does nothing: a scripted adapter has no connections."""


@pytest.fixture
def asked(staged, entries, setting_of, tmp_path):
    """Runs the first entries of a category with an adapter; each test has one journal."""

    def ask(wire, count=8, limits=QUICK, tally=None, category="simple_python", **terms):
        chosen = entries(category)[:count]

        async def main():
            journal = Journal.open(tmp_path / "exchanges.jsonl")
            try:
                remote = ApiBackend(
                    wire, journal, limits, RunTerms("r", PROVENANCE, **terms), tally or ProgressCounts()
                )
                return await run_entries(chosen, remote, read_texts(staged), setting_of, Origin("m", "r"))
            finally:
                await journal.close()

        return [one.response for one in asyncio.run(main())]

    return ask


def _statuses(responses):
    return {response.status for response in responses}


def test_answers_in_the_journal_are_not_requested_again(asked):
    """A second run of the same requests sends nothing and has the same responses, with their latencies."""
    first, second = Scripted(), Scripted()
    responses = asked(first)
    assert asked(second) == responses
    assert (len(first.sent), second.sent) == (8, [])
    assert responses[0].steps[0].finish_reason == "stop"
    assert responses[0].latency_seconds > 0


def test_each_trial_sends_its_own_requests(asked):
    """Each trial has its own journal keys."""
    wire = Scripted()
    asked(wire)
    asked(wire, trial=2)
    asked(wire, trial=2)
    assert len(wire.sent) == 16


def test_no_more_are_in_flight_than_allowed_and_all_slots_are_used(asked):
    """With four slots, four requests are in flight concurrently."""
    wire = Scripted()
    asked(wire, count=20)
    assert wire.most_flying == 4


def test_transient_failures_are_retried(asked):
    """Resets, busy servers and answers that cannot be read are repeated until there is an answer."""
    errors = [Transient("reset"), RateLimited("busy", 0.001), "garbage"]
    tally = ProgressCounts()
    responses = asked(Scripted(lambda number, _: errors[number] if number < 3 else "fine"), 1, tally=tally)
    assert _statuses(responses) == {Status.ANSWERED}
    assert tally.retries == 3
    assert (tally.requests_done, tally.requests_in_flight) == (1, 0)


def test_a_lasting_failure_is_a_status_and_the_next_run_retries_it(asked):
    """A failure is not an answer; other answers stay."""
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
def test_a_refused_request_is_not_retried(asked, error, status):
    """It is sent once, and becomes the status of its entry alone."""
    wire = Scripted(lambda number, _: error if number == 0 else "fine")
    responses = asked(wire, 3)
    assert [one.status for one in responses].count(status) == 1
    assert len(wire.sent) == 3


@pytest.mark.parametrize(
    ("error", "most"),
    [
        (AccessDenied("the key is wrong"), 2 * QUICK.in_flight),
        (NoConnection("connection refused"), STOP_AFTER + QUICK.in_flight),
        (RequestRefused("unknown option"), STOP_AFTER + QUICK.in_flight),
    ],
)
def test_a_model_that_answers_nothing_is_not_asked_on(asked, error, most):
    """After a few failures in a row nothing more is sent: every entry has the reason as its status."""
    wire = Scripted(lambda *_: error)
    responses = asked(wire, 100)
    assert _statuses(responses) == {Status.INFRASTRUCTURE_ERROR}
    assert all(str(error) in one.status_detail for one in responses)
    assert len(wire.sent) <= most


def test_a_small_job_does_not_wait_for_a_dead_endpoint(asked):
    """With fewer entries than a streak has failures, each is tried twice, not to the last attempt."""
    wire = Scripted(lambda *_: NoConnection("connection refused"))
    limits = RequestLimits(in_flight=4, attempts=1000, retry_seconds=0.001)
    assert _statuses(asked(wire, 3, limits)) == {Status.INFRASTRUCTURE_ERROR}
    assert len(wire.sent) <= 9


def test_a_rejected_key_in_the_middle_ends_the_rest(asked):
    """A key that expires keeps the answers before it."""
    wire = Scripted(lambda number, _: "fine" if number < 30 else AccessDenied("the key has expired"))
    responses = asked(wire, 100)
    assert [one.status for one in responses].count(Status.ANSWERED) == 30
    assert len(wire.sent) <= 30 + 2 * QUICK.in_flight


def test_a_refusal_among_answers_concerns_its_entry_alone(asked):
    """One rejected request does not stop the others."""
    wire = Scripted(lambda number, _: AccessDenied("not this one") if number == 5 else "fine")
    responses = asked(wire, 40)
    assert [one.status for one in responses].count(Status.INFRASTRUCTURE_ERROR) == 1
    assert len(wire.sent) == 40


def test_a_request_has_a_time_limit(asked):
    """A request without an answer ends after its limit and is retried."""
    wire = Scripted(lambda number, _: None if number == 0 else "fine")
    limits = RequestLimits(in_flight=2, attempts=2, seconds=0.05, retry_seconds=0.001)
    assert _statuses(asked(wire, 3, limits)) == {Status.ANSWERED}
    assert len(wire.sent) == 4


def test_an_outage_is_detected(asked):
    """When all requests fail, the rest is not sent but left to the next run, with the reason."""
    wire = Scripted(lambda *_: Transient("connection refused"))
    responses = asked(wire, 200)
    assert _statuses(responses) == {Status.INFRASTRUCTURE_ERROR}
    assert len(wire.sent) < 150  # of 600: the requests that were already open when the failure was noticed
    assert "all failed, the last one because: connection refused" in responses[-1].status_detail


def test_a_budget_ends_the_job_cleanly(asked):
    """No request is sent that the budget does not cover; a higher budget continues from there."""
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


def test_the_counts_have_the_budget_and_what_earlier_jobs_spent_of_it(asked):
    """The cost of the job itself is counted apart; without a budget nothing is spent of it."""
    prices = {"input_price": 1.0, "output_price": 10.0}
    first, second, third = ProgressCounts(), ProgressCounts(), ProgressCounts()
    asked(Scripted(), 4, tally=first, budget=1.0, **prices)
    asked(Scripted(), 10, tally=second, budget=1.0, **prices)
    asked(Scripted(), 12, tally=third, **prices)
    assert (first.budget, first.spent) == (1.0, pytest.approx(first.dollars))
    assert second.spent == pytest.approx(first.dollars + second.dollars)
    assert 0 < first.dollars < second.dollars
    assert (third.budget, third.spent) == (None, None)


def test_questions_of_failed_sessions_fail_too(asked):
    """Questions of failed memory sessions are not run."""
    wire = Scripted(lambda *_: Transient("reset"))
    responses = asked(wire, 12, category="memory_kv")
    assert _statuses(responses) == {Status.INFRASTRUCTURE_ERROR}
    assert any("its session" in one.status_detail for one in responses)


def test_unpaired_surrogates_are_written_escaped(asked):
    """Text that no table can hold stays readable JSON."""
    (response,) = asked(Scripted(lambda *_: "half \ud83d"), 1)
    assert response.result_json == '"half \\ud83d"'


def test_answers_that_could_not_be_written_are_not_counted(asked, tmp_path):
    """On a full disk, the screen reports no more saved answers than the journal has lines."""
    tally = ProgressCounts()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8_000, hard))
    try:
        with pytest.raises(JournalError, match="Free space"):
            asked(Scripted(), 40, replace(QUICK, in_flight=1), tally=tally)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    lines = (tmp_path / "exchanges.jsonl").read_bytes().splitlines()
    assert 0 < tally.requests_done <= len(lines)  # a cancelled request may be saved and not counted
