"""Loads the staged model: once per process, from local files only, without output, on one thread.

sentence-transformers takes seconds and half a gigabyte to load, so it is imported only here, at first use.
"""

import hashlib
import os
import sys
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bfcl_pipeline.base.errors import ModelError
from bfcl_pipeline.benchmark.definition import encoder as pinned

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
