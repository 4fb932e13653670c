"""`bfcl-pipeline show`, on real entries and the oracle's answers to them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from bfcl_pipeline.benchmark import category_of
from bfcl_pipeline.cli import main
from bfcl_pipeline.records import Mode, Response, Status
from bfcl_pipeline.tables import read_responses, write_responses
from bfcl_pipeline.tables.sessions import write_sessions

MODELS = Path(__file__).parents[2] / "config" / "models.yaml"
TALK = "multi_turn_base_60"
FORMAT = "format_sensitivity_5199"
PLAYER = "oracle-FC"
SESSION = "memory_kv_prereq_4-customer-4"
QUESTION = "memory_kv_12-customer-12"


@pytest.fixture
def entry(entries):
    """An entry by its id."""
    return lambda entry_id: next(
        one for one in entries(category_of(entry_id)) if one.entry_id.partition(":")[0] == entry_id
    )


@pytest.fixture
def oracle(entry, staged, tmp_path):
    """The oracle's response to an entry."""

    def respond(entry_id, mode=Mode.FC):
        asked, out = entry(entry_id), tmp_path / "generated.parquet"
        words = ["--model", "oracle" if mode is Mode.PROMPT else "oracle-FC", "--models", str(MODELS)]
        words += ["--category", asked.category, "--entry-ids", asked.entry_id, "--run", "r"]
        assert main(["generate", *words, "--out", str(out), "--data", str(staged)]) == 0
        return read_responses(out)[0]

    return respond


@pytest.fixture
def show(tmp_path, staged, capsys):
    """What the command prints for the response of a model; without one, for the entry."""

    def shown(entry_id, response=None, *words, model="org/some-FC"):
        words = [entry_id, "--run", str(tmp_path), "--data", str(staged), *words]
        if response is not None:
            folder = tmp_path / "responses" / model.replace("/", "_")
            write_responses(folder / f"{response.category}.parquet", [response])
            words += ["--model", model]
        assert main(["show", *words]) == 0
        return capsys.readouterr().out

    return shown


@pytest.fixture
def remember(staged, tmp_path):
    """Lets the oracle play sessions and a question; without `sessions`, keeps no table of them."""

    def played(entry_id, sessions=True):
        name = f"{PLAYER}/{category_of(entry_id)}.parquet"
        words = ["--model", PLAYER, "--models", str(MODELS), "--category", category_of(entry_id)]
        words += ["--entry-ids", entry_id, "--run", "r", "--data", str(staged)]
        words += ["--out", str(tmp_path / "responses" / name)]
        words += ["--sessions-out", str(tmp_path / "memory" / name)] if sessions else []
        assert main(["generate", *words]) == 0
        return entry_id

    return played


@pytest.fixture
def keep(entry, tmp_path):
    """Writes the memory after the last session before a question, as another run might have it."""

    def kept(question, snapshot, response=None):
        session = entry(entry(question).depends_on[-1])
        held = response or Response(session.entry_id, session.category, Mode.FC, "[]", model=PLAYER)
        path = tmp_path / "memory" / PLAYER / f"{session.category}.parquet"
        write_sessions(path, [(session, held, snapshot)])
        return session.entry_id

    return kept


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


def test_a_session_is_shown_turn_by_turn_with_the_memory_after_it(show, remember):
    """Each turn's words, calls and closing text, and at the end the keys that are held and how many."""
    remember(QUESTION)
    text = show(SESSION, None, "--model", PLAYER)
    assert text.startswith(f"{SESSION}  answered by {PLAYER} in")
    assert text.count("\nTurn ") == 11
    assert (
        "step 1   > archival_memory_add(key='fact_12', value='toaster oven')\n"
        "step 2   I have noted that.\n\nTurn 2 of 11\nuser "
    ) in text
    assert text.endswith(
        "\n\nmemory after the session  core: 0 entries, archival: 1 entry, 12 characters of values\n"
        "core     (empty)\n"
        "archival   fact_12  toaster oven\n"
    )
    assert max(map(len, text.splitlines())) <= 100


def test_a_question_is_shown_with_its_memory_and_where_the_answer_stands(show, remember):
    """The memory after the last session stands before the answer, its entry with the answer is marked."""
    text = show(remember(QUESTION), None, "--model", PLAYER)
    assert (
        "\nmemory at the question  core: 0 entries, archival: 1 entry, 12 characters of values\n"
        "core     (empty)\n"
        "archival * fact_12  toaster oven\n"
        "sought   'toaster oven' stands in 1 of 1 entry: archival fact_12\n\n"
        "step 1   > archival_memory_retrieve(key='fact_12')\n"
    ) in text
    assert text.endswith("\n\nvalid  official rules\n")


