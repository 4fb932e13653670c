"""MemoryAPI_vector: a memory of texts that are found by what they mean, in two parts.

Covers the core part, which is always in the system prompt, and the archival part; a part is a
`VectorStore`. Source: the function docs and the behaviour of the release's memory_vector. One oddity
shows in the system prompt: an empty core memory is `{}` there, not a sentence.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from bfcl_pipeline.errors import MalformedRelease
from bfcl_pipeline.records import Json
from bfcl_pipeline.tools.api import Setting, changes, reads
from bfcl_pipeline.tools.memory_parts import PartLimits
from bfcl_pipeline.tools.state import fill
from bfcl_pipeline.tools.vector_store import Answer, VectorStore

_EMPTY: Mapping[str, Json] = {"next_id": 0, "store": {}}


@dataclass(slots=True)
class VectorMemoryState:
    """What the memory holds."""

    core_memory: VectorStore
    archival_memory: VectorStore


@dataclass(slots=True)
class _Snapshot:
    """What a snapshot has for each part."""

    core_memory: dict[str, Json]
    archival_memory: dict[str, Json]


@dataclass(slots=True)
class _Part:
    """One part in a snapshot."""

    next_id: int
    store: dict[str, Json]  # by number, in the order of adding


class MemoryAPI_vector:  # its name in the benchmark
    """The memory."""

    def __init__(self, state: VectorMemoryState) -> None:
        self.state = state

    @classmethod
    def load(cls, initial: Mapping[str, Json], setting: Setting) -> Self:
        """The memory of a snapshot; an empty one if there is none."""
        held = fill(
            _Snapshot, initial, {} if initial else {"core_memory": _EMPTY, "archival_memory": _EMPTY}
        )
        constants = setting.constants
        core = VectorStore(PartLimits.core(constants, "memory_vector"), setting.encoder)
        archival = VectorStore(PartLimits.archival(constants, "memory_vector"), setting.encoder)
        for store, part in ((core, held.core_memory), (archival, held.archival_memory)):
            _fill(store, fill(_Part, part, {}))
        return cls(VectorMemoryState(core, archival))

    def snapshot(self) -> dict[str, Json]:
        """What `load` takes."""
        state = self.state
        return {"core_memory": state.core_memory.plain(), "archival_memory": state.archival_memory.plain()}

    def context_text(self) -> str:
        """What stands in the system prompt: the core memory."""
        return json.dumps(self.state.core_memory.texts, indent=4)

    @changes
    def core_memory_add(self, text: str) -> Answer:
        """Adds a text under the next number."""
        return self.state.core_memory.add(text)

    @changes
    def core_memory_remove(self, vec_id: int) -> Answer:
        """Removes the text under a number."""
        return self.state.core_memory.remove(vec_id)

    @changes
    def core_memory_update(self, vec_id: int, new_text: str) -> Answer:
        """Puts a text in the place of that under a number."""
        return self.state.core_memory.update(vec_id, new_text)

    @changes
    def core_memory_clear(self) -> Answer:
        """Removes all."""
        return self.state.core_memory.clear()

    @reads
    def core_memory_retrieve(self, query: str, top_k: int | None = 5) -> Answer:
        """The texts that are most like the query."""
        return {"result": self.state.core_memory.retrieve(query, top_k)}

    @reads
    def core_memory_retrieve_all(self) -> Answer:
        """Every text."""
        return {"result": self.state.core_memory.retrieve_all()}

    @changes
    def archival_memory_add(self, text: str) -> Answer:
        """Adds a text under the next number."""
        return self.state.archival_memory.add(text)

    @changes
    def archival_memory_remove(self, vec_id: int) -> Answer:
        """Removes the text under a number."""
        return self.state.archival_memory.remove(vec_id)

    @changes
    def archival_memory_update(self, vec_id: int, new_text: str) -> Answer:
        """Puts a text in the place of that under a number."""
        return self.state.archival_memory.update(vec_id, new_text)

    @changes
    def archival_memory_clear(self) -> Answer:
        """Removes all."""
        return self.state.archival_memory.clear()

    @reads
    def archival_memory_retrieve(self, query: str, top_k: int | None = 5) -> Answer:
        """The texts that are most like the query."""
        return {"result": self.state.archival_memory.retrieve(query, top_k)}

    @reads
    def archival_memory_retrieve_all(self) -> Answer:
        """Every text."""
        return {"result": self.state.archival_memory.retrieve_all()}


def _fill(store: VectorStore, part: _Part) -> None:
    """Puts a part of a snapshot in the store. Raises MalformedRelease if it is none."""
    try:
        texts: dict[int, Any] = {int(number): text for number, text in part.store.items()}
        store.fill(part.next_id, texts)
    except (ValueError, TypeError, AssertionError) as error:
        raise MalformedRelease(
            f"snapshot of a vector memory: {error}. Play the memory's sessions again."
        ) from None
