"""`bfcl-pipeline show` on sessions before memory questions and on the contents of memories."""

from __future__ import annotations

import json

import pytest

from bfcl_pipeline.benchmark.records import Mode, Response, Status
from bfcl_pipeline.benchmark.tables.responses import write_sessions

PLAYER = "oracle-FC"
SESSION = "memory_kv_prereq_4-customer-4"
QUESTION = "memory_kv_12-customer-12"


@pytest.fixture
def remember(generate, tmp_path):
    """A function that runs the oracle on sessions and a question, with or without a table of sessions."""

    def played(entry_id, sessions=True):
        kept = ["--sessions-out", str(tmp_path / "run/memory" / PLAYER)] if sessions else []
        generate(entry_id, PLAYER, *kept)
        return entry_id

    return played


@pytest.fixture
def keep(entry, tmp_path):
    """A function that writes the memory after the last session before a question, as in another run."""

    def kept(question, snapshot, response=None):
        session = entry(entry(question).depends_on[-1])
        held = response or Response(session.entry_id, session.category, Mode.FC, "[]", model=PLAYER)
        path = tmp_path / "run/memory" / PLAYER / f"{session.category}.parquet"
        write_sessions(path, [(session, held, snapshot)])
        return session.entry_id

    return kept


def test_a_session_is_shown_turn_by_turn_with_the_memory_after_it(show, remember):
    """Messages, calls and closing text of each turn, and at the end the keys of the memory."""
    remember(QUESTION)
    text = show(SESSION, None, "--model", PLAYER)
    assert text.startswith(f"{SESSION}  answered by {PLAYER} in")
    assert text.count("\nTurn ") == 11
    assert (
        "step 1   > archival_memory_add(key='fact_12', value='toaster oven')\n"
        '           {"status": "Key added."}\n'
        "           ~ MemoryAPI_kv.archival_memory['fact_12']: (nothing) -> 'toaster oven'\n"
        "step 2   I have noted that.\n\nTurn 2 of 11\nuser "
    ) in text
    assert text.endswith(
        "\n\nmemory after the session  core: 0 entries, archival: 1 entry, 12 characters of values\n"
        "core     (empty)\n"
        "archival   fact_12  toaster oven\n"
    )
    assert max(map(len, text.splitlines())) <= 100


def test_a_question_is_shown_with_its_memory_and_the_entry_with_the_answer(show, remember):
    """The memory after the last session is printed, and its entry with the answer is marked."""
    text = show(remember(QUESTION), None, "--model", PLAYER)
    assert (
        "\nmemory at the question  core: 0 entries, archival: 1 entry, 12 characters of values\n"
        "core     (empty)\n"
        "archival * fact_12  toaster oven\n"
        "expected 'toaster oven' is in 1 of 1 entry: archival fact_12\n\n"
        "step 1   > archival_memory_retrieve(key='fact_12')\n"
        '           {"value": "toaster oven"}\n'
    ) in text
    assert text.rpartition("\n\n")[2].startswith("valid  official rules")


def test_a_memory_that_is_one_text_is_shown_as_it_is(show, remember):
    """The text keeps its lines, and the page reports whether the answer is in it."""
    text = show(remember("memory_rec_sum_12-customer-12"), None, "--model", PLAYER)
    assert (
        "\nmemory at the question  24 characters\n"
        "text     * fact 12: toaster oven ;\n"
        "expected 'toaster oven' is in the text\n"
    ) in text


def test_a_memory_of_vectors_is_shown_by_number(show, keep):
    """Numbers and texts of both parts; case and punctuation of the answer do not matter."""
    question = "memory_vector_12-customer-12"
    core = {"next_id": 11, "store": {"2": "has a cat", "10": "banished the Toaster, Oven"}}
    keep(question, {"core_memory": core, "archival_memory": {"next_id": 0, "store": {}}})
    response = Response(question, "memory_vector", Mode.FC, json.dumps([["I forgot."]]))
    text = show(question, response, model=PLAYER)
    assert (
        "core       2  has a cat\n"
        "         * 10  banished the Toaster, Oven\n"
        "archival (empty)\n"
        "expected 'toaster oven' is in 1 of 2 entries: core 10\n"
    ) in text


def test_a_memory_without_the_answer_is_reported_and_long_values_are_cut(show, keep):
    """The page reports that no entry has the answer; a long value takes a few lines."""
    core = {"pet": "a cat " * 500, "k" * 30: "short", "toast": "toaster ovens"}
    keep(QUESTION, {"core_memory": core, "archival_memory": {}})
    text = show(QUESTION, Response(QUESTION, "memory_kv", Mode.FC, '[["I forgot."]]'), model=PLAYER)
    assert "core       pet  a cat a cat" in text
    assert "(2,800 more characters)" in " ".join(text.split())
    assert f"           {'k' * 30}  short\n           toast  toaster ovens\n" in text
    assert "\nexpected 'toaster oven' is in none of its entries\n" in text


def test_without_sessions_the_page_reports_what_is_missing(show, remember):
    """A run without the table of sessions, or without this session, is shown with a note."""
    remember(QUESTION, sessions=False)
    text = show(QUESTION, None, "--model", PLAYER)
    assert "\nmemory at the question  not recorded\n" in text
    assert "Thereisnotableofsessions" in "".join(text.split())  # the path in it may break anywhere
    assert text.splitlines()[-1].startswith("valid  official rules")
    text = show(SESSION, None, "--model", PLAYER)
    assert text.startswith(f"{SESSION}\nabout ")
    assert "\nmemory after the session  not recorded\n" in text
    remember(QUESTION)
    text = show("memory_kv_prereq_22-student-0", None, "--model", PLAYER)
    assert "memory_kv.parquethasnosessionmemory_kv_prereq_22-student-0." in "".join(text.split())


def test_a_failed_session_has_its_status(show, keep, entry):
    """The page has the status of a failed session, and reports that there is no memory after it."""
    session = entry(QUESTION).depends_on[-1]
    down = Response(session, "memory_kv", Mode.FC, None, Status.INFRASTRUCTURE_ERROR, "HTTP 503")
    keep(QUESTION, None, down)
    text = show(session, None, "--model", PLAYER)
    assert text.endswith(
        "\n\nno verdict  infrastructure_error\n         HTTP 503\n"
        "\nmemory after the session  none: the session failed\n"
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
def test_the_contents_of_a_memory_cannot_control_the_terminal(show, keep, snapshot):
    """Keys and values are printed as text, also in unrecognized formats."""
    session = keep(QUESTION, snapshot)
    text = show(session, None, "--model", PLAYER)
    assert "\\x1b[2J" in text or "\\u001b[2J" in text
    assert all(line.isprintable() and len(line) <= 100 for line in text.splitlines())
