"""`bfcl-pipeline show` on sessions before memory questions and on the contents of memories."""

from __future__ import annotations

import pytest

from bfcl_pipeline.benchmark.definition import category_of
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


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        # Messages, calls and closing text of each turn, and at the end the keys of the memory.
        ("session", SESSION),
        # The memory after the last session is printed, and its entry with the answer is marked.
        ("memory_question", QUESTION),
        # A memory of one text keeps its lines; whether the answer is in it.
        ("memory_text", "memory_rec_sum_12-customer-12"),
    ],
)
def test_the_page_of_a_conversation_with_a_memory(page, remember, name, shown):
    """The whole page of a session or question that the oracle answered."""
    remember(QUESTION if shown == SESSION else shown)
    page(name, shown, None, "--model", PLAYER)


CORE = {"pet": "a cat " * 500, "k" * 30: "short", "toast": "toaster ovens"}
STORE = {
    "next_id": 12,
    "store": {"2": "has a cat", "10": "banished the Toaster, Oven", "11": "so " * 99 + "toaster oven"},
}


@pytest.mark.parametrize(
    ("name", "question", "snapshot"),
    [
        # Numbers and texts of both parts; case and punctuation of the answer do not matter, and a text
        # with it is cut later than others, so that it is seen.
        (
            "memory_vectors",
            "memory_vector_12-customer-12",
            {"core_memory": STORE, "archival_memory": {"next_id": 0, "store": {}}},
        ),
        # No entry has the answer; a long value takes a few lines.
        ("memory_without_answer", QUESTION, {"core_memory": CORE, "archival_memory": {}}),
    ],
)
def test_the_page_has_the_memory_at_the_question(page, keep, name, question, snapshot):
    """The whole page, with what the memory of another run had."""
    keep(question, snapshot)
    category = category_of(question)
    page(name, question, Response(question, category, Mode.FC, '[["I forgot."]]'), model=PLAYER)


def test_without_sessions_the_page_reports_what_is_missing(page, remember):
    """A run without the table of sessions, or without this session, is shown with a note."""
    remember(QUESTION, sessions=False)
    page("memory_no_table", QUESTION, None, "--model", PLAYER)
    page("session_no_table", SESSION, None, "--model", PLAYER)
    remember(QUESTION)
    page("session_missing", "memory_kv_prereq_22-student-0", None, "--model", PLAYER)


def test_a_failed_session_has_its_status(page, keep, entry):
    """The page has the status of a failed session, and reports that there is no memory after it."""
    session = entry(QUESTION).depends_on[-1]
    keep(
        QUESTION,
        None,
        Response(session, "memory_kv", Mode.FC, None, Status.INFRASTRUCTURE_ERROR, "HTTP 503"),
    )
    page("session_failed", session, None, "--model", PLAYER)


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
