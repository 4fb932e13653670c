"""The tables on memory: accuracy by scenario, and how models used their memory."""

from collections.abc import Iterator
from typing import Any

from bfcl_pipeline.benchmark.definition import GROUPS
from bfcl_pipeline.judge.scoring.memory_use import CHANGES, Action, MemoryPart, count_calls
from bfcl_pipeline.show.report.tables.agentic_records import AgenticRecords
from bfcl_pipeline.show.report.tables.memory_follow import FollowedScenario, scenarios
from bfcl_pipeline.show.report.tables.model_scores import VerdictCounts
from bfcl_pipeline.show.report.tables.score_tables import tally_columns

FULL = 0.9
"""Share of a part's entries, or of the characters of a memory of one text, from which on it is full."""


def memory_domains(records: AgenticRecords) -> Iterator[dict[str, Any]]:
    """The rows of `memory_domains`."""
    for (rules, category), scored in records.verdicts.items():
        if category not in GROUPS["memory"]:
            continue
        for scenario in scenarios(question.entry for question in scored):
            marks = [question.valid for question in scored if question.entry.scenario == scenario]
            yield {
                "model": records.model,
                "rules": rules,
                "category": category,
                "scenario": scenario,
                **tally_columns(VerdictCounts.of(marks)),
            }


def memory_use(model: str, followed: FollowedScenario) -> dict[str, Any]:
    """The row of `memory_use` of one model and scenario."""
    return {
        "model": model,
        "category": followed.category,
        "scenario": followed.scenario,
        **_session_columns(followed),
        **_question_columns(followed),
    }


def _session_columns(followed: FollowedScenario) -> dict[str, int]:
    completed = followed.completed
    counts = count_calls(followed.category, (call for session in completed for call in session.calls))
    return {
        "sessions": len(followed.sessions),
        "sessions_held": len(completed),
        **{str(action): counts[action] for action in (*Action, *MemoryPart)},
        "errors": followed.session_errors,
        "core_entries": len(followed.after.core),
        "archival_entries": len(followed.after.archival),
        "characters": followed.after.characters,
    }


def _question_columns(followed: FollowedScenario) -> dict[str, int]:
    answers = followed.questions
    counts = count_calls(followed.category, (call for answer in answers for call in answer.calls))
    histories = followed.histories.values()
    lost = [history.lost for history in histories if history.lost is not None]
    return {
        "questions": len(answers),
        "question_searches": counts[Action.SEARCH],
        "question_retrievals": counts[Action.RETRIEVE],
        "question_changes": sum(counts[action] for action in CHANGES),
        "question_errors": followed.question_errors,
        "stored": sum(history.stored is not None for history in histories),
        "kept": sum(history.kept for history in histories),
        "lost": len(lost),
        "lost_within": sum(history.lost_within for history in histories),
        "lost_while_full": sum(event.fill is not None and event.fill >= FULL for event in lost),
        "without_look_up": sum(not record.look_ups for record in followed.records.values()),
    }
