"""Faithful answers and the verdicts on them, on the pinned release."""

from __future__ import annotations

import json

import pytest

from bfcl_pipeline.ask.models.faithful import faithful_results, passing_in_use, passing_of
from bfcl_pipeline.benchmark.definition import CATEGORIES, category_of
from bfcl_pipeline.benchmark.errata import ErratumStatus, Faithful, errata
from bfcl_pipeline.benchmark.errata.faithful_answers import (
    Passing,
    passing_answers,
    passing_csv,
    written_answers,
)
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.judge.own_errata import using_errata
from bfcl_pipeline.judge.scoring import NO_CONSTANTS
from tests.support.audited import single_turn
from tests.support.passing_answers import FILE, measure


@pytest.fixture(scope="module")
def measured(staged):
    return measure(staged)


def test_the_shipped_numbers_are_what_judging_gives(measured):
    """passing.csv is the output of tests.support.passing_answers, and is read as it was written."""
    assert FILE.read_text(encoding="utf-8") == passing_csv(measured)
    assert passing_answers() == {key: measured[key] for key in passing_answers()}


def test_written_answers_are_of_scored_entries(measured):
    """Each is an answer to an entry of the release, or to one of a category that is in no score."""
    scored = {key for key in written_answers() if CATEGORIES[category_of(key)].scored}
    assert scored <= measured.keys()


def test_a_record_says_what_faithful_answers_do(measured):
    """All official verdicts on them, some or none are right, as the gravest record of the entry says."""
    grave = [Faithful.FAILS, Faithful.MAY_PASS, Faithful.PASSES]
    said = dict.fromkeys(measured, Faithful.PASSES)
    for erratum in errata():
        if erratum.entry_id in said:
            said[erratum.entry_id] = min(said[erratum.entry_id], erratum.faithful, key=grave.index)
    shares = {key: each.share(Rules.OFFICIAL) for key, each in measured.items()}
    found = {
        key: Faithful.FAILS if not share else Faithful.PASSES if share == 1 else Faithful.MAY_PASS
        for key, share in shares.items()
    }
    assert found == said


def test_verified_rules_fail_faithful_answers_to_disputed_entries_only(measured):
    """A mended truth accepts every faithful answer that is written down; a disputed entry stays."""
    disputed = {each.entry_id for each in errata() if each.status is ErratumStatus.DISPUTED}
    assert {key for key, each in measured.items() if each.share(Rules.VERIFIED) < 1} <= disputed


def test_documented_defaults_are_written_and_left_out():
    """Where the truth accepts one of the two; a text for a whole number is read as the number."""
    unit = {"unit": {"type": "integer", "description": "A number.", "default": "1"}}
    optional = single_turn("simple_python_0", truth={"unit": ["", 1]}, properties=unit)
    assert [json.loads(call["f"]) for (call,) in faithful_results(optional)] == [{}, {"unit": 1}, {}]
    demanded = single_turn("simple_python_0", truth={"unit": [1]}, properties=unit)
    assert passing_of(demanded, NO_CONSTANTS) == Passing(2, dict.fromkeys(Rules, 1))


def test_rules_that_leave_an_entry_out_lose_nothing():
    """The share of an entry that is left out is 1; every rule set has a count in the file but these."""
    found = Passing(2, {Rules.OFFICIAL: 0, Rules.CORRECTED: 1})
    assert [found.share(rules) for rules in Rules] == [0, 0.5, 1]
    assert passing_csv({"a": found, "b": Passing(1, dict.fromkeys(Rules, 1))}).splitlines()[1:] == [
        "a,2,0,1,"
    ]


def test_entries_with_errata_of_the_user_are_judged_anew(staged, tmp_path):
    """A proposal of the user's own changes what verified rules accept, and so the ceiling."""
    own = tmp_path / "mine.yaml"
    own.write_text(
        "- {entries: [simple_python_0], defect: truth, status: confirmed, what: W., why: W., evidence: c, "
        "faithful: fails, propose: [{at: [ground_truth, 0, calculate_triangle_area, base], "
        "old: [10], new: [11]}]}\n",
        encoding="utf-8",
    )
    with using_errata([own], staged):
        found = passing_in_use(staged)["simple_python_0"]
    assert found == Passing(1, {Rules.OFFICIAL: 0, Rules.CORRECTED: 0, Rules.VERIFIED: 1})
    assert "simple_python_0" not in passing_in_use(staged)
