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


def answer(base):
    result = [{"calculate_triangle_area": json.dumps({"base": base, "height": 5})}]
    return Response(ENTRY, "simple_python", Mode.FC, json.dumps(result))


LISTED = RECORD | {"propose": MEND}


@pytest.mark.parametrize(
    ("name", "records", "response", "words"),
    [
        # Under the verdict a mark, then each erratum with reason, evidence, threads and treatment.
        ("erratum", [LISTED], answer(12), ()),
        # Under verified rules the truth is the mended one, with an answer or alone.
        ("erratum_right", [LISTED], answer(12), ("--rules", "verified")),
        ("erratum_wrong", [LISTED], answer(10), ("--rules", "verified")),
        ("erratum_mended", [LISTED], None, ("--rules", "verified")),
        ("erratum_alone", [LISTED], None, ()),
        # An entry that is left out has no verdict under verified rules, but its defect as the reason.
        ("erratum_left_out", [RECORD | {"propose": "exclude"}], answer(10), ("--rules", "verified")),
        # A disputed defect marks a wrong answer; a rejected one does not, and is printed.
        ("erratum_disputed", [RECORD | {"status": "disputed"}], answer(12), ()),
        ("erratum_rejected", [RECORD | {"status": "rejected"}], answer(12), ()),
        # Without errata nothing is added to an answer; the entry alone says so.
        ("no_erratum", [], answer(12), ()),
        ("no_erratum_alone", [], None, ()),
    ],
)
def test_the_page_of_a_listed_entry(page, monkeypatch, name, records, response, words):
    """The whole page of an entry of which the errata have these records."""
    errata = tuple(erratum for record in records for erratum in ledger.read_record("test", record))
    monkeypatch.setattr(ledger, "_by_entry", lambda: {ENTRY: errata})
    page(name, ENTRY, response, *words)
