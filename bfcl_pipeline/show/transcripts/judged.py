"""The errata of an entry as items, and the entry as the rules `verified` judge it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bfcl_pipeline.base.text import cut
from bfcl_pipeline.benchmark.errata import (
    ErratumStatus,
    LeftOut,
    Treatment,
    errata_of,
    treatment,
    verified_entry,
)
from bfcl_pipeline.benchmark.records import Entry, Json, Mode, NameStyle, Rules, Verdict
from bfcl_pipeline.judge.audit import DEFECTS
from bfcl_pipeline.judge.scoring.findings import Finding
from bfcl_pipeline.judge.scoring.multi_turn import MultiTurnChecker
from bfcl_pipeline.show.transcripts.parts import EntryRecord, Item, Kind, TextLimits
from bfcl_pipeline.world.tools import Constants

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


def judged_entry(entry: Entry, rules: Rules) -> JudgedEntry:
    """`entry` as `rules` judge it."""
    if rules is not Rules.VERIFIED:
        return JudgedEntry(entry, rules)
    found = verified_entry(entry)
    return JudgedEntry(entry if isinstance(found, LeftOut) else found, Rules.CORRECTED)


def is_doubtful(record: EntryRecord) -> bool:
    """Whether the errata list a confirmed or disputed defect of the entry."""
    return any(
        item.kind is Kind.ERRATUM and item.label != ErratumStatus.REJECTED.value for item in record.errata
    )


def errata_items(entry: Entry, limits: TextLimits) -> Iterator[Item]:
    """Each erratum of the entry: status, defect, reason and evidence; then what verified rules do."""
    errata = errata_of(entry)
    for erratum in errata:
        yield Item(Kind.ERRATUM, DEFECTS[erratum.defect], label=erratum.status.value)
        yield Item(Kind.NOTE, cut(erratum.what, limits.words), label="what")
        yield Item(Kind.NOTE, cut(erratum.why, limits.words), label="why")
        yield Item(Kind.NOTE, cut(erratum.evidence, limits.words), label="evidence")
        if erratum.threads:
            yield Item(Kind.NOTE, " ".join(f"#{number}" for number in erratum.threads), label="threads")
        for edit in erratum.edits:
            yield Item(Kind.NOTE, cut(str(edit), limits.words), label="proposed")
    if errata:
        yield Item(Kind.NOTE, _TREATED[treatment(entry)], label="verified")


def findings(
    entry: Entry, result: Json, mode: Mode, constants: Constants, verdicts: Mapping[Rules, Verdict]
) -> dict[Rules, Finding]:
    """The finding under each rule set whose verdict is not valid; those without one are not checked."""
    checked: list[tuple[JudgedEntry, Finding | None]] = []  # rule sets may judge by the same
    found: dict[Rules, Finding] = {}
    for rules in (name for name, verdict in verdicts.items() if verdict.valid is False):
        judged = judged_entry(entry, rules)
        if all(judged != one for one, _ in checked):
            checker = MultiTurnChecker(judged.entry, constants)
            (outcome,) = checker.check(result, mode, NameStyle.UNDERSCORED, (judged.rules,))
            checked.append((judged, outcome.finding))
        finding = next(finding for one, finding in checked if one == judged)
        if finding is not None:
            found[rules] = finding
    return found


def remark(number: int, found: Mapping[Rules, Finding], main: Rules) -> str:
    """The remark on a turn that was reached: what failed first there, or that it is after that turn."""
    return "; ".join(_remarks(number, found, main))


def _remarks(number: int, found: Mapping[Rules, Finding], main: Rules) -> Iterator[str]:
    own = found.get(main)
    if own is not None and own.turn is not None and own.turn < number:
        yield "not checked after the first failing turn"
        return
    if own is not None and own.turn == number:
        yield f"first failing turn: {own.error_type}"
    others: dict[str, list[Rules]] = {}
    for rules, finding in found.items():
        if finding.turn == number and finding != own:
            others.setdefault(finding.error_type, []).append(rules)
    for error_type, rule_sets in others.items():
        yield f"first failing turn under {' and '.join(rule_sets)} rules: {error_type}"
