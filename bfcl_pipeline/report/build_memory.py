"""The tables on memory: accuracy by scenario, and what was done with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from bfcl_pipeline.benchmark import GROUPS
from bfcl_pipeline.records import Entry, Json
from bfcl_pipeline.report.build import tally_columns
from bfcl_pipeline.report.collect_agentic import AgenticRecords, Talk
from bfcl_pipeline.report.standings import Tally
from bfcl_pipeline.scoring.memory_use import (
    CHANGES,
    Action,
    Part,
    contents,
    count_calls,
    failed_calls,
    follow_facts,
)
from bfcl_pipeline.tools import Constants


def memory_domains(records: AgenticRecords) -> Iterator[dict[str, Any]]:
    """The rows of `memory_domains`."""
    for (model, rules, category), judged in records.verdicts.items():
        if category not in GROUPS["memory"]:
            continue
        for scenario in _scenarios(one.entry for one in judged):
            marks = [one.valid for one in judged if one.entry.scenario == scenario]
            yield {
                "model": model,
                "rules": rules,
                "category": category,
                "scenario": scenario,
                **tally_columns(Tally.of(marks)),
            }


def memory_use(records: AgenticRecords) -> Iterator[dict[str, Any]]:
    """The rows of `memory_use`."""
    if records.constants is None:
        return
    for (model, category), sessions in records.sessions.items():
        answers = records.answers.get((model, category), ())
        for scenario in _scenarios(talk.entry for talk in sessions):
            chain = [talk for talk in sessions if talk.entry.scenario == scenario]
            asked = [talk for talk in answers if talk.entry.scenario == scenario]
            yield {
                "model": model,
                "category": category,
                "scenario": scenario,
                **_session_columns(category, chain, records.constants),
                **_question_columns(category, asked, chain, records.constants),
            }


def _scenarios(entries: Iterable[Entry]) -> list[str]:
    """Those of the entries, in order."""
    return list(dict.fromkeys(entry.scenario for entry in entries if entry.scenario is not None))


def _session_columns(category: str, chain: Sequence[Talk], constants: Constants) -> dict[str, int]:
    held = [talk for talk in chain if talk.snapshot is not None]
    counts = count_calls(category, (call for talk in held for call in talk.calls))
    starts: list[Json] = [None, *(talk.snapshot for talk in held)]  # each from where the last one ended
    after = contents(starts[-1])
    return {
        "sessions": len(chain),
        "sessions_held": len(held),
        **{str(what): counts[what] for what in (*Action, *Part)},
        "errors": sum(
            failed_calls(talk.entry, talk.calls, start, constants)
            for talk, start in zip(held, starts, strict=False)
        ),
        "core_entries": len(after.core),
        "archival_entries": len(after.archival),
        "characters": after.characters,
    }


def _question_columns(
    category: str, asked: Sequence[Talk], chain: Sequence[Talk], constants: Constants
) -> dict[str, int]:
    snapshots = [talk.snapshot for talk in chain]
    if None in snapshots:  # then no question was asked of the memory
        asked = ()
    counts = count_calls(category, (call for talk in asked for call in talk.calls))
    facts = follow_facts([talk.entry for talk in asked], snapshots)
    return {
        "questions": len(asked),
        "question_searches": counts[Action.SEARCH],
        "question_retrievals": counts[Action.RETRIEVE],
        "question_changes": sum(counts[action] for action in CHANGES),
        "question_errors": sum(
            failed_calls(talk.entry, talk.calls, snapshots[-1], constants) for talk in asked
        ),
        "stored": facts.stored,
        "kept": facts.kept,
        "lost": facts.lost,
    }
