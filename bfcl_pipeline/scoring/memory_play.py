"""Runs the calls of a conversation with a memory again: results, failures, and the memory after each call.

The vector memory searches by meaning. Where the embeddings for a search are not given, its result is
unknown; every other call is derived from the memory at the start.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bfcl_pipeline.errors import ModelError
from bfcl_pipeline.records import Call, Entry, Json
from bfcl_pipeline.tools import Constants, World, WorldConfig

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bfcl_pipeline.tools.memory import Memory
    from bfcl_pipeline.tools.memory.encoder import Encoder


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


def repeat_calls(
    entry: Entry,
    calls: Iterable[Call],
    before: Json | None,
    constants: Constants,
    encoder: Encoder | None = None,
) -> Iterator[RepeatedCall]:
    """Runs the calls of one conversation again, in order.

    Args:
        before: the snapshot at the start of the conversation; None for an empty memory.
        encoder: raises ModelError for a text without an embedding; None: it has none of any text.

    Raises MalformedRelease if `before` is not a snapshot of the entry's memory.
    """
    calls = list(calls)
    if not calls:  # saves loading the memory, which may be large
        return
    (api,) = entry.apis
    watched = _WatchedEncoder(encoder)
    initial = None if before is None else {api: before}
    world = World.for_entry(entry, WorldConfig(constants, encoder=watched), "model", initial)
    memory = world.memory
    assert memory is not None  # noqa: S101  # the entries of memory categories have one
    for call in calls:
        watched.is_asked = False
        try:
            result = world.run(call)
        except ModelError:
            result = None
        failed = result is not None and not watched.is_asked and is_failure(result)
        yield RepeatedCall(call, result, failed, memory)


def is_failure(result: str) -> bool:
    """True if a result of a memory is an error text."""
    if result.startswith("Error during execution"):
        return True
    try:
        answer = json.loads(result)
    except (ValueError, RecursionError):
        return False
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
