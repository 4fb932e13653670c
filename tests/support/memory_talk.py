"""Scripted conversations with a memory: snapshots of the real memory, real verdicts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Call, Entry, Json, Mode, NameStyle, Rules
from bfcl_pipeline.dialogue.calls import calls_by_step
from bfcl_pipeline.judge.scoring.agentic import AgenticChecker
from bfcl_pipeline.show.playback.memory import MemoryStart
from bfcl_pipeline.show.report.tables.agentic_records import AgenticAnswer, AgenticRecords, ScoredQuestion
from bfcl_pipeline.world.tools import Constants
from tests.support.word_encoder import WordEncoder

MODEL = "m"
LIMITS = {
    "MAX_CORE_MEMORY_SIZE": 2,
    "MAX_CORE_MEMORY_ENTRY_LENGTH": 100,
    "MAX_ARCHIVAL_MEMORY_SIZE": 4,
    "MAX_ARCHIVAL_MEMORY_ENTRY_LENGTH": 100,
}
CONSTANTS = Constants(
    {"memory_kv": LIMITS, "memory_vector": LIMITS, "memory_rec_sum": {"MAX_MEMORY_ENTRY_LENGTH": 40}}
)

Step = list[Call] | str
"""Calls, or a message."""


class MemoryTalk:
    """The sessions of one scenario and the questions after them, told turn by turn."""

    def __init__(self, category: str) -> None:
        self.category = category
        self._api = str(CATEGORIES[category].backend)
        self._sessions: list[AgenticAnswer] = []
        self._answers: list[AgenticAnswer] = []
        self._scored: dict[tuple[str, str], list[ScoredQuestion]] = {}

    def session(self, *turns: Sequence[Step], held: bool = True) -> str:
        """Holds a session; returns its id."""
        number = len(self._sessions)
        entry = Entry(
            f"{self.category}_prereq_{number}-student-{number}",
            self.category,
            (),
            (),
            apis=(self._api,),
            prerequisite=True,
            scenario="student",
        )
        before = self._sessions[-1].snapshot if self._sessions else None
        answer = _answer(entry, turns)
        after = before
        for call in MemoryStart(before, CONSTANTS, WordEncoder()).repeat(entry, answer.calls):
            after = call.after()
        snapshot = after if held else None
        self._sessions.append(replace(answer, snapshot=snapshot))
        return entry.entry_id

    def ask(self, truth: str, *steps: Step, recorded: bool = True) -> str:
        """Asks for a fact; returns the id of the question."""
        number = len(self._scored.get(("official", self.category), ()))
        entry = Entry(
            f"{self.category}_{number}-student-{number}",
            self.category,
            (),
            (),
            truth=[truth],
            apis=(self._api,),
            scenario="student",
        )
        answer = _answer(entry, [steps])
        rules = (Rules.OFFICIAL, Rules.CORRECTED)
        outcomes = AgenticChecker(entry).check(_result([steps]), Mode.FC, NameStyle.UNDERSCORED, rules)
        for rule_set, outcome in zip(rules, outcomes, strict=True):
            finding = outcome.finding
            self._scored.setdefault((rule_set.value, self.category), []).append(
                ScoredQuestion(
                    entry,
                    finding is None,
                    answer if recorded else None,
                    None if finding is None else finding.error_type,
                    str(outcome.answer_class),
                )
            )
        if recorded:
            self._answers.append(answer)
        return entry.entry_id

    def records(self) -> AgenticRecords:
        """What is recorded."""
        sessions: Mapping[str, Sequence[AgenticAnswer]] = (
            {self.category: self._sessions} if self._sessions else {}
        )
        constants = CONSTANTS if sessions else None
        return AgenticRecords(MODEL, self._scored, sessions, {self.category: self._answers}, constants, {})


def _answer(entry: Entry, turns: Sequence[Sequence[Step]]) -> AgenticAnswer:
    result = _result(turns)
    return AgenticAnswer(entry, calls_by_step(result, Mode.FC), result=result)


def _result(turns: Sequence[Sequence[Step]]) -> Json:
    """The turns in the official form of function-calling mode."""
    return [
        [
            step if isinstance(step, str) else [{call.name: json.dumps(call.arguments)} for call in step]
            for step in turn
        ]
        for turn in turns
    ]
