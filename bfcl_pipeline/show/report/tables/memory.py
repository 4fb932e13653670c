"""The tables on memory: accuracy by scenario, how models used their memory, and differences by memory."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from statistics import fmean
from typing import Any

from bfcl_pipeline.benchmark.definition import CATEGORIES, GROUPS, MemoryBackend
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.judge.scoring.memory_facts import CHANGES, FUNCTIONS, Action, MemoryPart, count_calls
from bfcl_pipeline.judge.scoring.memory_outcomes import pattern
from bfcl_pipeline.show.report.tables import spec
from bfcl_pipeline.show.report.tables.leaderboard import leaderboard_rows
from bfcl_pipeline.show.report.tables.memory_follow import FollowedScenario, follow_memories, scenarios
from bfcl_pipeline.show.report.tables.model_scores import VerdictCounts

MEMORY = "memory"
"""The value of the column `category` for all memories together, as the score of that name."""

ALL_MEMORIES = spec.text("category", "a memory category, or `memory`: all of them together")

FULL = 0.9
"""Share of a part's entries, or of the characters of a memory of one text, from which on it is full."""


def _domains(of: spec.ModelSources) -> Iterator[spec.Row]:
    records = of.records
    for (rules, category), scored in records.verdicts.items():
        if category not in GROUPS[MEMORY]:
            continue
        for scenario in scenarios(question.entry for question in scored):
            marks = [question.valid for question in scored if question.entry.scenario == scenario]
            yield {
                "rules": rules,
                "category": category,
                "scenario": scenario,
                **VerdictCounts.of(marks).columns,
            }


