"""What a model does with its memory: calls by kind, failed calls, and which facts are still there.

Covers the calls of a conversation, the contents of a snapshot, and facts in snapshots. Pure; adding up is
`bfcl_pipeline.report`. A fact is what a question asks for. It is in a memory where one of its acceptable
answers is mentioned there, as in the official check of answers: the answer `7` is found in `on 7 May`, so
counts of short answers are upper bounds.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from bfcl_pipeline.errors import ModelError
from bfcl_pipeline.records import Call, Entry, Json
from bfcl_pipeline.scoring.agentic import normalised
from bfcl_pipeline.tools import Constants, Setting, World


class Action(StrEnum):
    """What a call of a memory does. A search by meaning counts as a search, not as a retrieval."""

    ADD = "adds"
    REPLACE = "replaces"
    REMOVE = "removes"
    CLEAR = "clears"
    SEARCH = "searches"
    RETRIEVE = "retrievals"


CHANGES = (Action.ADD, Action.REPLACE, Action.REMOVE, Action.CLEAR)
"""The actions after which the memory may be another."""


class Part(StrEnum):
    """Which part of a memory a call is of; the memory that is one text is all core."""

    CORE = "core_calls"  # it stands in the system prompt
    ARCHIVAL = "archival_calls"  # it must be searched


@dataclass(frozen=True, slots=True)
class Kind:
    """What a function of a memory is for."""

    part: Part
    action: Action


def _of_both_parts(**verbs: Action) -> dict[str, Kind]:
    return {
        f"{name}_memory_{verb}": Kind(part, action)
        for name, part in (("core", Part.CORE), ("archival", Part.ARCHIVAL))
        for verb, action in verbs.items()
    }


FUNCTIONS: Mapping[str, Mapping[str, Kind]] = {
    "memory_kv": {
        **_of_both_parts(
            add=Action.ADD,
            replace=Action.REPLACE,
            remove=Action.REMOVE,
            clear=Action.CLEAR,
            key_search=Action.SEARCH,
            list_keys=Action.SEARCH,
            retrieve=Action.RETRIEVE,
        ),
        "core_memory_retrieve_all": Kind(Part.CORE, Action.RETRIEVE),
    },
    "memory_vector": _of_both_parts(
        add=Action.ADD,
        update=Action.REPLACE,
        remove=Action.REMOVE,
        clear=Action.CLEAR,
        retrieve=Action.SEARCH,
        retrieve_all=Action.RETRIEVE,
    ),
    "memory_rec_sum": {
        "memory_append": Kind(Part.CORE, Action.ADD),
        "memory_replace": Kind(Part.CORE, Action.REPLACE),
        "memory_update": Kind(Part.CORE, Action.REPLACE),
        "memory_clear": Kind(Part.CORE, Action.CLEAR),
        "memory_retrieve": Kind(Part.CORE, Action.RETRIEVE),
    },
}
"""What every function of a memory is for, by category and name. Other names are errors, and no action."""


def count_calls(category: str, calls: Iterable[Call]) -> Counter[str]:
    """How many calls there are of each action and each part."""
    kinds = [FUNCTIONS[category].get(call.name) for call in calls]
    return Counter(str(what) for kind in kinds if kind is not None for what in (kind.action, kind.part))


def failed_calls(entry: Entry, calls: Iterable[Call], before: Json | None, constants: Constants) -> int:
    """How many of the calls of a conversation fail, found by making them again.

    before: the snapshot that it started from; None for an empty memory. Searches by meaning need an
    encoder and are not made: one that would fail for want of anything else is not counted.
    """
    calls = list(calls)
    if not calls:  # then the memory, which may be large, need not be filled
        return 0
    (api,) = entry.apis
    world = World.for_entry(entry, Setting(constants), "model", None if before is None else {api: before})
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
class Contents:
    """What is in a memory."""

    core: tuple[str, ...]  # texts that stand in the system prompt, with their keys
    archival: tuple[str, ...]  # texts that must be searched, with their keys

    @property
    def characters(self) -> int:
        """Length of all texts."""
        return sum(map(len, (*self.core, *self.archival)))

    @property
    def searchable(self) -> str:
        """All texts, normalised as answers are."""
        return "\n".join(map(normalised, (*self.core, *self.archival)))


def contents(snapshot: Json) -> Contents:
    """What is in the memory of a snapshot, whichever memory it is; of None, nothing."""
    if snapshot is None:
        return Contents((), ())
    if "memory" in snapshot:
        return Contents((snapshot["memory"],) if snapshot["memory"] else (), ())
    core, archival = (tuple(_texts(snapshot[part])) for part in ("core_memory", "archival_memory"))
    return Contents(core, archival)


def _texts(part: Mapping[str, Json]) -> list[str]:
    if "next_id" in part and isinstance(part.get("store"), Mapping):
        return [str(text) for text in part["store"].values()]
    # The words of a key tell something too.
    return [f"{key.replace('_', ' ')}: {text}" for key, text in part.items()]


@dataclass(frozen=True, slots=True)
class Facts:
    """What became of the facts that are asked for."""

    asked: int
    stored: int  # in the memory after some session
    kept: int  # in the memory after the last session

    @property
    def lost(self) -> int:
        """Stored once, and not there any more when asked for."""
        return self.stored - self.kept


def follow_facts(questions: Sequence[Entry], snapshots: Sequence[Json]) -> Facts:
    """What became of the facts of `questions`, which start from the last of the sessions' snapshots."""
    after = [contents(snapshot).searchable for snapshot in snapshots]
    kept = [bool(after) and _mentions(after[-1], question) for question in questions]
    stored = [
        there or any(_mentions(text, question) for text in after)
        for question, there in zip(questions, kept, strict=True)
    ]
    return Facts(len(questions), sum(stored), sum(kept))


def _mentions(text: str, question: Entry) -> bool:
    """True where an acceptable answer stands between word boundaries."""
    wanted = [normalised(str(answer)) for answer in question.truth or ()]
    # Looked for as it is first: most are not there at all, and that is told a hundred times as fast.
    return any(answer in text and re.search(rf"\b{re.escape(answer)}\b", text) for answer in wanted)
