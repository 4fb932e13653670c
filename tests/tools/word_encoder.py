"""A tiny encoder for tests: a text's embedding is made of its words, the same on every machine.

Runs under the Python of .venv-peer too, so it imports nothing but the standard library and numpy.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from hashlib import blake2b
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

DIMENSIONS = 384


class WordEncoder:
    """Texts with words in common are alike; those with the same words in another order, nearly."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row for each text."""
        return np.array([_row(text) for text in texts], dtype=np.float32).reshape(len(texts), DIMENSIONS)


def _row(text: str) -> list[float]:
    words = text.lower().split()
    parts = [_numbers("")]  # of every text, so that none is far from all others
    parts += [[4 * number for number in _numbers(word)] for word in words]
    parts += [_numbers(f"{one} {other}") for one, other in pairwise(words)]
    summed = [sum(numbers) for numbers in zip(*parts, strict=True)]
    length = math.sqrt(sum(number * number for number in summed))
    return [number / length for number in summed]


def _numbers(word: str) -> list[int]:
    """Whole numbers, whose sum does not depend on an order of adding."""
    shown = word.encode("utf-8")
    digest = b"".join(blake2b(shown, salt=bytes([part])).digest() for part in range(DIMENSIONS // 64))
    return [byte - 128 for byte in digest]
