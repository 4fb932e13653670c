"""`bfcl-pipeline show`, on real entries and the oracle's answers to them."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from bfcl_pipeline.cli import main
from bfcl_pipeline.records import Mode, Response, Status
from bfcl_pipeline.tables import write_responses

TALK = "multi_turn_base_60"
FORMAT = "format_sensitivity_5199"


@pytest.fixture
def refused(tmp_path, staged, capsys):
    """The error of a command that cannot do what it is asked."""

    def error(*words):
        assert main(["show", *words, "--run", str(tmp_path), "--data", str(staged)]) == 1
        return capsys.readouterr().err

    return error


def _with_turn(response, turn, steps):
    turns = json.loads(response.result_json)
    turns[turn] = steps
    return replace(response, result_json=json.dumps(turns))


def test_a_conversation_is_shown_turn_by_turn(show, oracle):
    """User, calls with results and changes, closing words, and at the end the verdict."""
    text = show(TALK, oracle(TALK))
    assert text.startswith(f"{TALK}  answered by org/some-FC in")
    assert text.count("\nTurn ") == 5
    assert "Turn 2 of 5\nuser     Oh no! One of the tires feels odd." in text
    assert (
        "step 1   > close_ticket(ticket_id=2)\n"
        '           {"status": "Ticket 2 has been closed successfully."}\n'
        "           ~ TicketAPI.ticket_queue[1]['status']: 'Open' -> 'Closed'\n"
        "step 2   All of it is done.\n"
    ) in text
    assert text.endswith("\n\nvalid  official rules\n")
    assert "truth" not in text


def test_a_failed_one_says_where_it_fell_and_what_the_truth_called(show, oracle):
    """The turn is marked, the truth stands beside the calls, and the last lines say why."""
    text = show(TALK, _with_turn(oracle(TALK), 1, ["I looked."]))
    assert "Turn 2 of 5  <- the verdict fell here: multi_turn:empty_turn_model_response\n" in text
    assert (
        "step 1   I looked.\n"
        "truth    > check_tire_pressure()  <- not called so\n"
        '           {"frontLeftTirePressure": 32.0'
    ) in text
    assert "Turn 3 of 5  (not judged any more)\n" in text
    assert text.count("truth    (the same calls)\n") == 4
    assert text.endswith(
        "\ninvalid  multi_turn:empty_turn_model_response  (official rules)\n"
        "         Turn 2: no call was made; the truth calls check_tire_pressure.\n"
    )


def test_a_forced_end_shows_what_was_not_reached(show, oracle):
    """The turns after the end are there with what the truth would have called."""
    whole = oracle(TALK)
    ended = replace(whole, result_json=json.dumps(json.loads(whole.result_json)[:4]))
    text = show(TALK, ended)
    assert "Turn 4 of 5  <- the verdict fell here: multi_turn:force_terminated\n" in text
    assert "model    (the conversation had ended)\ntruth    > close_ticket(ticket_id=2)" in text


def test_functions_that_appear_stand_at_their_turn(show, oracle):
    """In multi_turn_miss_func a turn may have no words, only a function by its signature."""
    found = "multi_turn_miss_func_60"
    text = show(found, oracle(found, Mode.PROMPT), model="oracle")
    assert "Turn 3 of 6\nappears  check_tire_pressure()\nstep 1   > check_tire_pressure()\n" in text
    assert text.endswith("valid  official rules\n")


def test_long_results_are_cut_and_counted(show, oracle):
    """A result of a filled-up world takes a few lines, and what is left out is counted."""
    found = "multi_turn_long_context_60"
    text = show(found, oracle(found))
    assert "more characters)" in " ".join(text.split())
    assert len(text) < 6_000
    assert max(map(len, text.splitlines())) <= 100


def test_without_a_model_the_truth_is_played(show):
    """The entry alone: each turn, and the truth's calls with results and changes."""
    text = show(TALK)
    assert text.startswith(f"{TALK}\nabout    multi_turn_base; TicketAPI, VehicleControlAPI; 31 functions")
    assert "truth    > close_ticket(ticket_id=2)\n" in text
    assert "~ VehicleControlAPI.engine_state: 'stopped' -> 'running'\n" in text
    assert "valid" not in text


def test_a_single_turn_entry(show, oracle, entry):
    """Messages, the functions by signature, the answer, what is acceptable, the verdict."""
    text = show("simple_python_3", oracle("simple_python_3"))
    asked = entry("simple_python_3").turns[0][0]["content"]
    assert text[text.index("about ") :] == (  # the line before it may wrap: it names the folder
        "about    simple_python; 1 function offered\n"
        f"user     {asked}\n\n"
        "offered  algebra.quadratic_roots(a: integer, b: integer, c: integer)\n\n"
        "answer   > algebra_quadratic_roots(a=1, b=-3, c=2)\n\n"
        "accepts  > algebra.quadratic_roots\n"
        "             a = 1\n             b = -3\n             c = 2\n\n"
        "valid  official rules\n"
    )


def test_an_answer_in_another_format_is_shown_and_read(show, oracle):
    """A prompted answer that is no Python stands as it came, then as the calls read in it."""
    text = show("simple_java_3", oracle("simple_java_3", Mode.PROMPT), model="oracle")
    assert "answer   [DB2Tablespace.resolveTablespaceReference(monitor=" in text
    assert "read as  > DB2Tablespace.resolveTablespaceReference(monitor='" in text


