"""What the comparison with the official scorer reports."""

from __future__ import annotations

from bfcl_pipeline.runs.archived.findings import Findings, Part, Verification
from bfcl_pipeline.share.official.check import _report, _Scored


def test_a_model_of_which_nothing_was_compared_stands_out() -> None:
    """It has a line of its own among what was derived, also beside models whose verdicts are the same."""
    findings = Findings(lambda _line: None)
    found = [_Scored("honest", compared=5, ours=5), _Scored("hostile", ours=4, failed="it ended")]
    assert _report(found, "bfcl-eval 1", findings) is Verification.INCOMPLETE
    derived = [finding for finding in findings.found if finding.part is Part.DERIVED]
    assert [finding.outcome for finding in derived] == ["verified", "NOT JUDGED"]
    assert derived[1].what.startswith("hostile: none of its 4 verdicts was compared")