def test_a_memory_that_is_one_text_is_shown_as_it_is(show, remember):
    """The text keeps its lines, and it is told whether the answer stands in it."""
    text = show(remember("memory_rec_sum_12-customer-12"), None, "--model", PLAYER)
    assert (
        "\nmemory at the question  24 characters\n"
        "text     * fact 12: toaster oven ;\n"
        "sought   'toaster oven' stands in the text\n"
    ) in text


def test_a_memory_of_vectors_is_shown_by_number(show, keep):
    """Numbers and texts of both parts, aligned; the answer is found in any writing of it."""
    question = "memory_vector_12-customer-12"
    core = {"next_id": 11, "store": {"2": "has a cat", "10": "banished the Toaster, Oven"}}
    keep(question, {"core_memory": core, "archival_memory": {"next_id": 0, "store": {}}})
    response = Response(question, "memory_vector", Mode.FC, json.dumps([["I forgot."]]))
    text = show(question, response, model=PLAYER)
    assert (
        "core       2   has a cat\n"
        "         * 10  banished the Toaster, Oven\n"
        "archival (empty)\n"
        "sought   'toaster oven' stands in 1 of 2 entries: core 10\n"
    ) in text


def test_what_a_memory_lost_is_told_and_long_values_are_cut(show, keep):
    """Where no entry has the answer it says so; a long value takes a few lines, a long key its own."""
    core = {"pet": "a cat " * 500, "k" * 30: "short", "toast": "toaster ovens"}
    keep(QUESTION, {"core_memory": core, "archival_memory": {}})
    text = show(QUESTION, Response(QUESTION, "memory_kv", Mode.FC, '[["I forgot."]]'), model=PLAYER)
    assert "core       pet    a cat a cat" in text
    assert "(2,800 more characters)" in " ".join(text.split())
    assert f"           {'k' * 30}\n                  short\n           toast  toaster ovens\n" in text
    assert "\nsought   'toaster oven' stands in none of its entries\n" in text


def test_without_sessions_the_page_says_what_is_missing(show, remember):
    """A run without the table of sessions, or without this one, is shown with a note."""
    remember(QUESTION, sessions=False)
    text = show(QUESTION, None, "--model", PLAYER)
    assert "\nmemory at the question  not recorded\n" in text
    assert "Thereisnotableofsessions" in "".join(text.split())  # the path in it may break anywhere
    assert text.endswith("\nvalid  official rules\n")
    text = show(SESSION, None, "--model", PLAYER)
    assert text.startswith(f"{SESSION}\nabout ")
    assert "\nmemory after the session  not recorded\n" in text
    remember(QUESTION)
    text = show("memory_kv_prereq_22-student-0", None, "--model", PLAYER)
    assert "memory_kv.parquethasnosessionmemory_kv_prereq_22-student-0." in "".join(text.split())


def test_a_session_that_failed_says_why(show, keep, entry):
    """The status of a session that could not be held, and that nothing is known of the memory."""
    session = entry(QUESTION).depends_on[-1]
    down = Response(session, "memory_kv", Mode.FC, None, Status.INFRASTRUCTURE_ERROR, "HTTP 503")
    keep(QUESTION, None, down)
    text = show(session, None, "--model", PLAYER)
    assert text.endswith(
        "\n\nno verdict  infrastructure_error\n         HTTP 503\n"
        "\nmemory after the session  it could not be held\n"
    )


@pytest.mark.parametrize(
    "snapshot",
    [
        {
            "core_memory": {"\x1b[2J\nk\u202e\u4e2d": "\x1b[2J[bold]\u202e"},
            "archival_memory": {"a": [1, None]},
        },
        {"memory": "\x1b[2J[bold]x"},
        {"core_memory": "\x1b[2J", "archival_memory": 1},
        ["\x1b[2J"],
    ],
)
def test_what_stands_in_a_memory_cannot_steer_the_terminal(show, keep, snapshot):
    """Keys and values are printed as text, also in tables of no known form."""
    session = keep(QUESTION, snapshot)
    text = show(session, None, "--model", PLAYER)
    assert "\\x1b[2J" in text or "\\u001b[2J" in text
    assert all(line.isprintable() and len(line) <= 100 for line in text.splitlines())


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
