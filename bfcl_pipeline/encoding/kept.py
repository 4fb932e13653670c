"""Embeddings on disk, one small file for each text, which many processes may read and write at once.

A file holds the numbers (float32, little-endian) and their sha256. One that is damaged counts as absent
and is written anew; one that cannot be written is not kept. Neither changes an embedding.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bfcl_pipeline.benchmark import encoder as pinned
from bfcl_pipeline.tables import atomic_path
from bfcl_pipeline.tools.encoder import DIMENSIONS

_NUMBERS = np.dtype("<f4")
_BYTES = DIMENSIONS * _NUMBERS.itemsize


class KeptVectors:
    """The embeddings that the pinned encoder gave, by text."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, text: str) -> NDArray[np.float32] | None:
        """The embedding of `text`; None if none is kept, or not as it was written."""
        try:
            content = self.path(text).read_bytes()
        except OSError:
            return None
        numbers, digest = content[:_BYTES], content[_BYTES:]
        if len(numbers) != _BYTES or digest != hashlib.sha256(numbers).digest():
            return None
        return np.frombuffer(numbers, dtype=_NUMBERS).astype(np.float32)

    def put(self, text: str, vector: NDArray[np.float32]) -> None:
        """Keeps the embedding of `text`, if it can be written."""
        numbers = vector.astype(_NUMBERS).tobytes()
        with suppress(OSError), atomic_path(self.path(text)) as temporary:
            temporary.write_bytes(numbers + hashlib.sha256(numbers).digest())

    def path(self, text: str) -> Path:
        """The file of `text`: named by the sha256 of the model's weights and the text."""
        key = hashlib.sha256(pinned.FILES[pinned.WEIGHTS].encode())
        key.update(text.encode("utf-8", "surrogatepass"))
        name = key.hexdigest()
        return self._folder / name[:2] / f"{name}.f32"