def _use(of: spec.ModelSources) -> Iterator[spec.Row]:
    for one in of.once(follow_memories):
        yield {
            "category": one.category,
            "scenario": one.scenario,
            **_session_columns(one),
            **_question_columns(one),
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


def _patterns(of: spec.ModelSources) -> Iterator[spec.Row]:
    used = {
        category: _pattern_columns(category, list(scenarios))
        for category, scenarios in groupby(of.once(follow_memories), key=lambda one: one.category)
    }
    for (rules, category), questions in of.records.verdicts.items():
        if category in used:
            yield {
                "rules": rules,
                "category": category,
                **used[category],
                **VerdictCounts.of([one.valid for one in questions if one.valid is not None]).columns,
            }


def _pattern_columns(category: str, scenarios: Sequence[FollowedScenario]) -> dict[str, Any]:
    calls = [call for one in scenarios for session in one.completed for call in session.calls]
    roles = map(FUNCTIONS[CATEGORIES[category].backend].get, (call.name for call in calls))
    added = Counter(role.part for role in roles if role is not None and role.action is Action.ADD)
    core, archival = added[MemoryPart.CORE], added[MemoryPart.ARCHIVAL]
    histories = [history for one in scenarios for history in one.histories.values()]
    texts = sum(one.texts_with_facts for one in scenarios)
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


def memory_backends(leaderboard: Iterable[spec.Row]) -> Iterator[spec.Row]:
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


FACTS, _AT_QUESTIONS = "Facts", "At the questions"
"""Headings of groups of columns."""

_SCENARIO = spec.text("scenario", "whose assistant the model is")


MEMORY_DOMAINS = spec.TableSpec(
    "memory_domains",
    "One row per model, rule set, memory and scenario.",
    [
        *spec.KEY,
        spec.CATEGORY,
        _SCENARIO,
        *spec.counts(entries="questions asked"),
        *spec.tally("of the scenario"),
    ],
    of_model=_domains,
)


MEMORY_USE = spec.TableSpec(
    "memory_use",
    "One row per model, memory and scenario. The sessions are played again call by call, so "
    "that a fact that is stored and lost within one session counts.",
    [
        spec.RUN,
        spec.MODEL,
        spec.CATEGORY,
        _SCENARIO,
        *spec.counts(
            sessions="sessions before the questions",
            sessions_held="of these, those that were held to the end",
        ),
        *spec.counts(
            "Calls in the sessions",
            adds=("Add", "calls in the sessions that add or append"),
            replaces=("Replace", "calls in the sessions that replace or update"),
            removes=("Remove", "calls in the sessions that remove one entry"),
            clears=("Clear", "calls in the sessions that remove all"),
            searches=("Search", "calls in the sessions that search by words or by meaning, or list keys"),
            retrievals=("Read", "calls in the sessions that read what is stored"),
            core_calls=(
                "Core",
                "of these six, those of the part in the system prompt; of memory_rec_sum, all",
            ),
            archival_calls=("Archival", "of these six, those of the part that must be searched"),
            errors=(
                "Failed",
                "calls in the sessions that fail when made again, but for searches by meaning",
            ),
        ),
        *spec.counts(
            "Contents",
            core_entries=(
                "Core",
                "texts in the core memory after the last session held; of memory_rec_sum, 0 or 1",
            ),
            archival_entries=("Archival", "texts in the archival memory after the last session held"),
            characters="their length",
            questions="questions asked, each for one fact; none if a session could not be held",
        ),
        *spec.counts(
            _AT_QUESTIONS,
            1,
            question_searches=("Search", "calls at the questions that search"),
            question_retrievals=("Read", "calls at the questions that read what is stored"),
            question_changes="calls at the questions that change the memory, which nobody reads again",
            question_errors=(
                "Failed",
                "calls at the questions that fail when made again, but for searches by meaning",
            ),
        ),
        *spec.counts(
            FACTS,
            stored=(
                "Stored",
                "facts asked for, of which an answer is mentioned in the memory after some call",
            ),
            kept=("Kept", "those of which one is mentioned in the memory that the question starts from"),
            lost=("Lost", "those stored once and deleted before they were asked for: stored less kept"),
            lost_within=("In session", "of the lost ones, those that are in no snapshot after a session"),
            lost_while_full=(
                "When full",
                "of the lost ones, those whose part of the memory was at least 0.9 full",
            ),
        ),
        *spec.counts(
            _AT_QUESTIONS,
            1,
            without_look_up=("No look-up", "questions answered without a search or a retrieval"),
        ),
    ],
    of_model=_use,
)


MEMORY_PATTERNS = spec.TableSpec(
    "memory_patterns",
    "One row per model, rule set and memory with recorded sessions: what the model "
    "adds to the parts of the memory.",
    [
        *spec.KEY,
        spec.CATEGORY,
        spec.text(
            "pattern",
            "parts with at least 0.1 of the additions: core_and_archival, core_only, archival_only; "
            "or one_text, nothing_added",
        ),
        spec.count("core_adds", "calls in the sessions that add to the core part"),
        spec.count("archival_adds", "calls in them that add to the archival part"),
        spec.count("facts", "facts that questions ask for"),
        spec.count("facts_in_core", "of these, those in the core part at the questions"),
        spec.count("facts_in_archival", "of these, those in the archival part"),
        spec.count("texts_with_facts", "texts in the memory that mention one"),
        spec.share("facts_per_text?", "facts in the memory / these texts: above 1, texts are summaries"),
        spec.count("entries", "questions with a verdict"),
        *spec.tally("of these"),
    ],
    of_model=_patterns,
)


MEMORY_BACKENDS = spec.TableSpec(
    "memory_backends",
    "One row per rule set and memory that several models were asked.",
    [
        spec.RUN,
        spec.RULES,
        ALL_MEMORIES,
        spec.count("models", "models with this score"),
        spec.share("best", "highest accuracy"),
        spec.text("best_model", "its model; of several the highest in rank"),
        spec.share("worst", "lowest accuracy"),
        spec.text("worst_model", "its model; of several the lowest in rank"),
        spec.share("difference", "best less worst"),
        spec.share("mean", "mean over the models"),
    ],
    rows=lambda made: memory_backends(made.once(leaderboard_rows)),
)


TABLES = (MEMORY_DOMAINS, MEMORY_USE, MEMORY_PATTERNS, MEMORY_BACKENDS)
