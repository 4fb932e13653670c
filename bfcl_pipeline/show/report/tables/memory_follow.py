"""What one model did with its memories: its sessions and questions played again, scenario by scenario."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bfcl_pipeline.benchmark.definition import CATEGORIES, MemoryBackend
from bfcl_pipeline.benchmark.records import Entry, Json
from bfcl_pipeline.judge.scoring.memory_facts import (
    FUNCTIONS,
    Action,
    FactEvent,
    FactHistory,
    FactTracker,
    MemoryContents,
    MemoryPart,
    accepted_answers,
    contents,
    count_calls,
    mentions,
    readable,
)
from bfcl_pipeline.judge.scoring.memory_outcomes import QuestionRecord, found_in
from bfcl_pipeline.show.playback.memory import MemoryStart, RepeatedCall
from bfcl_pipeline.show.report.tables.agentic_records import AgenticAnswer
from bfcl_pipeline.show.report.tables.spec import ModelSources
from bfcl_pipeline.world.tools import Constants
from bfcl_pipeline.world.tools.memory.parts import PartLimits

if TYPE_CHECKING:
    from bfcl_pipeline.world.tools.memory.encoder import Encoder


@dataclass(frozen=True, slots=True)
class FollowedScenario:
    """The sessions of one memory and scenario, and the questions after them."""

    category: str
    scenario: str
    sessions: Sequence[AgenticAnswer]
    questions: Sequence[AgenticAnswer]  # none if a session failed: they had no memory
    after: MemoryContents  # after the last session that was held
    session_errors: int  # calls that fail when they are run again
    question_errors: int
    histories: Mapping[str, FactHistory] = field(default_factory=dict)  # by entry id of the question
    records: Mapping[str, QuestionRecord] = field(default_factory=dict)  # likewise
    texts_with_facts: int = 0  # texts in the memory at the questions that mention a fact

    @property
    def completed(self) -> list[AgenticAnswer]:
        """The sessions that were held to the end."""
        return [session for session in self.sessions if session.snapshot is not None]


def follow_memories(of: ModelSources) -> list[FollowedScenario]:
    """The scenarios of each memory with recorded sessions, in order, played again.

    Raises MalformedRelease if a snapshot is malformed.
    """
    records = of.records
    if records.constants is None:
        return []
    followed = []
    for category, sessions in records.sessions.items():
        answers = records.answers.get(category, ())
        for scenario in scenarios(session.entry for session in sessions):
            chain = [session for session in sessions if session.entry.scenario == scenario]
            questions = [answer for answer in answers if answer.entry.scenario == scenario]
            followed.append(_follow(category, scenario, chain, questions, records.constants, of.encoder))
    return followed


def scenarios(entries: Iterable[Entry]) -> list[str]:
    """The scenarios of the entries, in order of their first entry."""
    return list(dict.fromkeys(entry.scenario for entry in entries if entry.scenario is not None))


def _follow(
    category: str,
    scenario: str,
    chain: Sequence[AgenticAnswer],
    questions: Sequence[AgenticAnswer],
    constants: Constants,
    encoder: Encoder | None,
) -> FollowedScenario:
    if any(session.snapshot is None for session in chain):
        questions = ()
    tracker = FactTracker(answer.entry for answer in questions)
    snapshot: Json = None
    inside = contents(None)
    session_errors = 0
    for session in chain:
        if session.snapshot is None:
            continue
        for turn, step, repeated in _session_calls(session, snapshot, constants):
            session_errors += repeated.failed
            before, inside = inside, contents(repeated.after())
            if inside != before:
                role = FUNCTIONS[CATEGORIES[category].backend].get(repeated.call.name)
                event = FactEvent(
                    session.entry.entry_id,
                    turn,
                    step,
                    repeated.call,
                    role.action if role else None,
                    _fill(before, role.part, category, constants) if role else None,
                )
                tracker.observe(inside, event)
        snapshot = session.snapshot  # each session starts with the memory of the previous one
        inside = contents(snapshot)
        tracker.end_session(inside, session.entry.entry_id)
    histories = tracker.histories()
    records, question_errors = {}, 0
    start = MemoryStart(snapshot, constants, encoder)
    for answer in questions:
        history = histories[answer.entry.entry_id]
        record, errors = _question(answer, history, start)
        records[answer.entry.entry_id] = record
        question_errors += errors
    return FollowedScenario(
        category,
        scenario,
        chain,
        questions,
        inside,
        session_errors,
        question_errors,
        histories,
        records,
        tracker.texts_with_facts(),
    )


def _session_calls(
    session: AgenticAnswer, before: Json, constants: Constants
) -> Iterator[tuple[int, int, RepeatedCall]]:
    """The calls of a session made again, each with its turn and its step in that turn, from 1."""
    turns = session.result if isinstance(session.result, list) else []
    places = [
        (turn, step)
        for turn, steps in enumerate(turns, start=1)
        if isinstance(steps, list)
        for step in range(1, len(steps) + 1)
    ]
    places = [place for place, calls in zip(places, session.steps, strict=True) for _ in calls]
    repeated = MemoryStart(before, constants).repeat(session.entry, session.calls)
    for (turn, step), call in zip(places, repeated, strict=True):
        yield turn, step, call


def _question(
    answer: AgenticAnswer, history: FactHistory, start: MemoryStart
) -> tuple[QuestionRecord, int]:
    """What is recorded of a question, and the number of its calls that fail."""
    category = answer.entry.category
    functions = FUNCTIONS[CATEGORIES[category].backend]
    wanted = accepted_answers(answer.entry)
    found: list[bool | None] = []
    errors = 0
    for repeated in start.repeat(answer.entry, answer.calls):
        errors += repeated.failed
        role = functions.get(repeated.call.name)
        if role is not None and role.action in (Action.SEARCH, Action.RETRIEVE):
            result = repeated.result
            found.append(None if result is None else mentions(readable(result), wanted))
    counts = count_calls(category, answer.calls)
    return QuestionRecord(history, counts[Action.SEARCH], counts[Action.RETRIEVE], found_in(found)), errors


def _fill(memory: MemoryContents, part: MemoryPart, category: str, constants: Constants) -> float:
    """The share of a part of a memory that is in use; of a memory of one text, of its characters."""
    if CATEGORIES[category].backend is MemoryBackend.SUMMARY:
        return memory.characters / int(constants.number(category, "MAX_MEMORY_ENTRY_LENGTH"))
    if part is MemoryPart.CORE:
        return len(memory.core) / PartLimits.of(constants, category, "CORE").entries
    return len(memory.archival) / PartLimits.of(constants, category, "ARCHIVAL").entries
