"""Verdicts on multi-turn conversations."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.benchmark.records import Call, Entry, Mode, Response, Rules
from bfcl_pipeline.dialogue.calls import executed_text
from bfcl_pipeline.dialogue.release_texts import read_constants
from bfcl_pipeline.judge.judging import score_table
from bfcl_pipeline.judge.scoring import Judge, judge, truth_calls
from bfcl_pipeline.world.tools import World, WorldConfig

OPEN = "create_ticket(title='a', priority=2)"
TRUTH = [[OPEN], [], ["get_ticket(7)", "close_ticket(ticket_id=7)"]]
STATE = {"TicketAPI": {"current_user": "Ann", "ticket_queue": [], "ticket_counter": 7}}


def entry(truth=TRUTH, state=STATE):
    asked = tuple(({"role": "user", "content": "Please."},) for _ in truth)
    return Entry(
        "multi_turn_base_0",
        "multi_turn_base",
        asked,
        (),
        truth=truth,
        apis=("TicketAPI",),
        initial_state=state,
    )


@pytest.fixture
def verdict(constants):
    """The verdict on the prompted answers of each turn's steps."""

    def judged(*turns, rules=Rules.OFFICIAL, on=None):
        on = on or entry()
        response = Response(on.entry_id, on.category, Mode.PROMPT, json.dumps(list(turns)))
        return judge(on, response, rules, constants)

    return judged


RIGHT = ([f"[{OPEN}]", "Done."], ["No."], ["[get_ticket(ticket_id=7)]", "[close_ticket(ticket_id=7)]"])


def test_the_truth_passes_however_it_is_split(verdict):
    """The division into steps, and text between them, does not matter; the turn of a call does."""
    assert verdict(*RIGHT).valid is True
    assert (
        verdict([f"[{OPEN}]"], [], ["[get_ticket(ticket_id=7), close_ticket(ticket_id=7)]"]).valid is True
    )


def test_the_same_in_native_calls(constants):
    """Function-calling results are checked in the same way."""
    turns = [
        [[{"create_ticket": '{"title": "a", "priority": 2}'}], "Done."],
        [],
        [[{"get_ticket": '{"ticket_id": 7}'}, {"close_ticket": '{"ticket_id": 7}'}]],
    ]
    response = Response("multi_turn_base_0", "multi_turn_base", Mode.FC, json.dumps(turns))
    assert judge(entry(), response, constants=constants).valid is True


@pytest.mark.parametrize("model", ["a-model", "4-model", "01.model"])
def test_the_name_of_the_model_does_not_matter(staged, entries, model):
    """Of a model whose name begins with a digit, too, right calls pass and wrong ones fail."""
    on = entries("multi_turn_base")[0]
    right = [[f"[{', '.join(map(executed_text, calls))}]"] for calls in truth_calls(on)]
    wrong = [["[pwd()]"] * len(calls) for calls in on.truth]
    table = pa.table(
        {
            "model": [model] * 2,
            "entry_id": [on.entry_id] * 2,
            "category": [on.category] * 2,
            "mode": ["prompt"] * 2,
            "result_json": [json.dumps(right), json.dumps(wrong)],
        }
    )
    assert score_table(table, staged).column("valid").to_pylist() == [True, False]
    world = World.for_entry(on, WorldConfig(read_constants(staged)), model)
    assert world.run(Call("pwd", {})).startswith('{"current_working_directory"')


def test_a_state_that_differs_names_the_attribute_and_both_values(verdict):
    """The message names the innermost different value of the states."""
    found = verdict(["[create_ticket(title='b', priority=2)]"], [], [])
    assert found.error_type == "multi_turn:instance_state_mismatch"
    assert found.error_message == ("After turn 1: TicketAPI.ticket_queue[0]['title'] is 'b', expected 'a'.")


def test_a_missing_part_of_a_state_is_named(verdict):
    """A part that only one state has is shown as missing."""
    found = verdict(["[get_ticket(ticket_id=1)]"], [], [])
    assert "TicketAPI.ticket_queue[0] is missing, expected {" in found.error_message
    assert "TicketAPI.ticket_counter is 7, expected 8" in found.error_message


def test_a_turn_without_calls_is_empty(verdict):
    """If the truth has calls, a turn without a call that can be decoded has failed."""
    found = verdict([f"[{OPEN}]"], [], ["I am done.", ""])
    assert found.error_type == "multi_turn:empty_turn_model_response"
    assert found.error_message == ("Turn 3: no call was made; the truth calls get_ticket, close_ticket.")


def test_results_of_earlier_turns_count(verdict):
    """A result of the truth's turn may come from an earlier turn."""
    early = [f"[{OPEN}, get_ticket(ticket_id=7)]"]
    assert verdict(early, [], ["[close_ticket(ticket_id=7)]"]).valid is True


def test_a_missing_result_is_an_error(verdict):
    """Equal states are not enough: the results of the truth's calls must occur too."""
    on = entry([[OPEN], ["ticket_get_login_status()", "close_ticket(ticket_id=7)"]])
    found = verdict([f"[{OPEN}]"], ["[close_ticket(ticket_id=7)]"], on=on)
    assert found.error_type == "multi_turn:execution_response_mismatch"
    assert found.error_message == (
        "Turn 2: no call so far returned what ticket_get_login_status() returns: "
        "'{\"login_status\": true}'."
    )


