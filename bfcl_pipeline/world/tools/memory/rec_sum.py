"""MemoryAPI_rec_sum: a memory that is one text, which the model rewrites.

As in the release, only the new text of a replacement is checked against the limit, so the memory may
exceed it. Source: the function docs and the behaviour of the release's memory_rec_sum.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.world.tools.api import BoundExceeded, WorldConfig, changes, reads
from bfcl_pipeline.world.tools.state import fill

Answer = dict[str, str]

MAX_REPLACED = 1_000_000
"""Characters of a memory after a replacement."""


@dataclass(slots=True)
class TextMemoryState:
    """The state that the checker compares."""

    memory: str


class MemoryAPI_rec_sum:  # its name in the benchmark
    """The memory."""

    def __init__(self, state: TextMemoryState, limit: int) -> None:
        self.state = state
        self._limit = limit  # characters

    @classmethod
    def load(cls, initial: Mapping[str, Json], config: WorldConfig) -> Self:
        """The memory of a snapshot; an empty memory without one."""
        limit = config.constants.number("memory_rec_sum", "MAX_MEMORY_ENTRY_LENGTH")
        return cls(fill(TextMemoryState, initial, {} if initial else {"memory": ""}), int(limit))

    def snapshot(self) -> dict[str, Json]:
        """The content in the form that `load` accepts."""
        return {"memory": self.state.memory}

    def context_text(self) -> str:
        """The whole memory as text for the system prompt."""
        return self.state.memory or "There is no content in the memory at this point."

    @changes
    def memory_append(self, text: str) -> Answer:
        """Appends the text."""
        longer = self.state.memory + str(text)
        return self._set(longer, longer, "appending", "Memory appended.")

    @changes
    def memory_update(self, text: str) -> Answer:
        """Replaces the whole memory by the text."""
        text = str(text)
        return self._set(text, text, "updating", "Memory updated.")

    @changes
    def memory_replace(self, old_text: str, new_text: str) -> Answer:
        """Replaces every occurrence of the old text by the new text."""
        memory, old, new = self.state.memory, str(old_text), str(new_text)
        if old not in memory:
            return {"error": f"Text '{old}' not found in memory."}
        if len(new) <= self._limit:
            longer = memory.count(old) * (len(new) - len(old))
            if len(memory) + longer > MAX_REPLACED:
                raise BoundExceeded(f"the memory would have more than {MAX_REPLACED:,} characters")
            memory = memory.replace(old, new)
        return self._set(memory, new, "replacing", "Memory updated.")

    @changes
    def memory_clear(self) -> Answer:
        """Empties the memory."""
        self.state.memory = ""
        return {"status": "Short term memory cleared."}

    @reads
    def memory_retrieve(self) -> Answer:
        """The whole memory."""
        memory = self.state.memory
        return {"memory_content": memory} if memory else {"error": "Memory is empty."}

    def _set(self, memory: str, measured: str, doing: str, done: str) -> Answer:
        if len(measured) > self._limit:
            shorter = f"Please shorten the entry to less than {self._limit} characters."
            return {"error": f"Entry will be too long after {doing}. {shorter}"}
        self.state.memory = memory
        return {"status": done}
