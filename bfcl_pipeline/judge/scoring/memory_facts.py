"""Follows facts through the sessions before the questions of a memory, call by call.

A fact is the answer to a question. It is in a memory if one of its acceptable answers occurs there, as in
the official check of answers: the answer `7` is found in `on 7 May`, so short answers may be found where
nothing was stored.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from bfcl_pipeline.benchmark.records import Call, Entry, Json
from bfcl_pipeline.judge.scoring.agentic import normalise
from bfcl_pipeline.judge.scoring.memory_use import Action, MemoryContents

Facts = frozenset[str]
"""Facts by the ids of their questions."""


@dataclass(frozen=True, slots=True)
class FactEvent:
    """The call by which a fact came into the memory, or left it."""

    session: str  # entry id
    turn: int | None = None  # from 1; None, as the following, if the calls do not explain the snapshot
    step: int | None = None  # from 1, within the turn
    call: Call | None = None
    action: Action | None = None  # None also for a function that the memory does not have
    fill: float | None = None  # share of its part that was in use before the call


@dataclass(frozen=True, slots=True)
class FactHistory:
    """One fact from the first session to the question."""

    stored: FactEvent | None  # the first time; None if it never was in the memory
    lost: FactEvent | None  # the last time; None if it is in the memory at the question, or never was
    outlived: bool  # whether it was in the memory after some session
    in_core: bool  # at the question
    in_archival: bool  # at the question

    @property
    def kept(self) -> bool:
        """Whether the fact is in the memory at the question."""
        return self.in_core or self.in_archival

    @property
    def lost_within(self) -> bool:
        """Whether it was stored and lost between two snapshots, every time that it was stored."""
        return self.lost is not None and not self.outlived


class FactTracker:
    """Follows the facts of some questions from one state of a memory to the next."""

    def __init__(self, questions: Iterable[Entry]) -> None:
        self._wanted = {question.entry_id: accepted_answers(question) for question in questions}
        self._mentions: dict[str, Facts] = {}  # by text of the memory; only of the texts now in it
        self._core, self._archival = Facts(), Facts()
        self._stored: dict[str, FactEvent] = {}
        self._lost: dict[str, FactEvent] = {}
        self._outlived: set[str] = set()

    def observe(self, memory: MemoryContents, event: FactEvent) -> None:
        """Compares the memory after a call, or after a session, with that before it."""
        before = self._core | self._archival
        self._mentions = {
            text: self._mentioned(text) for text in dict.fromkeys((*memory.core, *memory.archival))
        }
        self._core = self._union(memory.core)
        self._archival = self._union(memory.archival)
        after = self._core | self._archival
        for fact in after - before:
            self._stored.setdefault(fact, event)
            self._lost.pop(fact, None)
        for fact in before - after:
            self._lost[fact] = event

    def end_session(self, memory: MemoryContents, session: str) -> None:
        """Compares the recorded memory after a session with that before it. Its facts have outlived one."""
        self.observe(memory, FactEvent(session))
        self._outlived |= self._core | self._archival

    def histories(self) -> dict[str, FactHistory]:
        """The history of each fact so far, by the id of its question."""
        return {
            fact: FactHistory(
                self._stored.get(fact),
                self._lost.get(fact),
                fact in self._outlived,
                fact in self._core,
                fact in self._archival,
            )
            for fact in self._wanted
        }

    def texts_with_facts(self) -> int:
        """The texts of the memory that mention a fact."""
        return sum(bool(facts) for facts in self._mentions.values())

    def _mentioned(self, text: str) -> Facts:
        known = self._mentions.get(text)
        if known is not None:
            return known
        searched = normalise(text)
        return Facts(fact for fact, answers in self._wanted.items() if mentions(searched, answers))

    def _union(self, texts: Iterable[str]) -> Facts:
        return Facts().union(*(self._mentions[text] for text in texts))


def accepted_answers(question: Entry) -> tuple[str, ...]:
    """The acceptable answers of a question, normalised."""
    return tuple(normalise(str(answer)) for answer in question.truth or ())


def mentions(text: str, answers: Sequence[str]) -> bool:
    """True if one of the answers occurs in a text between word boundaries; all are normalised."""
    return any(_mentions(text, answer) for answer in answers)


def _mentions(text: str, answer: str) -> bool:
    # Most answers do not occur at all, which `find` finds a hundred times faster than the pattern.
    start = text.find(answer)
    return start >= 0 and _whole(answer).search(text, start) is not None


@cache
def _whole(answer: str) -> re.Pattern[str]:
    return re.compile(rf"\b{re.escape(answer)}\b")


def readable(result: str) -> str:
    """The texts in a result of a memory, with their keys as words, normalised like answers."""
    try:
        value: Json = json.loads(result)
    except (ValueError, RecursionError):
        return normalise(result)
    return normalise("\n".join(_texts(value)))


def _texts(value: Json) -> Iterator[str]:
    """The texts in a value; the words of a key are content too, numbers are not."""
    pending = [value]
    while pending:
        one = pending.pop()
        if isinstance(one, str):
            yield one
            if _KEY.fullmatch(one):
                yield one.replace("_", " ")
        elif isinstance(one, list):
            pending += one
        elif isinstance(one, dict):
            yield from (f"{key.replace('_', ' ')}: " for key in one)
            pending += one.values()


_KEY = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)+")
