"""Comparisons and gates as text for a terminal."""

from collections import Counter
from collections.abc import Iterator, Sequence

from bfcl_pipeline.base.text import (
    fitted_table,
    limit_points,
    not_shown,
    plural,
    printable,
    probability,
    signed_points,
)
from bfcl_pipeline.judge.scoring.statistics.paired import Decision
from bfcl_pipeline.show.compare.compare import Comparison, ScoreDifference
from bfcl_pipeline.show.compare.gate import Gate, GatedScore, UnreadCalls

HEADINGS = ("score", "entries", "A", "B", "A-B", "95 % interval", "only A", "only B", "p (Holm)", "shows")
"""The columns of a table of one comparison."""

_PAIR_HEADINGS = ("A", "B", "A overall", "B overall", "A-B", "95 % interval", "only A", "only B", "shows")

_LEFT_OUT_FIRST = ("shows", "entries", "p (Holm)", "only B", "only A", "A overall", "B overall")
"""The columns that a narrow terminal lacks, the first of these first."""

_PARTIAL = "*"

_CONSPICUOUS = 0.05
"""The p-value below which one side lacks conspicuously more verdicts."""


def comparison_text(
    comparison: Comparison, flips: int, width: int | None = None, made: Sequence[str] = ()
) -> str:
    """One comparison: a table of scores, notes, and the first flipped entries of each direction.

    Args:
        comparison: what is printed.
        flips: how many entries of each direction are named.
        width: columns of the terminal; less needed columns of a wider table are left out. None: any width.
        made: lines on what the sides were made with.
    """
    names = [f"A: {printable(comparison.first)}", f"B: {printable(comparison.second)}"]
    about = f"Per cent, {comparison.rules.value} rules; entries with a verdict on both sides.\n"
    head = "\n".join([*names, *made, about])
    rows = [score_cells(score) for score in comparison.scores]
    lines, left_out = fitted_table(HEADINGS, rows, width, 0, len(HEADINGS), _LEFT_OUT_FIRST)
    notes = [
        *not_shown(left_out, width, " (--out FILE)"),
        *column_notes([comparison]),
        *_memory_note(comparison),
    ]
    return "\n".join([head, *lines, *notes, *_flip_lines(comparison, flips)])


def pairs_text(comparisons: Sequence[Comparison], width: int | None = None) -> str:
    """Several comparisons: one line each, with the overall score or, without one, nothing but the flips.

    width: as of `comparison_text`.
    """
    rows = []
    for each in comparisons:
        overall = each.of("overall")
        numbers = score_cells(overall) if overall else ["-"] * len(HEADINGS)
        rows.append([printable(each.first), printable(each.second), *numbers[2:8], numbers[9]])
    lines, left_out = fitted_table(_PAIR_HEADINGS, rows, width, 1, len(HEADINGS), _LEFT_OUT_FIRST)
    rules = comparisons[0].rules.value
    notes = [*not_shown(left_out, width, " (--out FILE)"), *column_notes(comparisons)]
    where = "Scores and flipped entries of each pair: --out FILE."
    return "\n".join([f"Overall, per cent, {rules} rules.\n", *lines, *notes, where])


def score_cells(score: ScoreDifference) -> list[str]:
    """The cells of one score under HEADINGS."""
    by_test = "" if score.detectable_holm is None else f" ({percent(score.detectable_holm, 1)})"
    return [
        score.score + ("" if score.complete else _PARTIAL),
        f"{score.entries:,}",
        percent(score.first),
        percent(score.second),
        signed_points(score.difference),
        f"{limit_points(score.low)} to {limit_points(score.high)}",
        f"{score.only_first:,}",
        f"{score.only_second:,}",
        "-" if score.holm_p is None else probability(score.holm_p),
        "-" if score.detectable is None else percent(score.detectable, 1) + by_test,
    ]


def column_notes(comparisons: Sequence[Comparison]) -> list[str]:
    """What the columns and marks of tables of scores mean, and what was not compared."""
    lines = [
        "p (Holm): exact test, adjusted for the number of categories. shows: the smallest true difference",
        "that the interval finds with 80 % power (in brackets: that p (Holm) finds, if it is the least p).",
    ]
    if any(not score.complete for each in comparisons for score in each.scores):
        lines.append("* categories without verdicts on both sides count 0 on both.")
    most = "" if len(comparisons) == 1 else "up to "
    if unjudged := max(each.unjudged for each in comparisons):
        where = "Counted against A" if comparisons[0].worst else "In no score"
        lines.append(
            f"{where}: {most}{plural(unjudged, 'entry', 'entries')} without a verdict on one side."
        )
        lines += [line for each in comparisons for line in _omitted_lines(each, len(comparisons) > 1)]
    same = max(comparisons, key=lambda each: sum(each.same_exchange.values()))
    if shared := sum(same.same_exchange.values()):
        lines.append(
            f"The same exchange on both sides, from a journal: {most}{plural(shared, 'pair', 'pairs')}."
        )
    largest = max(comparisons, key=lambda each: sum(each.left_out.values())).left_out
    if largest:
        counted = plural(sum(largest.values()), "entry", "entries")
        by_category = ", ".join(f"{name} {count:,}" for name, count in largest.items())
        lines.append(f"Not compared: {most}{counted} that only one side ran ({by_category}).")
    if any(each.web_left_out for each in comparisons):
        lines.append(
            "Not compared: web search, as one side searched a simulated web, and the other the real one or "
            "one that was not recorded."
        )
    if any(each.executed_left_out for each in comparisons):
        lines.append(
            "Not compared: exec_* and rest, as the simulated web answered the requests of one side, and "
            "another web those of the other."
        )
    if any(each.averaged for each in comparisons):
        lines.append("Means over trials: only A counts the entries that A has right more often than B.")
    releases = (
        f"The releases differ: {' / '.join(each.releases)}." for each in comparisons if each.releases
    )
    return [*lines, *dict.fromkeys(releases)]


