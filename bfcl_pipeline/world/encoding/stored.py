"""An encoder that has only the embeddings stored on this machine."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bfcl_pipeline.base.errors import ModelError
from bfcl_pipeline.world.encoding.sentence_encoder import EmbeddingCache
from bfcl_pipeline.world.tools.memory.encoder import DIMENSIONS


class StoredEncoder:
    """A `tools.Encoder` that refuses a text without a stored embedding, so that no result is invented."""

    def __init__(self, folder: Path) -> None:
        """folder: the cache of embeddings; need not exist."""
        self._cache = EmbeddingCache(folder)
        self._vectors: dict[str, NDArray[np.float32] | None] = {}

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The embeddings, shape (len(texts), 384). Raises ModelError if one is not stored."""
        rows = np.empty((len(texts), DIMENSIONS), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            if text not in self._vectors:
                self._vectors[text] = self._cache.get(text)
            vector = self._vectors[text]
            if vector is None:
                raise ModelError("the embedding of a text is not stored on this machine")
            row[:] = vector
        return rows
