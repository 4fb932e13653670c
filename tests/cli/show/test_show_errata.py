"""`bfcl-pipeline show` on entries that the errata list."""

from __future__ import annotations

import json

import pytest

from bfcl_pipeline.benchmark.errata import ledger
from bfcl_pipeline.benchmark.records import Mode, Response

ENTRY = "simple_python_0"
RECORD = {
    "entries": [ENTRY],
    "defect": "truth",
    "status": "confirmed",
    "what": "The base is wrong.",
    "why": "It is twelve.",
    "evidence": "bfcl-pipeline audit {entry}",
    "faithful": "fails",
    "threads": [1, 20],
}
MEND = [{"at": ["ground_truth", 0, "calculate_triangle_area", "base"], "old": [10], "new": [12]}]


@pytest.fixture
def listed(monkeypatch):
    """A function that makes the errata consist of records of ENTRY."""

    def list_records(*records):
        errata = tuple(erratum for record in records for erratum in ledger.read_record("test", record))
        monkeypatch.setattr(ledger, "_by_entry", lambda: {ENTRY: errata})

    return list_records


def answer(base):
    result = [{"calculate_triangle_area": json.dumps({"base": base, "height": 5})}]
    return Response(ENTRY, "simple_python", Mode.FC, json.dumps(result))


def test_a_wrong_answer_on_a_listed_entry_is_marked(show, listed):
    """Under the verdict stand a mark, and each erratum with its reason, evidence, threads and treatment."""
    listed(RECORD | {"propose": MEND})
    text = show(ENTRY, answer(12))
    assert text.endswith(
        "         Parameter 'base': expected 10, got 12.\n"
        "         The errata list this entry, see below.\n\n"
        "erratum: confirmed  the truth is wrong or incomplete in another way\n"
        "what     The base is wrong.\n"
        "why      It is twelve.\n"
        "evidence bfcl-pipeline audit simple_python_0\n"
        "threads  #1 #20\n"
        'proposed ground_truth[0]["calculate_triangle_area"]["base"]: replace [10] by [12]\n'
        "verified mended: judged by a proposed truth, which is shown with `--rules verified`\n"
    )


def test_verified_rules_judge_by_the_mended_truth(show, listed):
    """The truth that is shown is the mended one, with the answer or alone."""
    listed(RECORD | {"propose": MEND})
    text = show(ENTRY, answer(12), "--rules", "verified")
    assert "base = 12\n" in text
    assert "\nvalid  verified rules\n" in text
    assert "see below" not in text
    assert "invalid" in show(ENTRY, answer(10), "--rules", "verified")
    assert "base = 12\n" in show(ENTRY, None, "--rules", "verified")
    assert "base = 10\n" in show(ENTRY)


def test_an_entry_that_is_left_out_says_so(show, listed):
    """Under verified rules there is no verdict, and the reason is the defect."""
    listed(RECORD | {"propose": "exclude"})
    text = show(ENTRY, answer(10), "--rules", "verified")
    assert "\nno verdict  left_out\n         simple_python_0 is left out: The base is wrong.\n" in text
    assert text.endswith("\nverified left out of every score\n")


@pytest.mark.parametrize(("status", "marked"), [("disputed", True), ("rejected", False)])
def test_only_defects_that_may_be_real_mark_an_answer(show, listed, status, marked):
    """Where a suspected defect was rejected a wrong answer has no mark; the erratum is printed."""
    listed(RECORD | {"status": status})
    text = show(ENTRY, answer(12))
    assert ("see below" in text) is marked
    assert f"erratum: {status}" in text
    assert text.endswith("\nverified judged by the truth of the release\n")


def test_an_entry_without_errata_has_no_such_part(show, listed):
    """Nothing is added to an answer; the entry alone has a line that says so."""
    listed()
    assert "erratum" not in show(ENTRY, answer(12))
    assert show(ENTRY).endswith("\n\nno erratum on record\n")
