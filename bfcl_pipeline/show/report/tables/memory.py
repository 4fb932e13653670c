"""The tables on memory: accuracy by scenario, and how models used their memory."""

from collections.abc import Iterator

from bfcl_pipeline.benchmark.definition import GROUPS
from bfcl_pipeline.judge.scoring.memory_use import CHANGES, Action, MemoryPart, count_calls
from bfcl_pipeline.show.report.tables import spec
from bfcl_pipeline.show.report.tables.memory_follow import FollowedScenario, follow_memories, scenarios
from bfcl_pipeline.show.report.tables.model_scores import VerdictCounts
from bfcl_pipeline.show.report.tables.score_tables import tally_columns

FULL = 0.9
"""Share of a part's entries, or of the characters of a memory of one text, from which on it is full."""


def followed(of: spec.ModelSources) -> list[FollowedScenario]:
    """The sessions and questions of the memories, played again. Raises MalformedRelease."""
    return follow_memories(of.records, of.encoder)


def _domains(of: spec.ModelSources) -> Iterator[spec.Row]:
    records = of.records
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


def _use(of: spec.ModelSources) -> Iterator[spec.Row]:
    for one in of.once(followed):
        yield {
            "model": of.records.model,
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
    (
        "One row per model, memory and scenario. The sessions are played again call by call, so "
        "that a fact that is stored and lost within one session counts."
    ),
    [
        spec.RUN,
        spec.MODEL,
        spec.CATEGORY,
        _SCENARIO,
        *spec.counts(
            sessions="sessions before the questions",
            sessions_held="of these, those that were held to the end",
            adds="calls in the sessions that add or append",
            replaces="calls in the sessions that replace or update",
            removes="calls in the sessions that remove one entry",
            clears="calls in the sessions that remove all",
            searches="calls in the sessions that search by words or by meaning, or list keys",
            retrievals="calls in the sessions that read what is stored",
            core_calls="of these six, those of the part in the system prompt; of memory_rec_sum, all",
            archival_calls="of these six, those of the part that must be searched",
            errors="calls in the sessions that fail when made again, but for searches by meaning",
            core_entries="texts in the core memory after the last session held; of memory_rec_sum, 0 or 1",
            archival_entries="texts in the archival memory after the last session held",
            characters="their length",
            questions="questions asked, each for one fact; none if a session could not be held",
            question_searches="calls at the questions that search",
            question_retrievals="calls at the questions that read what is stored",
            question_changes="calls at the questions that change the memory, which nobody reads again",
            question_errors="calls at the questions that fail when made again, but for searches by meaning",
            stored="facts asked for, of which an answer is mentioned in the memory after some call",
            kept="those of which one is mentioned in the memory that the question starts from",
            lost="those stored once and deleted before they were asked for: stored less kept",
            lost_within="of the lost ones, those that are in no snapshot after a session",
            lost_while_full="of the lost ones, those whose part of the memory was at least 0.9 full",
            without_look_up="questions answered without a search or a retrieval",
        ),
    ],
    of_model=_use,
)
