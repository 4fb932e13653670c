"""Conversations played again for the page of an entry, on real entries."""

from __future__ import annotations

import pytest

from bfcl_pipeline.ask.models.oracle import DONE
from bfcl_pipeline.benchmark.records import Mode
from bfcl_pipeline.judge.scoring import truth_calls
from bfcl_pipeline.show.playback.conditions import Conditions
from bfcl_pipeline.show.playback.conversation import MOST_CHANGING, play, play_truth
from bfcl_pipeline.show.transcripts.parts import PAGE, Kind
from bfcl_pipeline.show.transcripts.texts import played_items


@pytest.fixture
def entry(entries):
    """The fuel tank is filled, the engine started, a ticket created, read and closed: five turns."""
    return next(one for one in entries("multi_turn_base") if one.entry_id == "multi_turn_base_60")


@pytest.fixture
def played(entry, staged, constants):
    """A function that plays prompted answers, given as the steps of each turn."""

    def played_turns(turns, mode=Mode.PROMPT):
        return play(entry, turns, mode, Conditions(staged, constants))

    return played_turns


@pytest.fixture
def right(entry):
    """Answers with the calls of the truth, one step for each call."""
    return [[*turn, DONE] for turn in entry.truth]


def test_the_truth_is_played_in_the_same_way(entry, constants, played, right):
    """An answer with the calls of the truth has its results and changes, turn by turn."""
    found = played(right)
    truth = play_truth(entry, constants)
    assert tuple(tuple(one for step in turn for one in step.calls) for turn in found) == truth
    assert [[one.call for one in turn] for turn in truth] == [list(turn) for turn in truth_calls(entry)]


@pytest.mark.parametrize("result", ["Error during inference: 429", {"a": 1}, None])
def test_a_result_without_turns_is_not_played(played, result):
    """A result that is not a list of turns has no turns, and no call is run."""
    assert played(result) == ()


def test_a_step_records_why_it_is_not_a_call(played):
    """An answer that cannot be read has the reason; a text in native mode has none."""
    (step,) = played([["create_ticket("]])[0]
    assert "not a Python expression" in step.problem
    (step,) = played([["create_ticket("]], mode=Mode.FC)[0]
    assert step.problem is None
    (step,) = played([[[{"create_ticket": "{"}]]], mode=Mode.FC)[0]
    assert "not JSON" in step.problem


def test_a_value_that_is_not_a_turn_is_not_run(played):
    """A turn of another shape is one answer without calls, as in the check."""
    (step,) = played([{"startEngine": {"ignitionMode": "START"}}], mode=Mode.FC)[0]
    assert step.calls == ()
    assert step.problem == "Expected a list of steps, got dict."


def test_only_so_many_calls_are_compared(entries, staged, constants):
    """Comparing the whole world after each of thousands of calls would take hours; later calls say so."""
    entry = next(one for one in entries("multi_turn_base") if one.entry_id == "multi_turn_base_0")
    step = "[{}]".format(",".join(f"mkdir(dir_name='{{0}}_{number}')" for number in range(50)))
    steps = [step.replace("{0}", f"d{number}") for number in range(MOST_CHANGING // 50 + 1)]
    (turn,) = play(entry, [steps], Mode.PROMPT, Conditions(staged, constants))
    calls = [call for step in turn for call in step.calls]
    assert len(calls) == MOST_CHANGING + 50
    assert all(call.compared and call.changes for call in calls[:MOST_CHANGING])
    assert not any(call.compared or call.changes for call in calls[MOST_CHANGING:])
    assert calls[-1].result == calls[0].result
    (note,) = [item for item in played_items(calls[-1:], PAGE) if item.kind is Kind.NOTE]
    assert "changes are not shown" in note.text
