"""MemoryAPI_kv: a memory of texts under keys, in two parts.

Covers the core part, which is always in the system prompt, the archival part, and searching keys by
BM25+ (rank-bm25, as in the release). Source: the function docs and the behaviour of the release's
memory_kv. One oddity shows in results: searching a part without keys divides by zero.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from bfcl_pipeline.records import Json
from bfcl_pipeline.tools.api import Setting, changes, reads
from bfcl_pipeline.tools.limits import BoundExceeded
from bfcl_pipeline.tools.memory_parts import EMPTY_CORE, PartLimits
from bfcl_pipeline.tools.state import fill

Answer = dict[str, str]
Pairs = dict[str, str]
Ranking = dict[str, list[tuple[float, str]]]

MAX_KEY = 5_000
"""Characters of a key: a search reads all keys."""

MAX_QUERY_WORDS = 2_000
"""Words of a query: each is looked for in every key."""

_KEY = re.compile(r"[a-z]+(_[a-z0-9]+)*\n?")  # a line's end is taken, as in the release


@dataclass(slots=True)
class PairMemoryState:
    """What the memory holds."""

    core_memory: Pairs  # in the order in which they were added
    archival_memory: Pairs


class MemoryAPI_kv:  # its name in the benchmark
    """The memory."""

    def __init__(self, state: PairMemoryState, core: PartLimits, archival: PartLimits) -> None:
        self.state = state
        self._core_limits = core
        self._archival_limits = archival

    @classmethod
    def load(cls, initial: Mapping[str, Json], setting: Setting) -> Self:
        """The memory of a snapshot; an empty one if there is none."""
        state = fill(
            PairMemoryState, initial, {} if initial else {"core_memory": {}, "archival_memory": {}}
        )
        constants = setting.constants
        return cls(
            state, PartLimits.core(constants, "memory_kv"), PartLimits.archival(constants, "memory_kv")
        )

    def snapshot(self) -> dict[str, Json]:
        """What `load` takes."""
        state = self.state
        return {"core_memory": {**state.core_memory}, "archival_memory": {**state.archival_memory}}

    def context_text(self) -> str:
        """What stands in the system prompt: the core memory."""
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
        """Puts a text in the place of that under a key."""
        return _replaced(self.state.core_memory, self._core_limits, key, value)

    @changes
    def core_memory_clear(self) -> Answer:
        """Removes all."""
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
        """The `k` keys whose words fit best to those of the query, each with its score."""
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
        """Puts a text in the place of that under a key."""
        return _replaced(self.state.archival_memory, self._archival_limits, key, value)

    @changes
    def archival_memory_clear(self) -> Answer:
        """Removes all."""
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
        """The `k` keys whose words fit best to those of the query, each with its score."""
        return _ranked(self.state.archival_memory, query, k)


def _added(pairs: Pairs, limits: PartLimits, key: Any, value: Any, part: str) -> Answer | None:
    """Why the pair was not added; None if it was."""
    key, value = str(key), str(value)
    if len(pairs) >= limits.entries:
        return _error(f"{part} is full. Please clear some entries.")
    if len(value) > limits.characters:
        return _too_long(limits)
    if len(key) > MAX_KEY:
        raise BoundExceeded(f"a key has at most {MAX_KEY:,} characters")
    if not _KEY.fullmatch(key):
        return _error("Key must be in snake_case format and cannot contain spaces.")
    if key in pairs:
        return _error("Key name must be unique.")
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
    """The best keys; of equally good ones the older first. Raises ZeroDivisionError if there are none."""
    from rank_bm25 import BM25Plus  # only now: it loads numpy

    index = BM25Plus([_words(key) for key in pairs])
    words = _words(query)
    if len(words) > MAX_QUERY_WORDS:
        raise BoundExceeded(f"a query has at most {MAX_QUERY_WORDS:,} words")
    scores: list[float] = index.get_scores(words).tolist()  # Python's floats: numpy 2 prints its own oddly
    ranked = sorted(zip(scores, pairs, strict=True), key=lambda scored: scored[0], reverse=True)
    return {"ranked_results": ranked[:k]}


def _words(text: str) -> list[str]:
    return text.replace("_", " ").lower().split()


def _not_found() -> Answer:
    return _error("Key not found.")


def _too_long(limits: PartLimits) -> Answer:
    return _error(
        f"Entry is too long. Please shorten the entry to less than {limits.characters} characters."
    )


def _error(message: str) -> Answer:
    return {"error": message}
