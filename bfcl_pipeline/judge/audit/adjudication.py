"""The erratum that adjudicates a finding."""

from bfcl_pipeline.benchmark.errata import Erratum, errata_of
from bfcl_pipeline.benchmark.records import Entry
from bfcl_pipeline.judge.audit.benchmark import Suspicion
from bfcl_pipeline.judge.audit.detectors import DETECTORS


def adjudicated_by(suspicion: Suspicion, entry: Entry) -> Erratum | None:
    """The erratum of `entry` for a finding on it: of the same class, else of a class without a detector."""
    errata = errata_of(entry)
    name = suspicion.detector
    same = (each for each in errata if name in (each.defect, *each.also))
    others = (each for each in errata if each.defect not in DETECTORS)
    return next(same, None) or next(others, None)
