"""The errata: defects of single entries of the pinned release, adjudicated one by one, as data.

`entries/*.yaml` has one record per defect, with the entries that have it. A confirmed defect is mended or
its entry is left out, under the rules `verified` only. docs/errata.md is the same for people.
"""

from bfcl_pipeline.errata.ledger import (
    DEFECTS,
    Erratum,
    ErratumStatus,
    Faithful,
    errata,
    errata_of,
    errata_of_id,
)
from bfcl_pipeline.errata.mending import LeftOut, Treatment, is_left_out, mended, proposed, treatment

__all__ = [
    "DEFECTS",
    "Erratum",
    "ErratumStatus",
    "Faithful",
    "LeftOut",
    "Treatment",
    "errata",
    "errata_of",
    "errata_of_id",
    "is_left_out",
    "mended",
    "proposed",
    "treatment",
]
