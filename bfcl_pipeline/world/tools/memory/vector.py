"""MemoryAPI_vector: a memory of texts that are searched by meaning, in two parts.

Covers the core part, which is always in the system prompt, and the archival part; a part is a
`VectorStore`. As in the release, the system prompt shows an empty core memory as `{}`, not as a sentence.
Source: the function docs and the behaviour of the release's memory_vector.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.world.tools.api import WorldConfig, changes, reads
from bfcl_pipeline.world.tools.memory.parts import PartLimits
from bfcl_pipeline.world.tools.memory.vector_store import Answer, VectorStore
from bfcl_pipeline.world.tools.state import fill

_EMPTY: Mapping[str, Json] = {"next_id": 0, "store": {}}


@dataclass(slots=True)
class VectorMemoryState:
    """The state that the checker compares."""

    core_memory: VectorStore
    archival_memory: VectorStore


@dataclass(slots=True)
class _Snapshot:
    """The two parts of a snapshot."""

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
    def load(cls, initial: Mapping[str, Json], config: WorldConfig) -> Self:
        """The memory of a snapshot; an empty memory without one."""
        parts = fill(
            _Snapshot, initial, {} if initial else {"core_memory": _EMPTY, "archival_memory": _EMPTY}
        )
        core, archival = (
            VectorStore(PartLimits.of(config.constants, "memory_vector", part), config.encoder)
            for part in ("CORE", "ARCHIVAL")
        )
        for store, part in ((core, parts.core_memory), (archival, parts.archival_memory)):
            _fill(store, fill(_Part, part, {}))
        return cls(VectorMemoryState(core, archival))

    def snapshot(self) -> dict[str, Json]:
        """The content in the form that `load` accepts."""
        state = self.state
        return {"core_memory": state.core_memory.plain(), "archival_memory": state.archival_memory.plain()}

    def context_text(self) -> str:
        """The core memory as text for the system prompt."""
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
        """Replaces the text under a number."""
        return self.state.core_memory.update(vec_id, new_text)

    @changes
    def core_memory_clear(self) -> Answer:
        """Removes all entries."""
        return self.state.core_memory.clear()

    @reads
    def core_memory_retrieve(self, query: str, top_k: int | None = 5) -> Answer:
        """The texts that are most similar to the query."""
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
        """Replaces the text under a number."""
        return self.state.archival_memory.update(vec_id, new_text)

    @changes
    def archival_memory_clear(self) -> Answer:
        """Removes all entries."""
        return self.state.archival_memory.clear()

    @reads
    def archival_memory_retrieve(self, query: str, top_k: int | None = 5) -> Answer:
        """The texts that are most similar to the query."""
        return {"result": self.state.archival_memory.retrieve(query, top_k)}

    @reads
    def archival_memory_retrieve_all(self) -> Answer:
        """Every text."""
        return {"result": self.state.archival_memory.retrieve_all()}


def _fill(store: VectorStore, part: _Part) -> None:
    """Fills `store` from a part of a snapshot. Raises MalformedRelease if the part is malformed."""
    try:
        texts: dict[int, Any] = {int(number): text for number, text in part.store.items()}
        store.fill(part.next_id, texts)
    except (ValueError, TypeError, AssertionError) as error:
        raise MalformedRelease(
            f"snapshot of a vector memory: {error}. Play the memory's sessions again."
        ) from None
