"""Conversations played again for people, on real entries."""

from __future__ import annotations

import pytest

from bfcl_pipeline.models.oracle import DONE
from bfcl_pipeline.records import Mode, Rules
from bfcl_pipeline.scoring import truth_calls
from bfcl_pipeline.scoring.differences import NOTHING
from bfcl_pipeline.scoring.replay import replay, replay_truth


@pytest.fixture
def entry(entries):
    """The fuel tank is filled, the engine started, a ticket created, read and closed: five turns."""
    return next(one for one in entries("multi_turn_base") if one.entry_id == "multi_turn_base_60")


@pytest.fixture
def played(entry, constants):
    """The replay of the prompted answers of each turn's steps."""

    def play(turns, rules=Rules.OFFICIAL, mode=Mode.PROMPT):
        return replay(entry, turns, mode, constants, rules)

    return play


@pytest.fixture
def right(entry):
    """Answers that call what the truth calls, a step each."""
    return [[*turn, DONE] for turn in entry.truth]


def test_each_call_has_its_result_and_what_it_changed(played, right):
    """A call that reads changes nothing; one that writes tells the place, what was and what is there."""
    found = played(right)
    create, ended = found.turns[2]
    (call,) = create.calls
    assert call.call.name == "create_ticket"
    assert call.result.startswith('{"id": 2, "title": "Tire Pressure Issue"')
    queue, counter = call.changes
    assert (queue.api, queue.path, queue.before) == ("TicketAPI", "ticket_queue[1]", NOTHING)
    assert queue.after["title"] == "Tire Pressure Issue"
    assert (counter.path, counter.before, counter.after) == ("ticket_counter", 2, 3)
    assert (ended.result, ended.calls) == (DONE, ())
    assert [one.changes for step in found.turns[3] for one in step.calls] == [()]


def test_changes_stay_as_they_were_told(played, right):
    """A later call does not alter what an earlier one is said to have changed."""
    found = played(right)
    assert found.turns[2][0].calls[0].changes[0].after["status"] == "Open"
    (closed,) = found.turns[4][0].calls[0].changes
    assert (closed.path, closed.before, closed.after) == ("ticket_queue[1]['status']", "Open", "Closed")


def test_the_truth_is_played_likewise(entry, constants, played, right):
    """An answer that calls what the truth calls has its results and changes, turn by turn."""
    found = played(right)
    truth = replay_truth(entry, constants)
    assert found.truth == truth
    assert tuple(tuple(one for step in turn for one in step.calls) for turn in found.turns) == truth
    assert [[one.call for one in turn] for turn in truth] == [list(turn) for turn in truth_calls(entry)]
    assert found.finding is None


@pytest.mark.parametrize(
    ("turn", "steps", "error_type"),
    [
        (0, ["[fillFuelTank(fuelAmount=1.0)]"], "multi_turn:instance_state_mismatch"),
        (1, ["[displayCarStatus(option='fuel')]"], "multi_turn:execution_response_mismatch"),
        (3, ["I did it."], "multi_turn:empty_turn_model_response"),
    ],
)
def test_the_finding_has_the_turn_at_which_it_fell(played, right, turn, steps, error_type):
    """What the checker finds says in which turn, whichever of its checks it was."""
    found = played([*right[:turn], steps, *right[turn + 1 :]])
    assert (found.finding.turn, found.finding.error_type) == (turn, error_type)
    assert len(found.turns) == len(right)


def test_corrected_rules_have_their_own_turn(entries, constants):
    """A call where nothing can be called yet falls at that turn, under corrected rules alone."""
    found = next(
        one for one in entries("multi_turn_miss_func") if one.entry_id == "multi_turn_miss_func_60"
    )
    empty = found.truth.index([])
    turns = [turn if turn else ["[ticket_get_login_status()]"] for turn in found.truth]
    official, corrected = (replay(found, turns, Mode.PROMPT, constants, rules) for rules in Rules)
    assert official.finding is None
    assert corrected.finding.turn == empty


def test_an_ended_conversation_falls_at_its_last_turn(played, right):
    """The turns that were not reached are missing; those that were are played."""
    found = played(right[:2])
    assert (found.finding.error_type, found.finding.turn) == ("multi_turn:force_terminated", 1)
    assert len(found.turns) == 2
    assert len(found.truth) == 5


@pytest.mark.parametrize("result", ["Error during inference: 429", {"a": 1}, None])
def test_what_has_no_turns_has_none(played, result):
    """A result that is no list of turns is judged, and nothing of it is played."""
    found = played(result)
    assert (found.turns, found.finding.turn) == ((), None)
    assert found.finding.error_type == "multi_turn:inference_error"


def test_why_a_text_is_no_call_is_kept(played):
    """A prompted answer that cannot be read says why; native mode takes a text for what it is."""
    (step,) = played([["create_ticket("]]).turns[0]
    assert "not a Python expression" in step.problem
    (step,) = played([["create_ticket("]], mode=Mode.FC).turns[0]
    assert step.problem is None
    (step,) = played([[[{"create_ticket": "{"}]]], mode=Mode.FC).turns[0]
    assert "not JSON" in step.problem


def test_what_stands_in_the_place_of_a_turn_is_not_run(played):
    """A turn of another shape is kept as one answer, and no call is read in it, as in the check."""
    (step,) = played([{"startEngine": {"ignitionMode": "START"}}], mode=Mode.FC).turns[0]
    assert step.calls == ()
    assert step.problem == "Expected a list of steps, got dict."
