"""The errata of memory and web-search entries: the words of sessions that are their evidence."""

from __future__ import annotations

import re

import pytest

from bfcl_pipeline.benchmark.errata import errata

CATEGORIES = ("memory_kv", "memory_vector", "memory_rec_sum", "web_search_base", "web_search_no_snippet")

ERRATA = [each for each in errata() if each.entry_id.startswith(("memory_", "web_search_"))]
CONFIRMED = [each for each in ERRATA if each.confirmed]

SAID = {
    "memory_18-customer-18": "digital artwork",
    "memory_94-student-14": "data backups",
    "memory_123-student-43": "multiplayer strategy games",
    "memory_28-customer-28": "corner dents",
    "memory_19-customer-19": "extended 19-month warranty",
    "memory_153-notetaker-23": "glue sticks",
    "memory_27-customer-27": "latte-art contest",
    "memory_62-finance-7": "long-term approach",
    "memory_104-student-24": "cross-functional collaboration",
    "memory_90-student-10": "one of my proudest moments in college",
    "memory_143-notetaker-13": "Call auto repair shop about weird noise in the engine",
}
"""Words of a session, by question."""


def question(entry_id):
    """The question without the backend or the form of the results, which do not change it."""
    return re.sub(r"_(kv|vector|rec_sum|base|no_snippet)_", "_", entry_id)


@pytest.fixture
def entry_of(entries):
    return lambda erratum: next(
        entry for name in CATEGORIES for entry in entries(name) if entry.entry_id == erratum.entry_id
    )


def test_every_confirmed_memory_question_has_its_words():
    """A session has words of each."""
    memory = {question(each.entry_id) for each in CONFIRMED if each.entry_id.startswith("memory")}
    assert memory == set(SAID)


@pytest.mark.parametrize(
    "erratum",
    [each for each in CONFIRMED if question(each.entry_id) in SAID],
    ids=lambda each: each.entry_id,
)
def test_a_session_has_the_words(erratum, entry_of, entries):
    """The session that the evidence names is one of the question and has the words."""
    entry = entry_of(erratum)
    session = re.search(r"prereq_(\S+)", erratum.evidence)[1]
    texts = {
        each.entry_id: " ".join(message["content"] for turn in each.turns for message in turn)
        for each in entries(entry.category)
        if each.entry_id in entry.depends_on
    }
    (text,) = [text for entry_id, text in texts.items() if entry_id.endswith(f"_{session}")]
    assert SAID[question(erratum.entry_id)] in text
