"""Finds accepted answers of memory and web questions whose form decides, and not what they say.

The checker of the audited rules is asked. Reported is an accepted answer

- that fails when it is given as the answer, as it stands in the truth;
- whose words are joined by a hyphen, and which fails with a space instead;
- between whose digits the checker drops a sign, so that another number passes: 18 for 1.8;
- which the question says, if a message that only repeats the question passes.
"""

import json
import re
from collections.abc import Iterator

from bfcl_pipeline.audit.benchmark import Benchmark, Suspicion
from bfcl_pipeline.audit.dates import month_days
from bfcl_pipeline.benchmark import Check
from bfcl_pipeline.records import Entry, Mode, NameStyle, Rules
from bfcl_pipeline.scoring.agentic import AgenticChecker
from bfcl_pipeline.scoring.findings import shown

NAME = "forms"

_HYPHEN = re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])")
_BETWEEN_DIGITS = re.compile(r"(?<=\d) ?[-./] ?(?=\d)")


def suspicions(benchmark: Benchmark) -> Iterator[Suspicion]:
    """One finding per question."""
    for entry in benchmark.checked_with(Check.MEMORY, Check.WEB_SEARCH):
        details = dict.fromkeys(_forms(entry, benchmark.checked_by))
        if details:
            yield Suspicion(NAME, entry.category, entry.entry_id, "truth", "; ".join(details))


def _forms(entry: Entry, rules: Rules) -> Iterator[str]:
    checker = AgenticChecker(entry)

    def passes(answer: str) -> bool:
        message = json.dumps({"answer": answer, "context": ""}, ensure_ascii=False)
        return _is_valid(checker, message, rules)

    for accepted in entry.truth:
        if not passes(accepted):
            yield f"{shown(accepted)} does not pass as the answer"
        spaced = _HYPHEN.sub(" ", accepted)
        if spaced != accepted and not passes(spaced):
            yield f"{shown(accepted)} is accepted, {shown(spaced)} is not"
        joined = _BETWEEN_DIGITS.sub("", accepted)
        if joined != accepted and not month_days(accepted) and passes(joined):
            yield f"{shown(joined)} passes for {shown(accepted)}"
    question = str(entry.turns[-1][-1]["content"])
    if _is_valid(checker, question, rules):
        yield "a message that repeats the question passes"


def _is_valid(checker: AgenticChecker, message: str, rules: Rules) -> bool:
    (outcome,) = checker.check([[message]], Mode.PROMPT, NameStyle.UNDERSCORED, (rules,))
    return outcome.finding is None
