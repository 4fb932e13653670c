"""What a model does with its memory: calls, snapshots, and facts followed through the sessions.

A fact is the answer to a question. It is in a memory if one of its acceptable answers occurs there, as in
the official check of answers: the answer `7` is found in `on 7 May`, so short answers may be found where
nothing was stored. The package `report` adds the counts up.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from bfcl_pipeline.benchmark.definition import CATEGORIES, MemoryBackend
from bfcl_pipeline.benchmark.records import Call, Entry, Json
from bfcl_pipeline.judge.scoring.agentic import normalise


class Action(StrEnum):
    """The effect of a memory call. A search by meaning counts as a search, not as a retrieval."""

    ADD = "adds"
    REPLACE = "replaces"
    REMOVE = "removes"
    CLEAR = "clears"
    SEARCH = "searches"
    RETRIEVE = "retrievals"


CHANGES = (Action.ADD, Action.REPLACE, Action.REMOVE, Action.CLEAR)
"""The actions that may change the memory."""


class MemoryPart(StrEnum):
    """The part of a memory that a call uses; a memory of one text is all core."""

    CORE = "core_calls"  # shown in the system prompt
    ARCHIVAL = "archival_calls"  # only found by search


@dataclass(frozen=True, slots=True)
class FunctionRole:
    """The part and the action of a function of a memory."""

    part: MemoryPart
    action: Action


def _of_both_parts(**verbs: Action) -> dict[str, FunctionRole]:
    return {
        f"{name}_memory_{verb}": FunctionRole(part, action)
        for name, part in (("core", MemoryPart.CORE), ("archival", MemoryPart.ARCHIVAL))
        for verb, action in verbs.items()
    }


FUNCTIONS: Mapping[MemoryBackend | None, Mapping[str, FunctionRole]] = {
    MemoryBackend.KEY_VALUE: {
        **_of_both_parts(
            add=Action.ADD,
            replace=Action.REPLACE,
            remove=Action.REMOVE,
            clear=Action.CLEAR,
            key_search=Action.SEARCH,
            list_keys=Action.SEARCH,
            retrieve=Action.RETRIEVE,
        ),
        "core_memory_retrieve_all": FunctionRole(MemoryPart.CORE, Action.RETRIEVE),
    },
    MemoryBackend.VECTOR: _of_both_parts(
        add=Action.ADD,
        update=Action.REPLACE,
        remove=Action.REMOVE,
        clear=Action.CLEAR,
        retrieve=Action.SEARCH,
        retrieve_all=Action.RETRIEVE,
    ),
    MemoryBackend.SUMMARY: {
        "memory_append": FunctionRole(MemoryPart.CORE, Action.ADD),
        "memory_replace": FunctionRole(MemoryPart.CORE, Action.REPLACE),
        "memory_update": FunctionRole(MemoryPart.CORE, Action.REPLACE),
        "memory_clear": FunctionRole(MemoryPart.CORE, Action.CLEAR),
        "memory_retrieve": FunctionRole(MemoryPart.CORE, Action.RETRIEVE),
    },
}
"""What each function of each memory does, by name. A call of any other name is an error and has no role."""


def count_calls(category: str, calls: Iterable[Call]) -> Counter[str]:
    """The number of calls of each action and each part."""
    functions = FUNCTIONS[CATEGORIES[category].backend]
    roles = [functions.get(call.name) for call in calls]
    return Counter(str(key) for role in roles if role is not None for key in (role.action, role.part))


@dataclass(frozen=True, slots=True)
class MemoryContents:
    """The texts in a memory."""

    core: tuple[str, ...]  # texts in the system prompt, with their keys
    archival: tuple[str, ...]  # texts that are only found by search, with their keys

    @property
    def characters(self) -> int:
        """Total length of all texts."""
        return sum(map(len, (*self.core, *self.archival)))


def contents(snapshot: Json) -> MemoryContents:
    """The texts in a snapshot of any memory; None is an empty memory."""
    if snapshot is None:
        return MemoryContents((), ())
    if "memory" in snapshot:
        return MemoryContents((snapshot["memory"],) if snapshot["memory"] else (), ())
    core, archival = (tuple(_texts_of_part(snapshot[part])) for part in ("core_memory", "archival_memory"))
    return MemoryContents(core, archival)


def _texts_of_part(part: Mapping[str, Json]) -> list[str]:
    if "next_id" in part and isinstance(part.get("store"), Mapping):
        return [str(text) for text in part["store"].values()]
    # The words of a key are content too.
    return [f"{key.replace('_', ' ')}: {text}" for key, text in part.items()]


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
