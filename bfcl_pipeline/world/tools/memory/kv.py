"""MemoryAPI_kv: a memory of texts under keys, in two parts.

Covers the core part, which is always in the system prompt, the archival part, and the search for keys by
BM25+ (rank-bm25, as in the release). As in the release, a search in a part without keys divides by zero.
Source: the function docs and the behaviour of the release's memory_kv.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.world.tools.api import BoundExceeded, WorldConfig, changes, reads, refuse_call
from bfcl_pipeline.world.tools.memory.parts import EMPTY_CORE, PartLimits
from bfcl_pipeline.world.tools.state import fill

Answer = dict[str, str]
Pairs = dict[str, str]
Ranking = dict[str, list[tuple[float, str]]]

MAX_KEY = 5_000
"""Characters of a key; a search reads all keys."""

MAX_QUERY_WORDS = 2_000
"""Words of a query; each is searched in every key."""

_KEY = re.compile(r"[a-z]+(_[a-z0-9]+)*\n?")  # as in the release, a final line break is accepted


@dataclass(slots=True)
class PairMemoryState:
    """The state that the checker compares."""

    core_memory: Pairs  # in the order of adding
    archival_memory: Pairs


class MemoryAPI_kv:  # its name in the benchmark
    """The memory."""

    def __init__(self, state: PairMemoryState, core: PartLimits, archival: PartLimits) -> None:
        self.state = state
        self._core_limits = core
        self._archival_limits = archival

    @classmethod
    def load(cls, initial: Mapping[str, Json], config: WorldConfig) -> Self:
        """The memory of a snapshot; an empty memory without one."""
        state = fill(
            PairMemoryState, initial, {} if initial else {"core_memory": {}, "archival_memory": {}}
        )
        limits = (PartLimits.of(config.constants, "memory_kv", part) for part in ("CORE", "ARCHIVAL"))
        return cls(state, *limits)

    def snapshot(self) -> dict[str, Json]:
        """The content in the form that `load` accepts."""
        state = self.state
        return {"core_memory": {**state.core_memory}, "archival_memory": {**state.archival_memory}}

    def context_text(self) -> str:
        """The core memory as text for the system prompt."""
        return json.dumps(self.state.core_memory, indent=4) if self.state.core_memory else EMPTY_CORE

    @changes
    def core_memory_add(self, key: str, value: str) -> Answer:
        """Adds a text under a new key."""
        added = _added(self.state.core_memory, self._core_limits, key, value, "Core memory")
        return added or {"status": "Key-value pair added."}

    @changes
    def core_memory_remove(self, key: str) -> Answer:
        """Removes a key and its text."""
        return _removed(self.state.core_memory, key)

    @changes
    def core_memory_replace(self, key: str, value: str) -> Answer:
        """Replaces the text under a key."""
        return _replaced(self.state.core_memory, self._core_limits, key, value)

    @changes
    def core_memory_clear(self) -> Answer:
        """Removes all entries."""
        self.state.core_memory.clear()
        return {"status": "Short term memory cleared."}

    @reads
    def core_memory_retrieve(self, key: str) -> Answer:
        """The text under a key."""
        return _retrieved(self.state.core_memory, key)

    @reads
    def core_memory_list_keys(self) -> dict[str, list[str]]:
        """The keys, oldest first."""
        return {"keys": list(self.state.core_memory)}

    @reads
    def core_memory_key_search(self, query: str, k: int = 5) -> Ranking:
        """The `k` keys whose words match the query best, each with its score."""
        return _ranked(self.state.core_memory, query, k)

    @reads
    def core_memory_retrieve_all(self) -> Pairs:
        """Every key with its text."""
        return self.state.core_memory

    @changes
    def archival_memory_add(self, key: str, value: str) -> Answer:
        """Adds a text under a new key."""
        added = _added(self.state.archival_memory, self._archival_limits, key, value, "Long term memory")
        return added or {"status": "Key added."}

    @changes
    def archival_memory_remove(self, key: str) -> Answer:
        """Removes a key and its text."""
        return _removed(self.state.archival_memory, key)

    @changes
    def archival_memory_replace(self, key: str, value: str) -> Answer:
        """Replaces the text under a key."""
        return _replaced(self.state.archival_memory, self._archival_limits, key, value)

    @changes
    def archival_memory_clear(self) -> Answer:
        """Removes all entries."""
        self.state.archival_memory.clear()
        return {"status": "Long term memory cleared."}

    @reads
    def archival_memory_retrieve(self, key: str) -> Answer:
        """The text under a key."""
        return _retrieved(self.state.archival_memory, key)

    @reads
    def archival_memory_list_keys(self) -> dict[str, list[str]]:
        """The keys, oldest first."""
        return {"keys": list(self.state.archival_memory)}

    @reads
    def archival_memory_key_search(self, query: str, k: int = 5) -> Ranking:
        """The `k` keys whose words match the query best, each with its score."""
        return _ranked(self.state.archival_memory, query, k)


def _added(pairs: Pairs, limits: PartLimits, key: Any, value: Any, part: str) -> Answer | None:
    """Adds a pair. Returns an error result, or None if the pair was added."""
    key, value = str(key), str(value)
    if len(pairs) >= limits.entries:
        return refuse_call(f"{part} is full. Please clear some entries.")
    if len(value) > limits.characters:
        return _too_long(limits)
    if len(key) > MAX_KEY:
        raise BoundExceeded(f"a key has at most {MAX_KEY:,} characters")
    if not _KEY.fullmatch(key):
        return refuse_call("Key must be in snake_case format and cannot contain spaces.")
    if key in pairs:
        return refuse_call("Key name must be unique.")
    pairs[key] = value
    return None


def _removed(pairs: Pairs, key: Any) -> Answer:
    if key not in pairs:
        return _not_found()
    del pairs[key]
    return {"status": "Key removed."}


def _replaced(pairs: Pairs, limits: PartLimits, key: Any, value: Any) -> Answer:
    key, value = str(key), str(value)
    if key not in pairs:
        return _not_found()
    if len(value) > limits.characters:
        return _too_long(limits)
    pairs[key] = value
    return {"status": "Key replaced."}


def _retrieved(pairs: Pairs, key: Any) -> Answer:
    return {"value": pairs[key]} if key in pairs else _not_found()


def _ranked(pairs: Pairs, query: Any, k: Any) -> Ranking:
    """The best keys; the older first among equals. Raises ZeroDivisionError if there are no keys."""
    from rank_bm25 import BM25Plus  # loads numpy

    index = BM25Plus([_words(key) for key in pairs])
    words = _words(query)
    if len(words) > MAX_QUERY_WORDS:
        raise BoundExceeded(f"a query has at most {MAX_QUERY_WORDS:,} words")
    scores: list[float] = index.get_scores(words).tolist()  # numpy 2 prints its own floats differently
    ranked = sorted(zip(scores, pairs, strict=True), key=lambda scored: scored[0], reverse=True)
    return {"ranked_results": ranked[:k]}


def _words(text: str) -> list[str]:
    return text.replace("_", " ").lower().split()


def _not_found() -> Answer:
    return refuse_call("Key not found.")


def _too_long(limits: PartLimits) -> Answer:
    return refuse_call(
        f"Entry is too long. Please shorten the entry to less than {limits.characters} characters."
    )
