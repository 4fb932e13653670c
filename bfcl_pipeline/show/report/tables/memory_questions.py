"""The tables on memory questions: why answers are wrong, and what became of the facts they ask for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from bfcl_pipeline.base.text import cut, on_one_line, printable
from bfcl_pipeline.benchmark.definition import CATEGORIES, GROUPS, MemoryBackend
from bfcl_pipeline.benchmark.records import AnswerClass, Rules
from bfcl_pipeline.dialogue.calls import executed_text
from bfcl_pipeline.judge.scoring.memory_facts import FactEvent
from bfcl_pipeline.judge.scoring.memory_outcomes import MemoryPlace, QuestionRecord, Reason, pattern, reason
from bfcl_pipeline.judge.scoring.memory_use import FUNCTIONS, Action, MemoryPart
from bfcl_pipeline.show.report.tables.agentic_records import AgenticRecords, ScoredQuestion
from bfcl_pipeline.show.report.tables.memory import FULL
from bfcl_pipeline.show.report.tables.memory_follow import FollowedScenario
from bfcl_pipeline.show.report.tables.model_scores import VerdictCounts
from bfcl_pipeline.show.report.tables.score_tables import tally_columns

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


def judge_questions(records: AgenticRecords, followed: Iterable[FollowedScenario]) -> Judged:
    """The memory questions of one model with a verdict."""
    known = {entry_id: record for one in followed for entry_id, record in one.records.items()}
    judged = {}
    for (rules, category), scored in records.verdicts.items():
        if category not in GROUPS["memory"]:
            continue
        official = records.verdicts.get((Rules.OFFICIAL.value, category), ())
        mentioned = {question.entry.entry_id for question in official if question.valid}
        judged[rules, category] = [
            JudgedQuestion(
                question, known.get(question.entry.entry_id), _reason(question, known, mentioned)
            )
            for question in scored
            if question.valid is not None
        ]
    return judged


def _reason(
    question: ScoredQuestion, known: Mapping[str, QuestionRecord], mentioned: set[str]
) -> Reason | None:
    if question.valid:
        return None
    entry_id = question.entry.entry_id
    return reason(known.get(entry_id), entry_id in mentioned, question.error_type, question.answer_class)


def memory_questions(model: str, judged: Judged) -> Iterator[dict[str, Any]]:
    """The rows of `memory_questions`."""
    columns: dict[str, dict[str, Any]] = {}  # by entry id: the same under each rule set
    for (rules, category), questions in judged.items():
        for one in questions:
            entry_id = one.question.entry.entry_id
            if entry_id not in columns:
                columns[entry_id] = {} if one.record is None else _record_columns(one.record)
            yield {
                "model": model,
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


def memory_failures(model: str, judged: Judged) -> Iterator[dict[str, Any]]:
    """The rows of `memory_failures`: only reasons that occur, each memory and then all together."""
    for rules, category, questions in _with_all(judged):
        wrong = [one for one in questions if one.reason is not None]
        for why in Reason:
            failed = [one for one in wrong if one.reason is why]
            if failed:
                yield {
                    "model": model,
                    "rules": rules,
                    "category": category,
                    "reason": why,
                    "count": len(failed),
                    "wrong": len(wrong),
                    "share": len(failed) / len(wrong),
                    "abstained": sum(bool(one.abstained) for one in failed),
                    "example_entry_id": failed[0].question.entry.entry_id,
                }


def memory_parts(model: str, judged: Judged) -> Iterator[dict[str, Any]]:
    """The rows of `memory_parts`: only parts that hold facts, each memory and then all together."""
    for rules, category, questions in _with_all(judged):
        for place in MemoryPlace:
            held = [one for one in questions if one.record is not None and one.record.place is place]
            alone = [one.question.valid for one in held if one.record and not one.record.look_ups]
            if held:
                tally = tally_columns(VerdictCounts.of([one.question.valid for one in held]))
                yield {
                    "model": model,
                    "rules": rules,
                    "category": category,
                    "place": place,
                    **tally,
                    "without_look_up": len(alone),
                    "without_look_up_correct": alone.count(True),
                }


def _with_all(judged: Judged) -> Iterator[tuple[str, str, Sequence[JudgedQuestion]]]:
    """The questions of each rule set and memory, and of all memories of a rule set together."""
    together: dict[str, list[JudgedQuestion]] = {}
    for (rules, category), questions in judged.items():
        together.setdefault(rules, []).extend(questions)
        yield rules, category, questions
    for rules, questions in together.items():
        yield rules, MEMORY, questions


def memory_patterns(
    model: str, judged: Judged, followed: Sequence[FollowedScenario]
) -> Iterator[dict[str, Any]]:
    """The rows of `memory_patterns`."""
    used = {
        category: _pattern_columns(category, [one for one in followed if one.category == category])
        for category in dict.fromkeys(one.category for one in followed)
    }
    for (rules, category), questions in judged.items():
        if category in used:
            yield {
                "model": model,
                "rules": rules,
                "category": category,
                **used[category],
                **tally_columns(VerdictCounts.of([one.question.valid for one in questions])),
            }


def _pattern_columns(category: str, followed: Sequence[FollowedScenario]) -> dict[str, Any]:
    calls = [call for one in followed for session in one.completed for call in session.calls]
    roles = map(FUNCTIONS[CATEGORIES[category].backend].get, (call.name for call in calls))
    added = Counter(role.part for role in roles if role is not None and role.action is Action.ADD)
    core, archival = added[MemoryPart.CORE], added[MemoryPart.ARCHIVAL]
    histories = [history for one in followed for history in one.histories.values()]
    texts = sum(one.texts_with_facts for one in followed)
    kept = sum(history.kept for history in histories)
    return {
        "pattern": pattern(core, archival, CATEGORIES[category].backend is not MemoryBackend.SUMMARY),
        "core_adds": core,
        "archival_adds": archival,
        "facts": len(histories),
        "facts_in_core": sum(history.in_core for history in histories),
        "facts_in_archival": sum(history.in_archival for history in histories),
        "texts_with_facts": texts,
        "facts_per_text": kept / texts if texts else None,
    }


def memory_backends(leaderboard: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """The rows of `memory_backends`: only scores of several models.

    leaderboard: the rows of that table, official rules first, then by rank.
    """
    rows = list(leaderboard)
    for rules in Rules:
        own = [row for row in rows if row["rules"] == rules.value]
        for category in (*GROUPS[MEMORY], MEMORY):
            scored = [row for row in own if row[category] is not None]
            if len(scored) < 2:
                continue
            best = max(scored, key=lambda row: row[category])
            worst = min(reversed(scored), key=lambda row: row[category])
            yield {
                "rules": rules.value,
                "category": category,
                "models": len(scored),
                "best": best[category],
                "best_model": best["model"],
                "worst": worst[category],
                "worst_model": worst["model"],
                "difference": best[category] - worst[category],
                "mean": fmean(row[category] for row in scored),
            }
