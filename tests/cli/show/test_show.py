"""`bfcl-pipeline show` on real entries and the answers of the oracle."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from bfcl_pipeline.benchmark.records import Mode, Response
from bfcl_pipeline.benchmark.tables import write_responses
from bfcl_pipeline.cli import main

TALK = "multi_turn_base_60"
HOSTILE = "\x1b[2J\u202e" + "W" * 200_000


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


def test_long_results_are_cut_and_counted(show, oracle):
    """A long result takes a few lines, with the number of characters that are left out."""
    found = "multi_turn_long_context_60"
    text = show(found, oracle(found))
    assert "more characters)" in " ".join(text.split())
    assert len(text) < 6_000
    assert max(map(len, text.splitlines())) <= 100


def test_text_of_a_model_cannot_control_the_terminal(show, oracle):
    """Escape sequences, markup and direction marks are printed as text, on indented lines."""
    hostile = "\x1b[2J[bold]x[/bold]\u202e\ud800\nTurn 9 of 9  valid"
    calls = [{"create_ticket": json.dumps({"title": hostile})}, {f"a{hostile}": "{}"}]
    text = show(TALK, _with_turn(_with_turn(oracle(TALK), 1, [hostile]), 2, [calls]))
    assert "\x1b" not in text
    assert "step 1   \\x1b[2J[bold]x[/bold]\\u202e\\ud800\n         Turn 9 of 9  valid\n" in text
    assert all(line.isprintable() for line in text.splitlines())


def test_hostile_calls_are_short_texts(show):
    """Control characters and marks of direction are escaped, and what is too long is cut."""
    calls = f"[calculate_cosine_similarity(vectorA={HOSTILE!r}, vectorB=[1])]"
    text = show(
        "exec_simple_3",
        Response("exec_simple_3", "exec_simple", Mode.PROMPT, json.dumps(calls), web="simulated"),
    )
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert len(text) < 12_000
    assert "more characters)" in text


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
