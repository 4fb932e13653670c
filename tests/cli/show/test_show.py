"""`bfcl-pipeline show` on real entries and the answers of the oracle."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from bfcl_pipeline.benchmark.records import Mode, Response, Status
from bfcl_pipeline.benchmark.tables import write_responses
from bfcl_pipeline.cli import main

TALK = "multi_turn_base_60"
FORMAT = "format_sensitivity_5199"


@pytest.fixture
def refused(tmp_path, staged, capsys, monkeypatch):
    """A function that returns the error of a command that fails, where there are no other runs."""
    monkeypatch.setattr("bfcl_pipeline.runs.folders.RESULTS", tmp_path / "results")

    def error(*words):
        run = ["--run", str(tmp_path)] if "--model" in words else []
        assert main(["show", *words, *run, "--data", str(staged)]) == 1
        return capsys.readouterr().err

    return error


def _with_turn(response, turn, steps):
    turns = json.loads(response.result_json)
    turns[turn] = steps
    return replace(response, result_json=json.dumps(turns))


def _early(response):
    """A call at a turn of multi_turn_miss_func without callable functions."""
    return _with_turn(response, 1, [[{"ticket_get_login_status": "{}"}]])


def _ended(response):
    """A conversation that ended before its last turn."""
    return replace(response, result_json=json.dumps(json.loads(response.result_json)[:4]))


def _as_answered(response):
    return response


FOUND = "multi_turn_miss_func_60"


@pytest.mark.parametrize(
    ("name", "entry_id", "mode", "changed", "words"),
    [
        # Messages, calls with results and changes, closing text, and at the end the verdict.
        ("conversation", TALK, Mode.FC, _as_answered, ()),
        # The failing turn is marked, the truth follows the calls, and the last lines have the reason.
        ("failing_turn", TALK, Mode.FC, lambda one: _with_turn(one, 1, ["I looked."]), ()),
        # Turns that were not reached are printed with the calls of the truth.
        ("forced_end", TALK, Mode.FC, _ended, ()),
        # In multi_turn_miss_func a turn may have no message, only the signature of a function.
        ("function_appears", FOUND, Mode.PROMPT, _as_answered, ()),
        # A call that fails under corrected rules only: both verdicts are printed, and the chosen one.
        ("rules_differ", FOUND, Mode.FC, _early, ()),
        ("rules_chosen", FOUND, Mode.FC, _early, ("--rules", "corrected")),
        # Messages, the functions by signature, the answer, what is acceptable, the verdict.
        ("single_turn", "simple_python_3", Mode.FC, _as_answered, ()),
        # A prompted answer that is not Python is printed unchanged, then as the calls in it.
        ("java", "simple_java_3", Mode.PROMPT, _as_answered, ()),
        # If the release has no truth, the right answer is described.
        ("irrelevance", "irrelevance_3", Mode.FC, _as_answered, ()),
        # An id of format_sensitivity is found by its part before the first colon.
        ("prompt_format", FORMAT, Mode.PROMPT, _as_answered, ()),
    ],
)
def test_an_answer_of_the_oracle_has_its_page(page, oracle, name, entry_id, mode, changed, words):
    """The whole page of an answer, as the oracle gave it or changed."""
    model = "oracle" if mode is Mode.PROMPT else "org/some-FC"
    page(name, entry_id, changed(oracle(entry_id, mode)), *words, model=model)


def test_long_results_are_cut_and_counted(show, oracle):
    """A long result takes a few lines, with the number of characters that are left out."""
    found = "multi_turn_long_context_60"
    text = show(found, oracle(found))
    assert "more characters)" in " ".join(text.split())
    assert len(text) < 6_000
    assert max(map(len, text.splitlines())) <= 100


def test_without_a_model_the_truth_is_played(page):
    """The entry alone: each turn, and the calls of the truth with results and changes."""
    page("entry_alone", TALK)


def test_an_answer_that_cannot_be_read_says_why(page):
    """A broken call is printed unchanged, with the reason and the official error type."""
    answer = json.dumps([{"algebra_quadratic_roots": '{"a": 1'}])
    page("broken_call", "simple_python_3", Response("simple_python_3", "simple_python", Mode.FC, answer))


def test_a_response_without_an_answer_has_its_status_instead_of_a_verdict(show):
    """An infrastructure failure has no verdict; its status and detail are printed instead."""
    down = Response(TALK, "multi_turn_base", Mode.FC, None, Status.INFRASTRUCTURE_ERROR, "HTTP 503")
    assert show(TALK, down).endswith("\nno verdict  infrastructure_error\n         HTTP 503\n")


def test_an_agentic_answer_is_shown_step_by_step(show, entries):
    """Calls of each step, the closing message, and the acceptable answers."""
    asked = entries("memory_kv")[-1].entry_id
    steps = [[{"core_memory_retrieve": '{"key": "kid"}'}], "{'answer': '1-20'}"]
    text = show(asked, Response(asked, "memory_kv", Mode.FC, json.dumps([steps])))
    assert (
        "\nstep 1   > core_memory_retrieve(key='kid')\n         (result not recorded: There is no table of"
    ) in text
    assert "\nstep 2   {'answer': '1-20'}\n" in text
    assert "\naccepts  '1-20'\nsource   Family time: Take kid to park" in text


def test_a_session_before_the_questions_has_no_truth(show, entries):
    """A session accepts any answer: it is not scored."""
    asked = next(one.entry_id for one in entries("memory_kv") if one.prerequisite)
    assert show(asked).endswith("\naccepts  (anything: a session before the questions)\n")


def test_text_of_a_model_cannot_control_the_terminal(show, oracle):
    """Escape sequences, markup and direction marks are printed as text, on indented lines."""
    hostile = "\x1b[2J[bold]x[/bold]\u202e\ud800\nTurn 9 of 9  valid"
    calls = [{"create_ticket": json.dumps({"title": hostile})}, {f"a{hostile}": "{}"}]
    text = show(TALK, _with_turn(_with_turn(oracle(TALK), 1, [hostile]), 2, [calls]))
    assert "\x1b" not in text
    assert "step 1   \\x1b[2J[bold]x[/bold]\\u202e\\ud800\n         Turn 9 of 9  valid\n" in text
    assert all(line.isprintable() for line in text.splitlines())


def test_a_result_with_a_number_that_cannot_be_parsed(show):
    """A result that is valid JSON but cannot be parsed is scored, and printed unchanged."""
    response = Response("simple_python_3", "simple_python", Mode.FC, f"[{'9' * 5000}]")
    text = show("simple_python_3", response)
    assert "\nanswer   [999" in text
    assert "\ninvalid  ast_decoder:decoder_failed" in text


def test_a_missing_response_names_the_table_and_the_runs_that_have_one(refused, oracle, tmp_path):
    """The error has the path of the table, and runs and models with a response to the entry."""
    write_responses(
        tmp_path / "responses" / "a" / "multi_turn_base.parquet", [oracle("multi_turn_base_60")]
    )
    (tmp_path / "responses" / "b_c").mkdir()
    error = refused(TALK, "--model", "b/c")
    assert f"{tmp_path}/responses/b_c/multi_turn_base.parquet: no response of 'b/c' to {TALK}." in error
    assert error.endswith(f"Runs that have one: {tmp_path} (a).\n")
    assert "the entry may be outside their samples" in refused("multi_turn_base_1", "--model", "a")


@pytest.mark.parametrize(
    ("entry_id", "near"),
    [("multi_turn_bas_12", "multi_turn_base_12"), ("multi_turn_base_200", "multi_turn_base_20")],
)
def test_an_unknown_entry_is_answered_with_similar_ids(refused, entry_id, near):
    """The error for a mistyped category or number has ids that exist."""
    error = refused(entry_id)
    assert f"no entry {entry_id!r}. Did you mean " in error
    assert near in error


def test_an_entry_whose_category_is_not_staged_has_an_error_of_its_own(staged, tmp_path, capsys):
    """A release that was staged before a category was added is staged again; ids are not the matter."""
    (tmp_path / "entries").mkdir()
    (tmp_path / "entries" / "sql.parquet").symlink_to((staged / "entries" / "sql.parquet").resolve())
    assert main(["show", "rest_0", "--data", str(tmp_path)]) == 1
    assert "rest.parquet: no such table. Stage the benchmark again: " in capsys.readouterr().err


def test_without_staged_entries_the_error_names_the_command(tmp_path, capsys):
    """Without a staged benchmark the error has the command that stages it."""
    assert main(["show", TALK, "--data", str(tmp_path)]) == 1
    assert "Stage the benchmark first: bfcl-pipeline stage --data" in capsys.readouterr().err
