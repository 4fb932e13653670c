"""The errata of an entry as a part of its page, and the entry as the rules `verified` judge it."""

from dataclasses import dataclass

from bfcl_pipeline.errata import (
    DEFECTS,
    ErratumStatus,
    LeftOut,
    Treatment,
    errata_of,
    treatment,
    verified_entry,
)
from bfcl_pipeline.records import Entry, Rules
from bfcl_pipeline.show.entry_parts import WORDS
from bfcl_pipeline.show.terminal_page import TerminalPage
from bfcl_pipeline.text import cut

_TREATED = {
    Treatment.AS_IT_IS: "judged by the truth of the release",
    Treatment.MENDED: "mended: judged by a proposed truth, which is shown with `--rules verified`",
    Treatment.LEFT_OUT: "left out of every score",
}
"""What the rules `verified` do with an entry, by its treatment."""


@dataclass(frozen=True, slots=True)
class JudgedEntry:
    """What one rule set judges an answer by."""

    entry: Entry  # with a mended truth if the rule set has one
    rules: Rules  # those of the checkers: official or corrected
    treatment: Treatment  # under the rules `verified`


def judged_entry(entry: Entry, rules: Rules) -> JudgedEntry:
    """`entry` as `rules` judge it."""
    treated = treatment(entry)
    if rules is not Rules.VERIFIED:
        return JudgedEntry(entry, rules, treated)
    found = verified_entry(entry)
    return JudgedEntry(entry if isinstance(found, LeftOut) else found, Rules.CORRECTED, treated)


def is_doubtful(entry: Entry) -> bool:
    """Whether the errata list a confirmed or disputed defect of the entry."""
    return any(erratum.status is not ErratumStatus.REJECTED for erratum in errata_of(entry))


def put_errata(page: TerminalPage, entry: Entry, treated: Treatment) -> None:
    """Each erratum of the entry: status, defect, reason and evidence; then what verified rules do."""
    errata = errata_of(entry)
    for erratum in errata:
        page.blank()
        page.title(f"erratum: {erratum.status}", DEFECTS[erratum.defect], "yellow")
        page.item("what", cut(erratum.what, WORDS))
        page.item("why", cut(erratum.why, WORDS))
        page.item("evidence", cut(erratum.evidence, WORDS), "dim")
        if erratum.threads:
            page.item("threads", " ".join(f"#{number}" for number in erratum.threads))
    if errata:
        page.item("verified", _TREATED[treated])
