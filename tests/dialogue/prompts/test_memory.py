"""The system message that introduces a memory."""

from __future__ import annotations

import pytest

from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.benchmark.records import Entry
from bfcl_pipeline.dialogue.prompts import with_memory

ASKED = {"role": "user", "content": "Which major?"}


def entry(category="memory_kv", turns=((ASKED,),), scenario="student"):
    return Entry(f"{category}_0-student-0", category, turns, (), scenario=scenario)


def test_the_memory_comes_first(texts):
    """A system message has the assistant's role and the memory's content; later turns are unchanged."""
    first, second = with_memory(entry(turns=((ASKED,), (ASKED,))), texts, "{}").turns
    assert first == ({"role": "system", "content": "You help a student. Two: {}"}, ASKED)
    assert second == (ASKED,)


def test_a_system_message_is_appended(texts):
    """The request for the answer's form follows in the same message."""
    asked = ({"role": "system", "content": "Answer so."}, ASKED)
    told = with_memory(entry("memory_rec_sum", (asked,)), texts, "all").turns[0]
    assert told == ({"role": "system", "content": "You help a student. One: all\n\nAnswer so."}, ASKED)


def test_an_unknown_scenario_is_named(texts):
    """A scenario without a text in the release is an error that lists the known ones."""
    with pytest.raises(MalformedRelease, match="memory_kv_0-student-0: scenario: expected one of student"):
        with_memory(entry(scenario="pupil"), texts, "")
