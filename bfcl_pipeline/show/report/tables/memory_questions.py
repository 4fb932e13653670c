"""The tables on single memory questions: what became of the fact of each, and why answers are wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bfcl_pipeline.base.text import cut, on_one_line, printable
from bfcl_pipeline.benchmark.definition import GROUPS
from bfcl_pipeline.benchmark.records import AnswerClass, Rules
from bfcl_pipeline.dialogue.calls import executed_text
from bfcl_pipeline.judge.scoring.memory_facts import FactEvent
from bfcl_pipeline.judge.scoring.memory_outcomes import MemoryPlace, QuestionRecord, Reason, reason
from bfcl_pipeline.show.report.tables import spec
from bfcl_pipeline.show.report.tables.memory import ALL_MEMORIES, FULL, MEMORY
from bfcl_pipeline.show.report.tables.memory_follow import follow_memories
from bfcl_pipeline.show.report.tables.model_scores import VerdictCounts

CALL = 120
"""Characters of a call in a table."""


def _questions(of: spec.ModelSources) -> list[spec.Row]:
    """The memory questions of one model with a verdict, in the release's order."""
    known = {
        entry_id: record for one in of.once(follow_memories) for entry_id, record in one.records.items()
    }
    columns = {entry_id: _record_columns(record) for entry_id, record in known.items()}
    rows: list[spec.Row] = []
    for (rules, category), scored in of.records.verdicts.items():
        if category not in GROUPS[MEMORY]:
            continue
        official = of.records.verdicts.get((Rules.OFFICIAL.value, category), ())
        mentioned = {question.entry.entry_id for question in official if question.valid}
        for question in (one for one in scored if one.valid is not None):
            entry_id, of_class = question.entry.entry_id, question.answer_class
            why = reason(known.get(entry_id), entry_id in mentioned, question.error_type, of_class)
            rows.append(
                {
                    "rules": rules,
                    "category": category,
                    "scenario": question.entry.scenario,
                    "entry_id": entry_id,
                    "valid": question.valid,
                    "reason": None if question.valid else why,
                    "abstained": None if of_class is None else of_class == AnswerClass.ABSTAINED.value,
                    **columns.get(entry_id, {}),
                }
            )
    return rows


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


def _event(name: str, what: str) -> list[spec.Column]:
    return [
        spec.text(f"{name}_session?", f"session in which {what}; null if it never did"),
        spec.count(f"{name}_turn?", "turn of the session, from 1; null if no call explains it"),
        spec.count(f"{name}_step?", "step of that turn, from 1; null likewise"),
        spec.text(f"{name}_call?", "the call as Python, cut to 120 characters; null likewise"),
    ]


def _by_memory(of: spec.ModelSources) -> Mapping[tuple[str, str], Sequence[spec.Row]]:
    """The questions by rule set and memory, then those of all memories of a rule set together."""
    groups: dict[tuple[str, str], list[spec.Row]] = {}
    for together in (False, True):
        for row in of.once(_questions):
            name = MEMORY if together else row["category"]
            groups.setdefault((row["rules"], name), []).append(row)
    return groups


def _failures(of: spec.ModelSources) -> Iterator[spec.Row]:
    """Only reasons that occur."""
    for (rules, category), rows in of.once(_by_memory).items():
        wrong = [row for row in rows if not row["valid"]]
        for why in Reason:
            if failed := [row for row in wrong if row["reason"] is why]:
                yield {
                    "rules": rules,
                    "category": category,
                    "reason": why,
                    "count": len(failed),
                    "wrong": len(wrong),
                    "share": len(failed) / len(wrong),
                    "abstained": sum(bool(row["abstained"]) for row in failed),
                    "example_entry_id": failed[0]["entry_id"],
                }


def _parts(of: spec.ModelSources) -> Iterator[spec.Row]:
    """Only parts that hold facts."""
    for (rules, category), rows in of.once(_by_memory).items():
        for place in MemoryPlace:
            held = [row for row in rows if row.get("place") is place]
            alone = [row["valid"] for row in held if not row["searches"] + row["retrievals"]]
            if held:
                yield {
                    "rules": rules,
                    "category": category,
                    "place": place,
                    **VerdictCounts.of([row["valid"] for row in held]).columns,
                    "without_look_up": len(alone),
                    "without_look_up_correct": alone.count(True),
                }


MEMORY_QUESTIONS = spec.TableSpec(
    "memory_questions",
    "One row per model, rule set and memory question with a verdict. The page shows "
    "their sums, the following tables.",
    [
        *spec.KEY,
        spec.CATEGORY,
        spec.text("scenario?", "whose assistant the model is"),
        spec.text("entry_id", "the question"),
        spec.mark("valid", "whether the answer is right"),
        spec.text("reason?", "why it is wrong: the first reason that applies; null if it is right"),
        spec.mark("abstained?", "whether the model says that it does not know; null if not classed"),
        spec.text(
            "place?", "part of the memory with the fact: core, archival, both, none; null if unknown"
        ),
        spec.text(
            "seen?",
            "where the model saw an acceptable answer: prompt (core memory), look_up (a result), nowhere; "
            "null if unknown",
        ),
        spec.count("searches?", "calls at the question that search; null if not recorded"),
        spec.count("retrievals?", "calls at the question that read what is stored; null likewise"),
        *_event("stored", "the fact first came into the memory"),
        *_event("lost", "the fact last left the memory, if it is not there at the question"),
        spec.mark("lost_within?", "whether no snapshot after a session has the fact; null if not lost"),
        spec.share(
            "lost_fill?",
            "share of its part in use before that call (memory_rec_sum: of its characters); null likewise",
        ),
        spec.mark("lost_while_full?", "whether that share was at least 0.9; null likewise"),
    ],
    of_model=lambda of: of.once(_questions),
)


MEMORY_FAILURES = spec.TableSpec(
    "memory_failures",
    "One row per model, rule set, memory and reason that occurs.",
    [
        *spec.KEY,
        ALL_MEMORIES,
        spec.text("reason", "why answers are wrong; each has one reason"),
        spec.count("count", "wrong answers with this reason"),
        spec.count("wrong", "wrong answers"),
        spec.share("share", "count / wrong"),
        spec.count("abstained", "of count, those that say that they do not know"),
        spec.text("example_entry_id", "the first of them"),
    ],
    of_model=_failures,
)


MEMORY_PARTS = spec.TableSpec(
    "memory_parts",
    "One row per model, rule set, memory and part that has facts: accuracy by the place\nof the fact.",
    [
        *spec.KEY,
        ALL_MEMORIES,
        spec.text("place", "part of the memory with the fact: core, archival, both, none"),
        spec.count("entries", "questions whose fact is there"),
        *spec.tally("of these"),
        spec.count("without_look_up", "of these, those answered without any look-up"),
        spec.count("without_look_up_correct", "of those, the right ones"),
    ],
    of_model=_parts,
)


TABLES = (MEMORY_QUESTIONS, MEMORY_FAILURES, MEMORY_PARTS)
