"""Which erratum adjudicates a finding."""

from dataclasses import replace

import pytest

from bfcl_pipeline.benchmark.errata import Erratum, ErratumStatus, Faithful
from bfcl_pipeline.judge import audit
from bfcl_pipeline.judge.audit import Suspicion, adjudicated_by
from tests.support.audited import single_turn

ENTRY = single_turn("simple_python_0")
FINDING = Suspicion(ENTRY, "truth", "a value differs", detector="drift")


def erratum(defect, **parts):
    status, faithful = ErratumStatus.REJECTED, Faithful.PASSES
    return Erratum(ENTRY.entry_id, defect, status, "What.", "Why.", "command", faithful, **parts)


SAME = erratum("drift")
ALSO = replace(erratum("provenance"), also=("drift",))
WITHOUT_DETECTOR = erratum("truth")
OTHER = erratum("calendar")


@pytest.mark.parametrize(
    ("errata", "expected"),
    [
        ((OTHER, WITHOUT_DETECTOR, SAME), SAME),
        ((OTHER, WITHOUT_DETECTOR, ALSO), ALSO),
        ((OTHER, WITHOUT_DETECTOR), WITHOUT_DETECTOR),
        ((OTHER,), None),
        ((), None),
    ],
    ids=["same class", "further class", "class without a detector", "another class", "no errata"],
)
def test_the_erratum_of_a_finding(monkeypatch, errata, expected):
    """It is of the class of the finding, else of a class that no detector finds."""
    monkeypatch.setattr(audit, "errata_of", lambda entry: errata)
    assert adjudicated_by(FINDING) == expected
