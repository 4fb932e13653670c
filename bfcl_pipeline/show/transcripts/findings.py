"""Where verdicts on a conversation of several turns fell: the first failing turn under each rule set."""

from collections.abc import Iterator, Mapping

from bfcl_pipeline.benchmark.records import Entry, Json, Mode, NameStyle, Rules, Verdict
from bfcl_pipeline.judge.scoring.findings import Finding
from bfcl_pipeline.judge.scoring.multi_turn import MultiTurnChecker
from bfcl_pipeline.show.transcripts.errata import judged_entry
from bfcl_pipeline.world.tools import Constants


def findings(
    entry: Entry, result: Json, mode: Mode, constants: Constants, verdicts: Mapping[Rules, Verdict]
) -> dict[Rules, Finding]:
    """The finding under each rule set whose verdict is not valid; those without one are not checked."""
    found: dict[Rules, Finding] = {}
    outcomes: dict[tuple[int, Rules], Finding | None] = {}  # of an entry, by identity, and checkers' rules
    kept: list[Entry] = []  # so that no identity is used twice
    for rules, verdict in verdicts.items():
        if verdict.valid is not False:
            continue
        judged = judged_entry(entry, rules)
        key = (id(judged.entry), judged.rules)
        if key not in outcomes:
            kept.append(judged.entry)
            checker = MultiTurnChecker(judged.entry, constants)
            (outcome,) = checker.check(result, mode, NameStyle.UNDERSCORED, (judged.rules,))
            outcomes[key] = outcome.finding
        finding = outcomes[key]
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
