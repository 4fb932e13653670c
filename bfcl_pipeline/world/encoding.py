"""The encoder of vector memories: caches every embedding in memory and on disk.

The model is loaded when the first embedding is not cached, so that a run with cached embeddings needs
neither the model nor the libraries that run it: once per process, from local files only, without output, on
one thread. sentence-transformers takes seconds and half a gigabyte to load, so it is imported only then.
"""

import hashlib
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bfcl_pipeline.base.errors import ModelError
from bfcl_pipeline.base.files import atomic_path
from bfcl_pipeline.benchmark.definition import encoder as pinned
from bfcl_pipeline.world.tools.memory.encoder import DIMENSIONS


class SentenceEncoder:
    """A `tools.Encoder`: all-MiniLM-L6-v2 on one CPU thread.

    Each text is embedded separately, so that no embedding depends on the other texts.
    """

    def __init__(self, folder: Path, kept: Path | None = None) -> None:
        """folder: the output of `bfcl-pipeline stage --encoder`. kept: the disk cache, if any."""
        self._folder = folder
        self._kept = None if kept is None else EmbeddingCache(kept)
        self._vectors: dict[str, NDArray[np.float32]] = {}

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The embeddings, shape (len(texts), 384), each of norm 1.

        Raises:
            ModelError: the model is not staged or cannot be run.
            TypeError: a text cannot be encoded in UTF-8 (a lone surrogate), as in sentence-transformers.
        """
        rows = np.empty((len(texts), DIMENSIONS), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[:] = self._vector(text)
        return rows

    def _vector(self, text: str) -> NDArray[np.float32]:
        vector = self._vectors.get(text)
        if vector is None and self._kept is not None:
            vector = self._kept.get(text)
        if vector is None:
            vector = load_model(self._folder)(text)
            if self._kept is not None:
                self._kept.put(text, vector)
        self._vectors[text] = vector
        return vector


_NUMBERS = np.dtype("<f4")
_BYTES = DIMENSIONS * _NUMBERS.itemsize


class EmbeddingCache:
    """The cached embeddings of the pinned encoder, by text."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, text: str) -> NDArray[np.float32] | None:
        """The embedding of `text`, shape (384,); None if it is not cached or damaged."""
        try:
            content = self.path(text).read_bytes()
        except OSError:
            return None
        numbers, digest = content[:_BYTES], content[_BYTES:]
        if len(numbers) != _BYTES or digest != hashlib.sha256(numbers).digest():
            return None
        return np.frombuffer(numbers, dtype=_NUMBERS).astype(np.float32)

    def put(self, text: str, vector: NDArray[np.float32]) -> None:
        """Caches the embedding of `text`, if it can be written."""
        numbers = vector.astype(_NUMBERS).tobytes()
        with suppress(OSError), atomic_path(self.path(text)) as temporary:
            temporary.write_bytes(numbers + hashlib.sha256(numbers).digest())

    def path(self, text: str) -> Path:
        """The file of `text`: its name is the sha256 of the model's weights hash and the text."""
        key = hashlib.sha256(pinned.FILES[pinned.WEIGHTS].encode())
        key.update(text.encode("utf-8", "surrogatepass"))
        name = key.hexdigest()
        return self._folder / name[:2] / f"{name}.f32"


Embed = Callable[[str], NDArray[np.float32]]
"""Returns the embedding of one text, shape (384,)."""

_ENVIRONMENT = {
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "TRANSFORMERS_VERBOSITY": "error",
}
"""Environment variables that the libraries read when they are imported."""


@cache
def load_model(folder: Path) -> Embed:
    """The model whose files are in `folder`.

    Raises ModelError if a file is missing or not the pinned one, or if the model cannot be loaded.
    """
    _check(folder)
    os.environ.update(_ENVIRONMENT)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            import torch
            from sentence_transformers import SentenceTransformer
        except ImportError as error:
            raise ModelError(
                f"the sentence encoder needs sentence-transformers ({error}). "
                f"{sys.executable} -m pip install sentence-transformers"
            ) from error
        # The number of threads determines the order of additions, and so the last digits.
        torch.set_num_threads(1)
        try:
            model = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
        except Exception as error:  # other versions of the libraries may raise anything
            raise ModelError(f"{folder}: cannot load the sentence encoder ({error}).") from error

    def embed(text: str) -> NDArray[np.float32]:
        try:
            row = model.encode(text, normalize_embeddings=True, show_progress_bar=False)
        except (MemoryError, RuntimeError) as error:
            raise ModelError(f"the sentence encoder failed on a text of {len(text)} characters.") from error
        return np.asarray(row, dtype=np.float32)

    return embed


def _check(folder: Path) -> None:
    """Raises ModelError unless all files of the model are in `folder` and have their pinned hashes."""
    for name, sha256 in pinned.FILES.items():
        try:
            with (folder / name).open("rb") as file:
                got = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise ModelError(
                f"{folder / name}: cannot read the file ({error.strerror}). "
                "Stage the sentence encoder: bfcl-pipeline stage --encoder"
            ) from error
        if got != sha256:
            raise ModelError(
                f"{folder / name}: differs from the pinned encoder: expected sha256 {sha256}, got {got}. "
                "Stage it again: bfcl-pipeline stage --encoder"
            )


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
