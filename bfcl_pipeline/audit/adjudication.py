"""The erratum that adjudicates a finding."""

from bfcl_pipeline.audit.benchmark import Suspicion
from bfcl_pipeline.audit.detectors import DETECTORS
from bfcl_pipeline.errata import Erratum, errata_of
from bfcl_pipeline.records import Entry


def adjudicated_by(suspicion: Suspicion, entry: Entry) -> Erratum | None:
    """The erratum of `entry` for a finding on it: of the same class, else of a class without a detector."""
    errata = errata_of(entry)
    name = suspicion.detector
    same = (each for each in errata if name in (each.defect, *each.also))
    others = (each for each in errata if each.defect not in DETECTORS)
    return next(same, None) or next(others, None)
