"""Records of entries, on the real benchmark."""

from __future__ import annotations

import pytest

from bfcl_pipeline.benchmark.config import WebChoice
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.show.playback.conditions import Conditions
from bfcl_pipeline.show.transcripts.entry import entry_record
from bfcl_pipeline.show.transcripts.parts import PAGE, TERMINAL, Item, Kind


@pytest.fixture
def record(entries, staged, constants):
    """A function that returns the record of an entry, found by its id."""

    def of(entry_id, rules=Rules.OFFICIAL, limits=PAGE, web=None):
        category = next(name for name in sorted(CATEGORIES, key=len)[::-1] if entry_id.startswith(name))
        entry = next(one for one in entries(category) if one.entry_id == entry_id)
        return entry_record(entry, Conditions(staged, constants, web=web or WebChoice()), rules, limits)

    return of


def _texts(items, kind):
    return [item.text for item in items if item.kind is kind]


def test_a_web_question_has_its_hops_with_answers_and_sources(record):
    """Each hop has what is asked, its answer, and the address of the page that has it."""
    found = record("web_search_base_5")
    assert _texts(found.hops, Kind.ACCEPTED) == ["Bangkok", "Magnolias Waterfront Residences", "70"]
    assert [item.label for item in found.hops[:3]] == ["hop 1", "answer", "source"]
    assert _texts(found.hops, Kind.HOP)[1] == "What is the tallest building in Bangkok?"
    assert all(text.startswith("https://") for text in _texts(found.hops, Kind.SOURCE))
    assert found.accepted == (Item(Kind.ACCEPTED, "'70'"),)
    assert "3 hops to the answer" in found.about


@pytest.mark.parametrize(
    ("web", "names"),
    [
        (WebChoice(search_tool="duckduckgo_search"), ["duckduckgo_search", "fetch_url_content"]),
        (WebChoice(mode="off"), []),
    ],
)
def test_web_tools_are_those_that_the_run_offered(record, web, names):
    """A renamed search tool has its name of the run; without a web there are no functions."""
    functions = record("web_search_base_5", web=web).functions
    assert [item.text.partition("(")[0] for item in functions] == names


def test_a_memory_question_names_its_sessions_and_where_its_fact_was_said(record):
    """The ids of the sessions before it are listed, and the text with the fact is a source."""
    found = record("memory_kv_12-customer-12")
    (sessions,) = [text for text in found.about if text.startswith("sessions before it: ")]
    ids = sessions.partition(": ")[2].split(", ")
    assert ids[0] == "memory_kv_prereq_0-customer-0"
    assert len(ids) > 5
    assert _texts(found.accepted, Kind.SOURCE) == [
        "...my toaster oven is basically banished to the pantry..."
    ]


def test_a_session_accepts_anything(record):
    """A session before the questions is marked as one and has no acceptable answers."""
    found = record("memory_kv_prereq_0-customer-0")
    assert found.prerequisite
    assert _texts(found.accepted, Kind.NOTE) == ["(anything: a session before the questions)"]


def test_the_truth_of_a_conversation_is_played(record):
    """Each turn has the calls of its truth, with results and changes; acceptable answers are elsewhere."""
    found = record("multi_turn_base_60")
    close = found.turns[-1].truth
    assert [item.kind for item in close] == [Kind.CALL, Kind.RESULT, Kind.CHANGE]
    assert close[0].text == "close_ticket(ticket_id=2)"
    assert close[2].text == "TicketAPI.ticket_queue[1]['status']: 'Open' -> 'Closed'"
    assert found.accepted == ()
    assert len(found.functions) == 31


def test_functions_that_appear_later_are_at_their_turn(record):
    """A held-out function is not among those offered from the start."""
    found = record("multi_turn_miss_func_60")
    (turn,) = [turn for turn in found.turns if turn.appears]
    assert _texts(turn.appears, Kind.FUNCTION) == ["check_tire_pressure()"]
    assert "check_tire_pressure()" not in _texts(found.functions, Kind.FUNCTION)


def test_acceptable_values_are_those_of_each_parameter(record):
    """A function is followed by its parameters, each with its acceptable values."""
    assert record("simple_python_3").accepted == (
        Item(Kind.FUNCTION, "algebra.quadratic_roots"),
        Item(Kind.ACCEPTED, "1", label="a"),
        Item(Kind.ACCEPTED, "-3", label="b"),
        Item(Kind.ACCEPTED, "2", label="c"),
    )
    assert record("irrelevance_3").accepted == (Item(Kind.NOTE, "(no call)"),)


def test_errata_have_the_defect_its_proposal_and_the_treatment(record):
    """A mended entry has the edit of its truth; under verified rules its truth is the mended one."""
    found = record("parallel_183")
    assert found.errata[0].kind is Kind.ERRATUM
    assert found.errata[0].label == "confirmed"
    assert {"what", "why", "evidence", "proposed"} <= {item.label for item in found.errata}
    assert found.errata[-1].text.startswith("mended: ")
    assert record("parallel_183", Rules.VERIFIED).accepted != found.accepted


@pytest.mark.parametrize("category", CATEGORIES)
def test_every_category_has_records(entries, staged, constants, category):
    """The first and last entries of each category have a record with messages and something acceptable."""
    conditions = Conditions(staged, constants)
    for entry in (*entries(category)[:3], entries(category)[-1]):
        found = entry_record(entry, conditions)
        assert any(turn.messages for turn in found.turns)
        assert found.accepted or any(turn.truth for turn in found.turns)
        assert (found.entry_id, found.category) == (entry.entry_id, category)


def test_texts_are_cut_with_the_number_of_missing_characters(record):
    """A terminal has less of a long result than a page, and both say how much is missing."""
    short = record("multi_turn_long_context_60", limits=TERMINAL)
    texts = [item.text for turn in short.turns for item in turn.truth if item.kind is Kind.RESULT]
    assert any(text.endswith("more characters)") for text in texts)
    assert max(map(len, texts)) < 450
    page = record("multi_turn_long_context_60")
    longest = max(len(item.text) for turn in page.turns for item in turn.truth)
    assert 450 < longest < 20_100
