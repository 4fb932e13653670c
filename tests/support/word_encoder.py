"""A tiny encoder for tests: a text's embedding is computed from its words, the same on every machine.

Also runs under the Python of .venv-peer, so it imports only the standard library and numpy.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

DIMENSIONS = 384


class WordEncoder:
    """Texts with common words are similar; texts with the same words in another order nearly identical."""

    def __init__(self) -> None:
        self.asked: list[str] = []  # every text that was encoded, in order

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """A row for each text."""
        self.asked += texts
        return np.array([_row(text) for text in texts], dtype=np.float32).reshape(len(texts), DIMENSIONS)


@lru_cache(maxsize=10_000)
def _row(text: str) -> NDArray[np.float32]:
    words = text.lower().split()
    summed = _numbers("")  # part of every text, so that every text is similar to the others
    for word in words:
        summed = summed + 4 * _numbers(word)
    for pair in pairwise(words):
        summed = summed + _numbers(" ".join(pair))
    length = math.sqrt(int((summed * summed).sum()))
    row: NDArray[np.float32] = (summed / length).astype(np.float32)
    return row


@lru_cache(maxsize=10_000)
def _numbers(word: str) -> NDArray[np.int64]:
    """Whole numbers, so that their sum does not depend on the order."""
    shown = word.encode("utf-8")
    digests = [blake2b(shown, salt=bytes([part])).digest() for part in range(DIMENSIONS // 64)]
    return np.frombuffer(b"".join(digests), dtype=np.uint8).astype(np.int64) - 128
