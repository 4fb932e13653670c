"""Whatever an open-weight model writes, every reader of families takes it apart, after bounded work.

The number of examples is FUZZ_EXAMPLES, as in `test_fuzz`.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bfcl_pipeline.benchmark.config.families import FamilyRow, load_families
from bfcl_pipeline.benchmark.records import DecodeFailure, Mode
from bfcl_pipeline.dialogue.calls import decode, decode_step
from bfcl_pipeline.dialogue.families import READERS, Answer
from tests.fuzz.family_hostile import MARKS, WRAPPED
from tests.fuzz.hostile import OUTPUTS
from tests.fuzz.test_fuzz import LIMIT_CALLS
from tests.fuzz.watched import run_watched
from tests.support.work import measured

ROWS = list({row.reader: row for row in load_families().values()}.values())
"""A family of each reader."""

LIMIT_HOSTILE = 200_000  # of functions, to read one hostile text in both uniform forms

_SOUP = st.lists(st.sampled_from([*MARKS, "\n", "\n", " ", "\0", "\u202e", "\ud800"]), max_size=60).map(
    "".join
)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner, max_size=4),
    max_leaves=12,
)


def read(row: FamilyRow, text: str) -> None:
    """Takes an answer apart, and its stored result in both uniform forms."""
    answer = READERS[row.reader].split(text, 1)
    assert isinstance(answer, Answer)
    json.dumps([answer.stored, answer.reply])
    _decoded(row, answer.stored)


def _decoded(row: FamilyRow, stored: object) -> None:
    """Checks that a stored result has a uniform form, in which it is decoded or refused."""
    for runs in (False, True):
        uniform = json.loads(json.dumps(READERS[row.reader].uniform(stored, runs)))
        found = (decode_step if runs else _compared)(uniform, row.mode)
        assert isinstance(found, tuple | DecodeFailure)


def _compared(uniform: object, mode: Mode) -> object:
    return decode(uniform, mode=mode)


@given(_SOUP | st.text(max_size=60), st.sampled_from(ROWS))
def test_any_answer_is_read(text: str, row: FamilyRow) -> None:
    """Any text is taken apart, and has calls or none, after bounded work."""
    with measured() as work:
        read(row, text)
    assert work.calls < LIMIT_CALLS


@given(_JSON, st.sampled_from(ROWS))
def test_any_stored_result_is_read(stored: object, row: FamilyRow) -> None:
    """Any JSON value in a result file of the official tool has calls or none."""
    _decoded(row, stored)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_work_grows_with_the_length_of_an_answer(row: FamilyRow) -> None:
    """Texts of any mark, ten times as long, take about ten times the work; reading them never fails."""
    for mark in [*MARKS, *(f"{mark}\n" for mark in MARKS), "<tool_call>\n{\n</tool_call>", "a:{b:", "[1,"]:
        assert _work(row, mark * 2000) < 20 * _work(row, mark * 200) + LIMIT_CALLS


def _work(row: FamilyRow, text: str) -> int:
    with measured() as work:
        read(row, text)
    return work.calls


def test_nothing_of_an_answer_is_executed(tmp_path: Path) -> None:
    """While hostile answers are read in all families, Python executes, imports, opens and starts nothing.

    Watched from inside by an audit hook, in a process of its own; the syntax trees that parsing makes
    (`compile` events) are all that may happen.
    """
    program = """
import sys
from tests.fuzz.family_hostile import WRAPPED
from tests.fuzz.test_family_readers import ROWS, read

for row in ROWS:
    read(row, "f\\n{}")
events = set()
# A syntax error looks for its line in the file that parsing names.
sys.addaudithook(lambda name, arguments: events.add(name) if arguments[:1] != ("<unknown>",) else None)
for row in ROWS:
    for text in WRAPPED:
        read(row, text)
print(len(WRAPPED), sorted(events - {"compile", "object.__getattr__"}))
"""
    count, events = run_watched(program, tmp_path)
    assert count > 300
    assert events == "[]"


def test_hostile_answers_are_read_in_bounded_work() -> None:
    """Every hostile text, between the marks of every family, is taken apart after bounded work."""
    excessive = []
    for row in ROWS:
        for text in [*WRAPPED, *OUTPUTS]:
            with measured() as work:
                read(row, text)
            if work.calls > LIMIT_HOSTILE:
                excessive.append((row.name, text[:60], work.calls))
    assert not excessive