def _omitted_lines(comparison: Comparison, several: bool) -> Iterator[str]:
    """How many entries each side has no verdict on, and which scores these could turn.

    several: name the sides, and leave out what is not conspicuous.
    """
    omitted = comparison.omitted
    if omitted is None:
        return
    turned = [each.score for each in comparison.scores if omitted.turns(each)]
    head = f"{printable(comparison.first)} - {printable(comparison.second)}: " if several else ""
    if not several or omitted.p < _CONSPICUOUS:
        counts = f"A {omitted.first:,}, B {omitted.second:,}"
        yield f"{head}No verdict: {counts}; exact test of the difference: p {probability(omitted.p)}."
    if turned and not comparison.worst:
        yield f"{head}These could turn {', '.join(turned)} (--omitted worst counts them against A)."


def _memory_note(comparison: Comparison) -> list[str]:
    found = comparison.memory_range
    if found is None:
        return []
    return [
        f"memory without one of its {found.scenarios} scenarios: A-B {signed_points(found.low)} to "
        f"{signed_points(found.high)}; they are too few for an interval over scenarios."
    ]


def _flip_lines(comparison: Comparison, most: int) -> list[str]:
    lines = []
    for first, name in ((True, "A"), (False, "B")):
        ids = [flip.entry_id for flip in comparison.flips if flip.first_right is first]
        shown = ", ".join(map(printable, ids[:most]))
        more = f", and {len(ids) - most:,} more (--flips FILE)" if len(ids) > most else ""
        named = f": {shown}{more}" if most and ids else ""
        lines.append(f"Only {name} right: {plural(len(ids), 'entry', 'entries')}{named}.")
    return lines


def gate_line(gate: Gate) -> str:
    """The outcome of a gate in one line: the score that decides it, and why."""
    deciding = [each for each in gate.scores if each.decision is gate.decision]
    worst = min(deciding, key=lambda each: each.score.low)
    unread = [unread_reason(each, gate) for each in gate.over_unread]
    reasons = [*unread, reason(worst, gate.margin), *about(worst), *_about_all(gate)]
    return f"{'pass' if gate.passes else 'fail'}: {'; '.join(reasons)}"


def unread_reason(each: UnreadCalls, gate: Gate) -> str:
    """That a model has more unread calls than a gate accepts."""
    return (
        f"{printable(each.model)}: {each.unread:,} of {plural(each.answers, 'answer', 'answers')} "
        f"({percent(each.share)} %) have a call that the server did not read, more than "
        f"{(gate.max_unread or 0) * 100:g} %, for example {printable(each.example or '')}"
    )


def reason(each: GatedScore, margin: float) -> str:
    """The interval of the difference, and what it says about the margin."""
    score = each.score
    interval = (
        f"{printable(each.model)} minus {printable(each.against)} on {score.score} is "
        f"{signed_points(score.difference)} points, 95 % interval {signed_points(score.low)} to "
        f"{signed_points(score.high)}"
    )
    if each.stated:
        return f"{interval}; {each.stated}"
    limit = f"-{margin * 100:g}" if margin else "0"
    if each.doubt:
        return f"undecided, {interval}; {each.doubt}"
    if each.decision is Decision.UNDECIDED:
        return f"undecided, {interval}, contains {limit}; more entries or a wider margin would decide"
    loss = f"no loss of more than {margin * 100:g} points"
    return f"{interval}; {loss if each.decision is Decision.PASS else f'below {limit}'}"


def about(each: GatedScore) -> Iterator[str]:
    """What else is known of a score: flaky entries, answers of a journal, what is missing."""
    lost = each.score.only_second
    if lost and each.lost_flaky is not None:
        entries = plural(lost, "entry", "entries")
        yield f"of {entries} that only the baseline has right, {each.lost_flaky:,} flaky in trials"
    if each.same_exchange:
        yield f"{plural(each.same_exchange, 'pair is', 'pairs are')} the same exchange, from a journal"
    if each.lacking:
        yield f"without {', '.join(each.lacking)}, which are not on both sides"
    if each.left_out:
        yield f"{plural(each.left_out, 'entry', 'entries')} of one side only left out"


def _about_all(gate: Gate) -> Iterator[str]:
    """What is known of all scores together."""
    if len(gate.scores) > 1:
        counts = Counter(each.decision for each in gate.scores)
        order = (Decision.FAIL, Decision.UNDECIDED, Decision.PASS)
        found = ", ".join(f"{counts[each]:,} {each}" for each in order if counts[each])
        yield f"of all {len(gate.scores):,} differences: {found}"
    if most := max(each.unjudged for each in gate.scores):
        done = "counted against the run" if any(each.worst for each in gate.scores) else "left out"
        yield f"{plural(most, 'entry', 'entries')} without a verdict {done}"


def percent(share: float, digits: int = 2) -> str:
    """A share in per cent."""
    return f"{share * 100:.{digits}f}"
