"""The table on single memory questions: what became of the fact of each, and why answers are wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from bfcl_pipeline.base.text import cut, on_one_line, printable
from bfcl_pipeline.benchmark.definition import GROUPS
from bfcl_pipeline.benchmark.records import AnswerClass, Rules
from bfcl_pipeline.dialogue.calls import executed_text
from bfcl_pipeline.judge.scoring.memory_facts import FactEvent
from bfcl_pipeline.judge.scoring.memory_outcomes import QuestionRecord, Reason, reason
from bfcl_pipeline.show.report.tables import spec
from bfcl_pipeline.show.report.tables.agentic_records import ScoredQuestion
from bfcl_pipeline.show.report.tables.memory import FULL, followed

MEMORY = "memory"
"""The value of the column `category` for all memories together, as the score of that name."""

CALL = 120
"""Characters of a call in a table."""


@dataclass(frozen=True, slots=True)
class JudgedQuestion:
    """One question with a verdict under one rule set, and what is recorded of its answer."""

    question: ScoredQuestion
    record: QuestionRecord | None  # None if the answer or the sessions are not recorded
    reason: Reason | None  # None for a valid answer

    @property
    def abstained(self) -> bool | None:
        """Whether the model says that it does not know; None if answers are not classed."""
        name = self.question.answer_class
        return None if name is None else name == AnswerClass.ABSTAINED.value


Judged = Mapping[tuple[str, str], Sequence[JudgedQuestion]]
"""The questions with a verdict by rule set and category, in the release's order."""


def judged(of: spec.ModelSources) -> Judged:
    """The memory questions of one model with a verdict."""
    records = of.records
    known = {entry_id: record for one in of.once(followed) for entry_id, record in one.records.items()}
    found = {}
    for (rules, category), scored in records.verdicts.items():
        if category not in GROUPS["memory"]:
            continue
        official = records.verdicts.get((Rules.OFFICIAL.value, category), ())
        mentioned = {question.entry.entry_id for question in official if question.valid}
        found[rules, category] = [
            JudgedQuestion(
                question, known.get(question.entry.entry_id), _reason(question, known, mentioned)
            )
            for question in scored
            if question.valid is not None
        ]
    return found


def _reason(
    question: ScoredQuestion, known: Mapping[str, QuestionRecord], mentioned: set[str]
) -> Reason | None:
    if question.valid:
        return None
    entry_id = question.entry.entry_id
    return reason(known.get(entry_id), entry_id in mentioned, question.error_type, question.answer_class)


def _questions(of: spec.ModelSources) -> Iterator[spec.Row]:
    columns: dict[str, dict[str, Any]] = {}  # by entry id: the same under each rule set
    for (rules, category), questions in of.once(judged).items():
        for one in questions:
            entry_id = one.question.entry.entry_id
            if entry_id not in columns:
                columns[entry_id] = {} if one.record is None else _record_columns(one.record)
            yield {
                "model": of.records.model,
                "rules": rules,
                "category": category,
                "scenario": one.question.entry.scenario,
                "entry_id": entry_id,
                "valid": one.question.valid,
                "reason": one.reason,
                "abstained": one.abstained,
                **columns[entry_id],
            }


def _record_columns(record: QuestionRecord) -> dict[str, Any]:
    history = record.history
    stored, lost = (history.stored, history.lost) if history else (None, None)
    return {
        "place": record.place,
        "seen": record.seen,
        "searches": record.searches,
        "retrievals": record.retrievals,
        **_event_columns("stored", stored),
        **_event_columns("lost", lost),
        "lost_within": None if history is None or lost is None else history.lost_within,
        "lost_fill": None if lost is None else lost.fill,
        "lost_while_full": None if lost is None or lost.fill is None else lost.fill >= FULL,
    }


def _event_columns(prefix: str, event: FactEvent | None) -> dict[str, Any]:
    if event is None:
        return {}
    call = None if event.call is None else printable(on_one_line(cut(executed_text(event.call), CALL)))
    return {
        f"{prefix}_session": event.session,
        f"{prefix}_turn": event.turn,
        f"{prefix}_step": event.step,
        f"{prefix}_call": call,
    }


def _event(name: str, what: str) -> list[pa.Field[Any]]:
    return [
        spec.text(f"{name}_session", f"session in which {what}; null if it never did", null=True),
        spec.count(f"{name}_turn", "turn of the session, from 1; null if no call explains it", null=True),
        spec.count(f"{name}_step", "step of that turn, from 1; null likewise", null=True),
        spec.text(f"{name}_call", "the call as Python, cut to 120 characters; null likewise", null=True),
    ]


MEMORY_QUESTIONS = spec.TableSpec(
    "memory_questions",
    (
        "One row per model, rule set and memory question with a verdict. The page shows "
        "their sums, the following tables."
    ),
    [
        *spec.KEY,
        spec.CATEGORY,
        spec.text("scenario", "whose assistant the model is", null=True),
        spec.text("entry_id", "the question"),
        spec.mark("valid", "whether the answer is right"),
        spec.text(
            "reason", "why it is wrong: the first reason that applies; null if it is right", null=True
        ),
        spec.mark(
            "abstained", "whether the model says that it does not know; null if not classed", null=True
        ),
        spec.text(
            "place",
            "part of the memory with the fact: core, archival, both, none; null if unknown",
            null=True,
        ),
        spec.text(
            "seen",
            "where the model saw an acceptable answer: prompt (core memory), look_up (a result), nowhere; "
            "null if unknown",
            null=True,
        ),
        spec.count("searches", "calls at the question that search; null if not recorded", null=True),
        spec.count(
            "retrievals", "calls at the question that read what is stored; null likewise", null=True
        ),
        *_event("stored", "the fact first came into the memory"),
        *_event("lost", "the fact last left the memory, if it is not there at the question"),
        spec.mark(
            "lost_within", "whether no snapshot after a session has the fact; null if not lost", null=True
        ),
        spec.share(
            "lost_fill",
            "share of its part in use before that call (memory_rec_sum: of its characters); null likewise",
            null=True,
        ),
        spec.mark("lost_while_full", "whether that share was at least 0.9; null likewise", null=True),
    ],
    of_model=_questions,
)
