"""Records of entries, on the real benchmark."""

from __future__ import annotations

import pytest

from bfcl_pipeline.benchmark.config import WebChoice
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.show.playback.conditions import Conditions
from bfcl_pipeline.show.transcripts.entry import entry_record
from bfcl_pipeline.show.transcripts.parts import PAGE, TERMINAL, Kind


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
