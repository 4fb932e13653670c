"""The simulated memories: key-value, vector and one text.

A later conversation starts with what an earlier one stored.
"""

from collections.abc import Mapping
from typing import Protocol

from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.world.tools.api import Api
from bfcl_pipeline.world.tools.memory.kv import MemoryAPI_kv
from bfcl_pipeline.world.tools.memory.rec_sum import MemoryAPI_rec_sum
from bfcl_pipeline.world.tools.memory.vector import MemoryAPI_vector


class Memory(Api, Protocol):
    """A simulated API whose content a later conversation can load. Models cannot call these methods."""

    def snapshot(self) -> dict[str, Json]:
        """The content in the form that `load` accepts: the JSON that the release writes to disk."""

    def context_text(self) -> str:
        """The text of the memory in the system prompt."""


MEMORIES: Mapping[str, type[Memory]] = {
    "MemoryAPI_kv": MemoryAPI_kv,
    "MemoryAPI_vector": MemoryAPI_vector,
    "MemoryAPI_rec_sum": MemoryAPI_rec_sum,
}
"""Every memory, by its name in entries."""
