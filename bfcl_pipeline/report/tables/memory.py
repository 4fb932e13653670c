"""The tables on memory: accuracy by scenario, and how models used their memory."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from bfcl_pipeline.benchmark import GROUPS
from bfcl_pipeline.records import Entry, Json
from bfcl_pipeline.report.tables.agentic_records import AgenticAnswer, AgenticRecords
from bfcl_pipeline.report.tables.model_scores import VerdictCounts
from bfcl_pipeline.report.tables.score_tables import tally_columns
from bfcl_pipeline.scoring.memory_use import (
    CHANGES,
    Action,
    MemoryPart,
    contents,
    count_calls,
    failed_calls,
    follow_facts,
)
from bfcl_pipeline.tools import Constants


def memory_domains(records: AgenticRecords) -> Iterator[dict[str, Any]]:
    """The rows of `memory_domains`."""
    for (rules, category), scored in records.verdicts.items():
        if category not in GROUPS["memory"]:
            continue
        for scenario in _scenarios(question.entry for question in scored):
            marks = [question.valid for question in scored if question.entry.scenario == scenario]
            yield {
                "model": records.model,
                "rules": rules,
                "category": category,
                "scenario": scenario,
                **tally_columns(VerdictCounts.of(marks)),
            }


def memory_use(records: AgenticRecords) -> Iterator[dict[str, Any]]:
    """The rows of `memory_use`."""
    if records.constants is None:
        return
    for category, sessions in records.sessions.items():
        answers = records.answers.get(category, ())
        for scenario in _scenarios(session.entry for session in sessions):
            chain = [session for session in sessions if session.entry.scenario == scenario]
            questions = [answer for answer in answers if answer.entry.scenario == scenario]
            yield {
                "model": records.model,
                "category": category,
                "scenario": scenario,
                **_session_columns(category, chain, records.constants),
                **_question_columns(category, questions, chain, records.constants),
            }


def _scenarios(entries: Iterable[Entry]) -> list[str]:
    """The scenarios of the entries, in order of their first entry."""
    return list(dict.fromkeys(entry.scenario for entry in entries if entry.scenario is not None))


def _session_columns(category: str, chain: Sequence[AgenticAnswer], constants: Constants) -> dict[str, int]:
    completed = [session for session in chain if session.snapshot is not None]
    counts = count_calls(category, (call for session in completed for call in session.calls))
    # Each session starts with the memory of the previous one.
    starts: list[Json] = [None, *(session.snapshot for session in completed)]
    after = contents(starts[-1])
    return {
        "sessions": len(chain),
        "sessions_held": len(completed),
        **{str(action): counts[action] for action in (*Action, *MemoryPart)},
        "errors": sum(
            failed_calls(session.entry, session.calls, start, constants)
            for session, start in zip(completed, starts, strict=False)
        ),
        "core_entries": len(after.core),
        "archival_entries": len(after.archival),
        "characters": after.characters,
    }


def _question_columns(
    category: str, answers: Sequence[AgenticAnswer], chain: Sequence[AgenticAnswer], constants: Constants
) -> dict[str, int]:
    snapshots = [session.snapshot for session in chain]
    if None in snapshots:  # a session failed, so the questions had no memory
        answers = ()
    counts = count_calls(category, (call for answer in answers for call in answer.calls))
    facts = follow_facts([answer.entry for answer in answers], snapshots)
    return {
        "questions": len(answers),
        "question_searches": counts[Action.SEARCH],
        "question_retrievals": counts[Action.RETRIEVE],
        "question_changes": sum(counts[action] for action in CHANGES),
        "question_errors": sum(
            failed_calls(answer.entry, answer.calls, snapshots[-1], constants) for answer in answers
        ),
        "stored": facts.stored,
        "kept": facts.kept,
        "lost": facts.lost,
    }