def test_an_answer_that_cannot_be_read_says_why(show):
    """A broken call is shown as it came, with the reason and the official error type."""
    answer = json.dumps([{"algebra_quadratic_roots": '{"a": 1'}])
    text = show("simple_python_3", Response("simple_python_3", "simple_python", Mode.FC, answer))
    assert "\nanswer   [{" in text
    assert "(no call: the arguments of 'algebra_quadratic_roots' are not JSON" in text
    assert "\ninvalid  ast_decoder:decoder_failed  (official rules)\n" in text


def test_irrelevance_accepts_no_call(show, oracle):
    """Where the release has no truth, it is said what is right."""
    text = show("irrelevance_3", oracle("irrelevance_3"))
    assert "\nanswer   None of the functions offered here" in text
    assert "\naccepts  (no call)\n" in text


def test_a_long_id_may_be_named_by_its_start(show, oracle, entry):
    """An id of format_sensitivity is found by what stands before its first colon."""
    text = show(FORMAT, oracle(FORMAT, Mode.PROMPT), model="oracle")
    assert text.replace("\n", "").startswith(entry(FORMAT).entry_id)
    assert "\nformat   ret_fmt=python tool_call_tag=False" in text
    assert text.endswith("valid  official rules\n")


def test_the_rules_can_be_chosen(show, oracle):
    """A call where nothing can be called yet fails under corrected rules."""
    found = "multi_turn_miss_func_60"
    early = _with_turn(oracle(found), 1, [[{"ticket_get_login_status": "{}"}]])
    assert show(found, early).endswith("valid  official rules\n")
    text = show(found, early, "--rules", "corrected")
    assert "Turn 2 of 6  <- the verdict fell here: multi_turn:irrelevance_error" in text
    assert "truth    (no call)" in text


def test_a_response_without_an_answer_says_its_status(show):
    """A failure of the machinery has no verdict; its status and detail stand in the place of one."""
    down = Response(TALK, "multi_turn_base", Mode.FC, None, Status.INFRASTRUCTURE_ERROR, "HTTP 503")
    assert show(TALK, down).endswith("\nno verdict  infrastructure_error\n         HTTP 503\n")


def test_an_agentic_answer_is_shown_step_by_step(show, entries):
    """Calls of each step, the closing message, and the acceptable answers."""
    asked = entries("memory_kv")[-1].entry_id
    steps = [[{"core_memory_retrieve": '{"key": "kid"}'}], "{'answer': '1-20'}"]
    text = show(asked, Response(asked, "memory_kv", Mode.FC, json.dumps([steps])))
    assert "\nstep 1   > core_memory_retrieve(key='kid')\nstep 2   {'answer': '1-20'}\n" in text
    assert "\naccepts  '1-20'\n\nvalid  official rules\n" in text


def test_a_session_before_the_questions_has_no_truth(show, entries):
    """What is only told to a memory is never judged, and says so."""
    asked = next(one.entry_id for one in entries("memory_kv") if one.prerequisite)
    assert show(asked).endswith("\naccepts  (anything: a session before the questions)\n")


def test_what_a_model_writes_cannot_steer_the_terminal(show, oracle):
    """Escape sequences, markup and turned writing are printed as text, and lines stay in their place."""
    hostile = "\x1b[2J[bold]x[/bold]\u202e\ud800\nTurn 9 of 9  valid"
    calls = [{"create_ticket": json.dumps({"title": hostile})}, {f"a{hostile}": "{}"}]
    text = show(TALK, _with_turn(_with_turn(oracle(TALK), 1, [hostile]), 2, [calls]))
    assert "\x1b" not in text
    assert "step 1   \\x1b[2J[bold]x[/bold]\\u202e\\ud800\n         Turn 9 of 9  valid\n" in text
    assert all(line.isprintable() for line in text.splitlines())


def test_a_result_with_a_number_that_nobody_reads(show):
    """A result that JSON holds and no reader takes is judged, and shown as it is."""
    response = Response("simple_python_3", "simple_python", Mode.FC, f"[{'9' * 5000}]")
    text = show("simple_python_3", response)
    assert "\nanswer   [999" in text
    assert "\ninvalid  ast_decoder:decoder_failed" in text


def test_a_missing_response_names_where_it_looked_and_who_has_one(refused, oracle, tmp_path):
    """The table, and the models of the run that have a response to the entry."""
    write_responses(
        tmp_path / "responses" / "a" / "multi_turn_base.parquet", [oracle("multi_turn_base_60")]
    )
    error = refused(TALK, "--model", "b/c")
    assert f"{tmp_path}/responses/b_c/multi_turn_base.parquet: no response of 'b/c' to {TALK}." in error
    assert error.endswith("Models that have one there: a.\n")
    assert "No model has one there" in refused("multi_turn_base_1", "--model", "a")


@pytest.mark.parametrize(
    ("entry_id", "near"),
    [("multi_turn_bas_12", "multi_turn_base_12"), ("multi_turn_base_200", "multi_turn_base_20")],
)
def test_an_unknown_entry_has_near_ones(refused, entry_id, near):
    """A mistyped id, in its category or its number, is answered with ids that there are."""
    error = refused(entry_id)
    assert f"no entry {entry_id!r}. Near ones: " in error
    assert near in error


def test_nothing_staged_says_so(tmp_path, capsys):
    """Without the benchmark the error says how to get it."""
    assert main(["show", TALK, "--data", str(tmp_path)]) == 1
    assert "Stage the benchmark first: bfcl-pipeline stage --data" in capsys.readouterr().err