def test_results_are_counted(verdict):
    """A result that the truth has twice must occur twice."""
    twice = entry([["ticket_get_login_status()", "ticket_get_login_status()"]])
    once = ["[ticket_get_login_status()]"]
    assert verdict(once, on=twice).error_type == "multi_turn:execution_response_mismatch"
    assert verdict(once * 2, on=twice).valid is True


def test_an_ended_conversation_has_too_few_turns(verdict):
    """The turns of a conversation that was ended are not run."""
    assert verdict([f"[{OPEN}]"]).error_type == "multi_turn:force_terminated"
    assert verdict(*RIGHT, []).error_type == "multi_turn:force_terminated"


@pytest.mark.parametrize("result", ["Error during inference: 429", {"a": 1}, None, 3])
def test_a_result_without_turns_is_an_inference_error(constants, result):
    """A result that is not a list of turns has its own official type."""
    response = Response("multi_turn_base_0", "multi_turn_base", Mode.FC, json.dumps(result))
    assert judge(entry(), response, constants=constants).error_type == "multi_turn:inference_error"


@pytest.mark.parametrize("turn", ["text", {"a": []}, [None, 3, {"ls": 3}, [["x"]]]])
def test_a_malformed_turn_has_no_steps(verdict, turn):
    """A value of another form in place of a turn or a step counts as one without calls."""
    assert verdict(turn, [], []).error_type == "multi_turn:empty_turn_model_response"


def test_corrected_rules_accept_no_call_where_the_truth_has_none(verdict):
    """A read at an empty turn is valid by official rules only; an earlier error is unchanged."""
    early = ([f"[{OPEN}]"], ["[get_ticket(ticket_id=7)]"], ["[close_ticket(ticket_id=7)]"])
    assert verdict(*early).valid is True
    found = verdict(*early, rules=Rules.CORRECTED)
    assert found.error_type == "multi_turn:irrelevance_error:decoder_success"
    assert found.error_message == "Turn 2: nothing can be called yet, but get_ticket is called."
    assert verdict(*RIGHT, rules=Rules.CORRECTED).valid is True


def test_a_trajectory_does_not_affect_the_next_one(constants):
    """A `Judge` gives an answer the same verdict every time."""
    judging = Judge(entry(), constants)
    text = json.dumps(RIGHT)
    found = [judging.answer_verdicts(text, Mode.PROMPT, None, list(Rules)) for _ in range(3)]
    assert all(verdict.valid for verdicts in found for verdict in verdicts)


def test_a_mapping_in_place_of_a_turn_is_read_as_its_keys(verdict):
    """As in the release, whose runner iterates over any value in place of a turn."""
    assert verdict(*RIGHT[:2], dict.fromkeys(RIGHT[2], 1)).valid is True


@pytest.mark.parametrize("turn", [None, 5, True])
def test_a_value_that_cannot_be_read_as_a_turn_is_an_inference_error(verdict, turn):
    """The release's runner crashes there; here the answer fails, even if no call was expected."""
    assert verdict(RIGHT[0], turn, RIGHT[2]).error_type == "multi_turn:inference_error"


def test_an_owner_shows_in_texts_as_in_the_release(verdict):
    """A word before a bracket is rewritten as for a model called `model` on this entry."""
    told = "model_eval_multi_turn_base_0_TicketAPI_instance.get_ticket()"
    found = verdict(["[create_ticket(title='get_ticket ()', priority=2)]"], [], [])
    assert f"['title'] is {told!r}, expected 'a'" in found.error_message


def test_positional_arguments_are_bound_by_the_signature():
    """A truth may omit names of arguments; its calls have all of them."""
    (call,) = truth_calls(entry([["close_ticket(7)"]]))[0]
    assert call.arguments == {"ticket_id": 7}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("close_ticket(1, 2)", "2 arguments"),
        ("sell(1)", "sell is not a method"),
        ("close_ticket(x + 1)", "only literals and operators"),
        ("close_ticket", "a call of a function"),
        ("close_ticket(", "not a Python expression"),
        ("close_ticket(1, ticket_id=1)", "given twice"),
    ],
)
def test_a_malformed_truth_is_named(text, reason):
    """A truth that is not a call with literal arguments is an error with the entry's id."""
    with pytest.raises(MalformedRelease, match=rf"multi_turn_base_0: truth: .*{reason}.*Stage"):
        truth_calls(entry([[text]]))


def test_a_malformed_state_is_named(constants):
    """An initial state of the wrong type is an error that names entry, API and attribute."""
    on = entry(state={"TicketAPI": {"ticket_counter": "seven"}})
    with pytest.raises(MalformedRelease, match=r"multi_turn_base_0: .*TicketState: ticket_counter: .*int"):
        judge(on, Response(on.entry_id, on.category, Mode.FC, "[[],[],[]]"), constants=constants)
