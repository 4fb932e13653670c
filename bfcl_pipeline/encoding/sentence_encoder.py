"""The encoder that vector memories ask: remembers every embedding, asks the model for new ones only.

Covers memory, kept files and the order in which they are asked. The model is `encoding.model`; it is
loaded when the first embedding is found nowhere, so that a run whose embeddings are kept needs neither
the model nor the libraries that run it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bfcl_pipeline.encoding.kept import KeptVectors
from bfcl_pipeline.encoding.model import load_model
from bfcl_pipeline.tools.encoder import DIMENSIONS


class SentenceEncoder:
    """A `tools.Encoder`: all-MiniLM-L6-v2 on one CPU thread.

    Every text is embedded on its own, so no embedding depends on what else was asked for.
    """

    def __init__(self, folder: Path, kept: Path | None = None) -> None:
        """`folder`: what `bfcl-pipeline stage --encoder` made; `kept`: a folder to keep embeddings in."""
        self._folder = folder
        self._kept = None if kept is None else KeptVectors(kept)
        self._known: dict[str, NDArray[np.float32]] = {}

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row of 384 numbers for each text, of length 1.

        Raises ModelError if the model is not staged or cannot be run, and TypeError for a text that is
        none in UTF-8 (it holds half a surrogate pair), as sentence-transformers does.
        """
        rows = np.empty((len(texts), DIMENSIONS), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[:] = self._vector(text)
        return rows

    def _vector(self, text: str) -> NDArray[np.float32]:
        known = self._known.get(text)
        if known is None:
            known = self._known[text] = self._found(text)
        return known

    def _found(self, text: str) -> NDArray[np.float32]:
        if self._kept is None:
            return load_model(self._folder)(text)
        vector = self._kept.get(text)
        if vector is None:
            vector = load_model(self._folder)(text)
            self._kept.put(text, vector)
        return vector
