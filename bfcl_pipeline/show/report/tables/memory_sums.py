"""The tables that add up memory questions: by reason, by part, by pattern of use, by memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from statistics import fmean
from typing import Any

from bfcl_pipeline.benchmark.definition import CATEGORIES, GROUPS, MemoryBackend
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.judge.scoring.memory_outcomes import MemoryPlace, Reason, pattern
from bfcl_pipeline.judge.scoring.memory_use import FUNCTIONS, Action, MemoryPart
from bfcl_pipeline.show.report.tables import spec
from bfcl_pipeline.show.report.tables.leaderboard import leaderboard_rows
from bfcl_pipeline.show.report.tables.memory import followed
from bfcl_pipeline.show.report.tables.memory_follow import FollowedScenario
from bfcl_pipeline.show.report.tables.memory_questions import MEMORY, Judged, JudgedQuestion, judged
from bfcl_pipeline.show.report.tables.model_scores import VerdictCounts
from bfcl_pipeline.show.report.tables.score_tables import tally_columns


def _failures(of: spec.ModelSources) -> Iterator[spec.Row]:
    """Only reasons that occur, each memory and then all together."""
    for rules, category, questions in _with_all(of.once(judged)):
        wrong = [one for one in questions if one.reason is not None]
        for why in Reason:
            failed = [one for one in wrong if one.reason is why]
            if failed:
                yield {
                    "model": of.records.model,
                    "rules": rules,
                    "category": category,
                    "reason": why,
                    "count": len(failed),
                    "wrong": len(wrong),
                    "share": len(failed) / len(wrong),
                    "abstained": sum(bool(one.abstained) for one in failed),
                    "example_entry_id": failed[0].question.entry.entry_id,
                }


def _parts(of: spec.ModelSources) -> Iterator[spec.Row]:
    """Only parts that hold facts, each memory and then all together."""
    for rules, category, questions in _with_all(of.once(judged)):
        for place in MemoryPlace:
            held = [one for one in questions if one.record is not None and one.record.place is place]
            alone = [one.question.valid for one in held if one.record and not one.record.look_ups]
            if held:
                tally = tally_columns(VerdictCounts.of([one.question.valid for one in held]))
                yield {
                    "model": of.records.model,
                    "rules": rules,
                    "category": category,
                    "place": place,
                    **tally,
                    "without_look_up": len(alone),
                    "without_look_up_correct": alone.count(True),
                }


def _with_all(questions_by: Judged) -> Iterator[tuple[str, str, Sequence[JudgedQuestion]]]:
    """The questions of each rule set and memory, and of all memories of a rule set together."""
    together: dict[str, list[JudgedQuestion]] = {}
    for (rules, category), questions in questions_by.items():
        together.setdefault(rules, []).extend(questions)
        yield rules, category, questions
    for rules, questions in together.items():
        yield rules, MEMORY, questions


def _patterns(of: spec.ModelSources) -> Iterator[spec.Row]:
    used = {
        category: _pattern_columns(category, [one for one in of.once(followed) if one.category == category])
        for category in dict.fromkeys(one.category for one in of.once(followed))
    }
    for (rules, category), questions in of.once(judged).items():
        if category in used:
            yield {
                "model": of.records.model,
                "rules": rules,
                "category": category,
                **used[category],
                **tally_columns(VerdictCounts.of([one.question.valid for one in questions])),
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


_OF = spec.text("category", "a memory category, or `memory`: all of them together")


MEMORY_FAILURES = spec.TableSpec(
    "memory_failures",
    "One row per model, rule set, memory and reason that occurs.",
    [
        *spec.KEY,
        _OF,
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
    ("One row per model, rule set, memory and part that has facts: accuracy by the place\nof the fact."),
    [
        *spec.KEY,
        _OF,
        spec.text("place", "part of the memory with the fact: core, archival, both, none"),
        spec.count("entries", "questions whose fact is there"),
        *spec.tally("of these"),
        spec.count("without_look_up", "of these, those answered without any look-up"),
        spec.count("without_look_up_correct", "of those, the right ones"),
    ],
    of_model=_parts,
)


MEMORY_PATTERNS = spec.TableSpec(
    "memory_patterns",
    (
        "One row per model, rule set and memory with recorded sessions: what the model "
        "adds to the parts of the memory."
    ),
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
        spec.share(
            "facts_per_text", "facts in the memory / these texts: above 1, texts are summaries", null=True
        ),
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
        _OF,
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
