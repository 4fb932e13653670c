"""Finds accepted answers of memory and web questions whose form decides, and not what they say.

The checker of the audited rules is asked. Reported is an accepted answer

- that fails if the truth's own spelling of it is given as the answer;
- whose words are joined by a hyphen, and which fails with a space instead;
- between whose digits the checker drops a sign, so that another number passes: 18 for 1.8;
- which the question says, if a message that only repeats the question passes.
"""

import re
from collections.abc import Iterator

from bfcl_pipeline.benchmark.definition import Check
from bfcl_pipeline.benchmark.records import Entry, Rules
from bfcl_pipeline.judge.audit.benchmark import Benchmark, Suspicion, in_answer_form, passes
from bfcl_pipeline.judge.audit.texts import month_days
from bfcl_pipeline.judge.scoring.agentic import AgenticChecker
from bfcl_pipeline.judge.scoring.findings import shorten

NAME = "forms"

_HYPHEN = re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])")
_BETWEEN_DIGITS = re.compile(r"(?<=\d) ?[-./] ?(?=\d)")


def suspicions(benchmark: Benchmark) -> Iterator[Suspicion]:
    """One finding per question."""
    for entry in filter(benchmark.wants, benchmark.checked_with(Check.MEMORY, Check.WEB_SEARCH)):
        details = dict.fromkeys(_forms(entry, benchmark.checked_by))
        if details:
            yield Suspicion(NAME, entry.category, entry.entry_id, "truth", "; ".join(details))


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
