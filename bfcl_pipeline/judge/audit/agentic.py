"""Looks at accepted answers of memory and web questions: their forms, and the hops that lead to them."""

import re
from collections.abc import Iterator

from bfcl_pipeline.benchmark.definition import Check
from bfcl_pipeline.benchmark.records import Entry, Rules
from bfcl_pipeline.judge.audit.benchmark import Benchmark, Suspicion, in_answer_form, passes
from bfcl_pipeline.judge.audit.provenance import with_sessions
from bfcl_pipeline.judge.audit.texts import month_days, words
from bfcl_pipeline.judge.scoring.agentic import AgenticChecker
from bfcl_pipeline.judge.scoring.findings import shorten, shown_options

_HYPHEN = re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])")
_BETWEEN_DIGITS = re.compile(r"(?<=\d) ?[-./] ?(?=\d)")
_AROUND = ".,;:!?()'\"\u2018\u2019\u201c\u201d\u2013\u2014"  # signs around words
_PARTS_OF_A_HOP = ("subquestion", "answer", "source")


def deciding_forms(benchmark: Benchmark) -> Iterator[Suspicion]:
    """Each question where the form of an answer decides, and not what it says.

    The checker of the audited rules is asked. Reported is an accepted answer that fails if the truth's own
    spelling of it is given as the answer; whose words are joined by a hyphen, and which fails with a space
    instead; between whose digits the checker drops a sign, so that another number passes: 18 for 1.8; or
    which the question says, if a message that only repeats the question passes.
    """
    for entry in benchmark.checked_with(Check.MEMORY, Check.WEB_SEARCH):
        details = dict.fromkeys(_forms(entry, benchmark.checked_by))
        if details:
            yield Suspicion(entry, "truth", "; ".join(details))


def _forms(entry: Entry, rules: Rules) -> Iterator[str]:
    checker = AgenticChecker(entry)

    def is_accepted(answer: str) -> bool:
        return passes(checker, in_answer_form(answer), rules)

    for accepted in entry.truth:
        if not is_accepted(accepted):
            yield f"{shorten(accepted)} does not pass as the answer"
        spaced = _HYPHEN.sub(" ", accepted)
        if spaced != accepted and not is_accepted(spaced):
            yield f"{shorten(accepted)} is accepted, {shorten(spaced)} is not"
        joined = _BETWEEN_DIGITS.sub("", accepted)
        if joined != accepted and not month_days(accepted) and is_accepted(joined):
            yield f"{shorten(joined)} passes for {shorten(accepted)}"
    question = str(entry.turns[-1][-1]["content"])
    if passes(checker, question, rules):
        yield "a message that repeats the question passes"


def answers_within_words(benchmark: Benchmark) -> Iterator[Suspicion]:
    """Each memory question whose session has an accepted answer only as a part of longer words.

    These words, from space to space, are given to the checker of the audited rules as the answer, and fail:
    `corner dents` for the accepted corner dent. Not listed if an accepted answer stands alone somewhere in
    the sessions that have the question's source.
    """
    for entry, sessions in with_sessions(benchmark):
        checker, found = AgenticChecker(entry), dict[str, bool]()
        for answer in entry.truth:
            pattern = re.compile(rf"\S*{re.escape(answer)}\S*", re.IGNORECASE)
            for own in (match[0].strip(_AROUND) for text in sessions for match in pattern.finditer(text)):
                found.setdefault(own, passes(checker, in_answer_form(own), benchmark.checked_by))
        if found and not any(found.values()):
            detail = f"the session has {shown_options(list(found))}; accepted: {shown_options(entry.truth)}"
            yield Suspicion(entry, "truth", detail)


def broken_hops(benchmark: Benchmark) -> Iterator[Suspicion]:
    """Each incomplete hop of a web question, and each chain that does not end at an accepted answer.

    Each hop needs a subquestion, an answer and a source, and the answer of the last one must agree with an
    accepted answer: one contains the other without case, spaces and signs, or both have a date of the same
    month and day. Whether the sources say what the hops say is not checked.
    """
    for entry in benchmark.checked_with(Check.WEB_SEARCH):
        hops = entry.source or []
        for number, hop in enumerate(hops, 1):
            lacking = [name for name in _PARTS_OF_A_HOP if not str(hop.get(name, "")).strip()]
            if lacking:
                yield Suspicion(entry, f"hop {number}", f"it has no {' and no '.join(lacking)}")
        answer = str(hops[-1].get("answer", "")) if hops else ""
        if not hops:
            yield Suspicion(entry, "source", "there are no hops")
        elif not any(_agree(answer, accepted) for accepted in entry.truth):
            detail = f"its answer is {shorten(answer)}, accepted is {shown_options(entry.truth)}"
            yield Suspicion(entry, f"hop {len(hops)}", detail)


def _agree(found: str, accepted: str) -> bool:
    one, other = "".join(words(found)), "".join(words(accepted))
    return one in other or other in one or not month_days(found).isdisjoint(month_days(accepted))
