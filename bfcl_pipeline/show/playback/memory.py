"""Plays a recorded conversation with a memory again: results, failures, and the memory after each call.

The vector memory searches by meaning. Where the embeddings for a search are not given, its result is
unknown; every other call is derived from the memory at the start.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bfcl_pipeline.base.errors import ModelError
from bfcl_pipeline.base.text import loaded_json
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Call, Entry, Json
from bfcl_pipeline.judge.scoring.memory_facts import CHANGES, FUNCTIONS
from bfcl_pipeline.world.tools import Constants, World, WorldConfig

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bfcl_pipeline.world.tools.memory import Memory
    from bfcl_pipeline.world.tools.memory.encoder import Encoder


@dataclass(frozen=True, slots=True)
class RepeatedCall:
    """One call that was run again."""

    call: Call
    result: str | None  # as the model saw it; None if it is unknown
    failed: bool  # False for a search by meaning, also if it failed
    memory: Memory  # after it, until the next call

    def after(self) -> Json:
        """The snapshot of the memory after this call. Call it before the next call is run."""
        return self.memory.snapshot()


class MemoryStart:
    """The memory from which several conversations start; no other one has the changes of one."""

    def __init__(self, before: Json | None, constants: Constants, encoder: Encoder | None = None) -> None:
        """The memory at the start of conversations.

        Args:
            before: its snapshot; None for an empty memory.
            encoder: raises ModelError for a text without an embedding; None: it has none of any text.
        """
        self._before = before
        self._encoder = _WatchedEncoder(encoder)
        self._config = WorldConfig(constants, encoder=self._encoder)
        self._unchanged: World | None = None  # saves loading the memory again, which may be large

    def repeat(self, entry: Entry, calls: Iterable[Call]) -> Iterator[RepeatedCall]:
        """Runs the calls of one conversation again, in order. Raises MalformedRelease for another value."""
        calls = list(calls)
        if not calls:
            return
        (api,) = entry.apis
        if self._unchanged is None:
            initial = None if self._before is None else {api: self._before}
            world = World.for_entry(entry, self._config, "model", initial)
        else:
            world = World(self._unchanged.apis, f"model_{entry.entry_id}")
        self._unchanged = world if all(_only_reads(entry, call) for call in calls) else None
        memory = world.memory
        assert memory is not None  # noqa: S101  # the entries of memory categories have one
        for call in calls:
            self._encoder.is_asked = False
            try:
                result = world.run(call)
            except ModelError:
                result = None
            failed = result is not None and not self._encoder.is_asked and is_failure(result)
            yield RepeatedCall(call, result, failed, memory)


def _only_reads(entry: Entry, call: Call) -> bool:
    """True if a call cannot change the memory: it reads, and no call is among its arguments."""
    role = FUNCTIONS[CATEGORIES[entry.category].backend].get(call.name)
    plain = all(isinstance(value, str | int | float | None) for value in call.arguments.values())
    return plain and role is not None and role.action not in CHANGES


def is_failure(result: str) -> bool:
    """True if a result of a memory is an error text."""
    if result.startswith("Error during execution"):
        return True
    answer = loaded_json(result)
    return isinstance(answer, dict) and set(answer) == {"error"}


class _WatchedEncoder:
    """Records whether a call needs embeddings."""

    def __init__(self, encoder: Encoder | None) -> None:
        self._encoder = encoder
        self.is_asked = False

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.is_asked = True
        if self._encoder is None:
            raise ModelError("searching a vector memory: the embeddings are not given")
        return self._encoder.encode(texts)
