"""Counts what a model does with its memory: calls by kind, failed calls, and stored facts.

Covers the calls of a conversation, the contents of a snapshot, and facts in snapshots; the package `report`
adds the counts up. A fact is the answer to a question. It is in a memory if one of its acceptable answers
occurs there, as in the official check of answers: the answer `7` is found in `on 7 May`, so counts of short
answers are upper bounds.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from bfcl_pipeline.benchmark import CATEGORIES, MemoryBackend
from bfcl_pipeline.errors import ModelError
from bfcl_pipeline.records import Call, Entry, Json
from bfcl_pipeline.scoring.agentic import normalised
from bfcl_pipeline.tools import Constants, World, WorldConfig


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


def failed_calls(entry: Entry, calls: Iterable[Call], before: Json | None, constants: Constants) -> int:
    """The number of calls of a conversation that fail, found by running them again.

    before: the snapshot at the start of the conversation; None for an empty memory. Searches by meaning
    need an encoder and are not run, so their failures are not counted.
    """
    calls = list(calls)
    if not calls:  # saves loading the memory, which may be large
        return 0
    (api,) = entry.apis
    world = World.for_entry(
        entry, WorldConfig(constants), "model", None if before is None else {api: before}
    )
    return sum(_fails(world, call) for call in calls)


def _fails(world: World, call: Call) -> bool:
    try:
        text = world.run(call)
    except ModelError:
        return False
    if text.startswith("Error during execution"):
        return True
    try:
        answer = json.loads(text)
    except ValueError:
        return False
    return isinstance(answer, dict) and set(answer) == {"error"}


@dataclass(frozen=True, slots=True)
class MemoryContents:
    """The texts in a memory."""

    core: tuple[str, ...]  # texts in the system prompt, with their keys
    archival: tuple[str, ...]  # texts that are only found by search, with their keys

    @property
    def characters(self) -> int:
        """Total length of all texts."""
        return sum(map(len, (*self.core, *self.archival)))

    @property
    def searchable(self) -> str:
        """All texts, normalised like answers."""
        return "\n".join(map(normalised, (*self.core, *self.archival)))


def contents(snapshot: Json) -> MemoryContents:
    """The texts in a snapshot of any memory; None is an empty memory."""
    if snapshot is None:
        return MemoryContents((), ())
    if "memory" in snapshot:
        return MemoryContents((snapshot["memory"],) if snapshot["memory"] else (), ())
    core, archival = (tuple(_texts(snapshot[part])) for part in ("core_memory", "archival_memory"))
    return MemoryContents(core, archival)


def _texts(part: Mapping[str, Json]) -> list[str]:
    if "next_id" in part and isinstance(part.get("store"), Mapping):
        return [str(text) for text in part["store"].values()]
    # The words of a key are content too.
    return [f"{key.replace('_', ' ')}: {text}" for key, text in part.items()]


@dataclass(frozen=True, slots=True)
class FactCounts:
    """How many facts the memory stores and keeps."""

    asked: int  # facts that questions ask for
    stored: int  # in the memory after at least one session
    kept: int  # in the memory after the last session

    @property
    def lost(self) -> int:
        """Facts that were stored, but are not in the memory after the last session."""
        return self.stored - self.kept


def follow_facts(questions: Sequence[Entry], snapshots: Sequence[Json]) -> FactCounts:
    """Counts the facts of `questions` in the sessions' `snapshots`; the last is the questions' memory."""
    after = [contents(snapshot).searchable for snapshot in snapshots]
    kept = [bool(after) and _mentions(after[-1], question) for question in questions]
    stored = [
        there or any(_mentions(text, question) for text in after)
        for question, there in zip(questions, kept, strict=True)
    ]
    return FactCounts(len(questions), sum(stored), sum(kept))


def _mentions(text: str, question: Entry) -> bool:
    """True if an acceptable answer occurs between word boundaries."""
    wanted = [normalised(str(answer)) for answer in question.truth or ()]
    # Most answers do not occur at all, which `in` finds a hundred times faster than the pattern.
    return any(answer in text and re.search(rf"\b{re.escape(answer)}\b", text) for answer in wanted)
