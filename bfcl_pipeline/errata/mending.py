"""What the rules `verified` do with an entry: as it is, mended, or left out.

An entry is mended if all confirmed defects have edits of the truth alone. Recorded answers are answers to
the entry's old text, so an entry whose question or docs need a change is left out.
"""

from dataclasses import dataclass, replace

from bfcl_pipeline.errata.edits import TRUTH, edited
from bfcl_pipeline.errata.ledger import Erratum, errata_of
from bfcl_pipeline.errors import ErrataError
from bfcl_pipeline.records import Entry


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The entry is left out."""

    erratum: Erratum  # the first confirmed defect that edits of the truth do not mend


def treatment(entry: Entry) -> Entry | LeftOut:
    """The entry itself if no defect is confirmed; with a mended truth; or that it is left out.

    It is left out as well if an edit does not fit its truth, as may happen with another release.
    """
    confirmed = [erratum for erratum in errata_of(entry) if erratum.confirmed]
    for erratum in confirmed:
        if not erratum.mends:
            return LeftOut(erratum)
    edits = tuple(edit for erratum in confirmed for edit in erratum.edits)
    if not edits:
        return entry
    try:
        return replace(entry, truth=edited({TRUTH: entry.truth}, edits)[TRUTH])
    except ErrataError:
        return LeftOut(confirmed[0])


def is_left_out(entry: Entry) -> bool:
    """Whether the entry is left out under the rules `verified`."""
    return isinstance(treatment(entry), LeftOut)


def mended(entry: Entry) -> bool:
    """Whether the entry has another truth under the rules `verified`."""
    found = treatment(entry)
    return isinstance(found, Entry) and found is not entry
