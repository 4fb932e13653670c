"""The errata: defects of single entries of the pinned release, adjudicated one by one, as data.

`entries/*.yaml` has one record per defect, with the entries that have it. A confirmed defect is mended or
its entry is left out, under the rules `verified` only. docs/errata.md is the same for people.
"""

from bfcl_pipeline.benchmark.errata.edits import Edit, edit_line, same
from bfcl_pipeline.benchmark.errata.ledger import (
    Erratum,
    ErratumStatus,
    Faithful,
    alike,
    by_record,
    errata,
    errata_digest,
    errata_of,
    errata_of_id,
    own_errata,
)
from bfcl_pipeline.benchmark.errata.mending import (
    LeftOut,
    Treatment,
    propose_treatment,
    treatment,
    verified_entry,
    with_edits,
)

__all__ = [
    "Edit",
    "Erratum",
    "ErratumStatus",
    "Faithful",
    "LeftOut",
    "Treatment",
    "alike",
    "by_record",
    "edit_line",
    "errata",
    "errata_digest",
    "errata_of",
    "errata_of_id",
    "own_errata",
    "propose_treatment",
    "same",
    "treatment",
    "verified_entry",
    "with_edits",
]
