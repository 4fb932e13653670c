"""Why answers on memory and web questions are wrong, in words, from the tables of the run.

The tables `memory_questions` and `web_questions` have one row per question; a run without them states no
reasons.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow.compute as pc

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.base.text import cut
from bfcl_pipeline.benchmark.definition import GROUPS
from bfcl_pipeline.benchmark.tables import read_table
from bfcl_pipeline.judge.scoring.memory_outcomes import Reason
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.transcripts.parts import AnswerRecord

REASONS: Mapping[Reason, tuple[str, str]] = {
    Reason.NEVER_STORED: ("Never stored", "the fact was in the memory after no call of a session"),
    Reason.DELETED: ("Deleted", "the fact was stored, then removed or cleared"),
    Reason.OVERWRITTEN: ("Overwritten", "the fact was stored, then replaced by another text"),
    Reason.NOT_LOOKED_UP: ("Not looked up", "the fact is stored, and the model neither searched nor read"),
    Reason.NOT_FOUND: ("Not found", "the fact is stored, and no search or retrieval returned it"),
    Reason.MISREAD: ("Misread", "the model saw the fact and answers something else"),
    Reason.ABSTAINED: ("Saw it, abstained", "the model saw the fact and says that it does not know"),
    Reason.NO_ANSWER: ("No answer", "the model saw the fact and wrote no final message"),
    Reason.NOT_EXACT: (
        "Not exact",
        "the answer mentions the fact, but does not give it as these rules require",
    ),
    Reason.UNKNOWN: ("Not recorded", "the memory, or the result of a look-up, is not recorded"),
}
"""The heading of each reason of `memory_failures`, and what it means; in the order of the columns."""

FAILURES: Mapping[str, str] = {
    "no_search": "Never searched",
    "pasted_question": "Pasted the question",
    "never_fetched": "Never fetched",
    "repeated_search": "Repeated a search",
    "future_event": "Assumed a future event",
    "abstained": "Abstained",
    "misread_page": "Answer stood on a page",
    "misread_result": "Answer stood in a result",
    "failed_fetch_other_source": "Failed fetch, other source",
    "gave_up": "Failed fetch, gave up",
    "none_of_these": "None of these",
}
"""The kinds of failure of `web_failures` and their headings."""

LONGEST = 1_000
"""Characters of a reason."""


def reasons_of(run: Run, model: str, category: str) -> Mapping[tuple[str, str], str]:
    """Why answers of a model in a category are wrong, by rule set and entry id; may be empty."""
    group = next((name for name in _TOLD if category in GROUPS[name]), None)
    if group is None:
        return {}
    name, columns, words = _TOLD[group]
    path = run.table(name)
    try:
        table = read_table(path, ["model", "category", "rules", "entry_id", *columns])
    except TableError:
        return {}
    chosen = table.filter((pc.field("model") == model) & (pc.field("category") == category))
    return {
        (row["rules"], row["entry_id"]): cut(text, LONGEST)
        for row in chosen.to_pylist()
        if (text := " ".join(words(row)))
    }


def with_reasons(record: AnswerRecord, reasons: Mapping[tuple[str, str], str]) -> AnswerRecord:
    """`record` with the reason beside each verdict that has one."""
    verdicts = [
        replace(one, why=reasons.get((one.rules, record.entry_id), "")) if one.valid is False else one
        for one in record.verdicts
    ]
    return replace(record, verdicts=tuple(verdicts))


def _memory(row: Mapping[str, Any]) -> Iterator[str]:
    if row["reason"] not in [*Reason]:
        return
    heading, meaning = REASONS[Reason(row["reason"])]
    yield f"{heading}: {meaning}."
    if row["lost_call"]:
        yield f"It was lost in {row['lost_session']} by {row['lost_call']}"


def _web(row: Mapping[str, Any]) -> Iterator[str]:
    kinds = str(row["failures"] or "").replace(" ", "").split(",")
    named = [FAILURES[kind] for kind in kinds if kind in FAILURES and kind != "none_of_these"]
    if named:
        yield "; ".join([named[0], *(name[0].lower() + name[1:] for name in named[1:])]) + "."


_TOLD: Mapping[str, tuple[str, Sequence[str], Callable[[Mapping[str, Any]], Iterator[str]]]] = {
    "memory": ("memory_questions", ("reason", "lost_session", "lost_call"), _memory),
    "web_search": ("web_questions", ("failures",), _web),
}
"""By group of categories: the table with one row per question, its columns, and a row in words."""
