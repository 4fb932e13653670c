"""What the rules `verified` do with an entry: judge it as it is, mend its truth, or leave it out.

An entry is mended if all confirmed defects have edits of the truth alone. Recorded answers are answers to
the entry's old text, so an entry whose question or docs need a change is left out.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from bfcl_pipeline.base.errors import ErrataError
from bfcl_pipeline.benchmark.errata.edits import TRUTH, edit_line
from bfcl_pipeline.benchmark.errata.ledger import Erratum, errata_of
from bfcl_pipeline.benchmark.records import Entry


class Treatment(StrEnum):
    """What the rules `verified` do with an entry."""

    AS_IT_IS = "as it is"
    MENDED = "mended"
    LEFT_OUT = "left out"


def propose_treatment(errata: Iterable[Erratum]) -> Treatment:
    """The treatment that the errata of one entry propose, if their edits fit the entry."""
    confirmed = [erratum for erratum in errata if erratum.confirmed]
    if not all(erratum.mends for erratum in confirmed):
        return Treatment.LEFT_OUT
    return Treatment.MENDED if confirmed else Treatment.AS_IT_IS


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The entry is left out."""

    erratum: Erratum  # the first confirmed defect that edits of the truth do not mend


def verified_entry(entry: Entry) -> Entry | LeftOut:
    """The entry that the rules `verified` judge: the same, or with a mended truth; or that it is left out.

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
        return replace(entry, truth=edit_line({TRUTH: entry.truth}, edits)[TRUTH])
    except ErrataError:
        return LeftOut(confirmed[0])


def with_edits(entry: Entry, errata: Iterable[Erratum]) -> Entry:
    """The entry with the truth that its `errata` propose, if any.

    Raises ErrataError, which names the record, if an edit does not fit the entry, also outside the truth.
    """
    line = json.loads(
        json.dumps(
            {
                TRUTH: entry.truth,
                "question": entry.turns,
                "function": entry.functions,
                "initial_config": entry.initial_state,
                "source": entry.source,
            }
        )
    )
    for erratum in errata:
        try:
            line = edit_line(line, erratum.edits)
        except ErrataError as error:
            raise ErrataError(f"{erratum.record}: {erratum.entry_id}: {error}") from None
    return replace(entry, truth=line[TRUTH])


def treatment(entry: Entry) -> Treatment:
    """What the rules `verified` do with the entry."""
    found = verified_entry(entry)
    if isinstance(found, LeftOut):
        return Treatment.LEFT_OUT
    return Treatment.AS_IT_IS if found is entry else Treatment.MENDED
