"""What a model does with its memory: kinds of calls, and the contents of a snapshot.

The package `report` adds the counts up; `memory_facts` follows facts through the sessions.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from bfcl_pipeline.benchmark.definition import CATEGORIES, MemoryBackend
from bfcl_pipeline.benchmark.records import Call, Json


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
    core, archival = (tuple(_texts(snapshot[part])) for part in ("core_memory", "archival_memory"))
    return MemoryContents(core, archival)


def _texts(part: Mapping[str, Json]) -> list[str]:
    if "next_id" in part and isinstance(part.get("store"), Mapping):
        return [str(text) for text in part["store"].values()]
    # The words of a key are content too.
    return [f"{key.replace('_', ' ')}: {text}" for key, text in part.items()]
