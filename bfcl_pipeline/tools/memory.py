"""The simulated APIs that are memories: what a conversation leaves in them, a later one starts from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from bfcl_pipeline.records import Json
from bfcl_pipeline.tools.api import Api
from bfcl_pipeline.tools.memory_kv import MemoryAPI_kv
from bfcl_pipeline.tools.memory_rec_sum import MemoryAPI_rec_sum
from bfcl_pipeline.tools.memory_vector import MemoryAPI_vector


class Memory(Api, Protocol):
    """A simulated API that can be handed on. Neither method can be called by a model."""

    def snapshot(self) -> dict[str, Json]:
        """All that the memory holds, as `load` takes it: the JSON that the release writes to disk."""

    def context_text(self) -> str:
        """What the system prompt tells of it."""


MEMORIES: Mapping[str, type[Memory]] = {
    "MemoryAPI_kv": MemoryAPI_kv,
    "MemoryAPI_vector": MemoryAPI_vector,
    "MemoryAPI_rec_sum": MemoryAPI_rec_sum,
}
"""Every memory, by the name that entries give it."""
