"""The staged model in memory: once per process, from local files alone, quietly, on one thread.

The libraries that run it take seconds and half a gigabyte, so they are imported here at the first need
and nowhere else.
"""

from __future__ import annotations

import hashlib
import os
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bfcl_pipeline.benchmark import encoder as pinned
from bfcl_pipeline.errors import ModelError

Embed = Callable[[str], NDArray[np.float32]]
"""Gives the embedding of one text."""

_SURROUNDINGS = {
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "TRANSFORMERS_VERBOSITY": "error",
}
"""What the libraries read from the environment when they are imported."""


@cache
def load_model(folder: Path) -> Embed:
    """The model whose files are in `folder`.

    Raises ModelError if they are not all there and as pinned, or if the model cannot be loaded.
    """
    _check(folder)
    os.environ.update(_SURROUNDINGS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            import torch
            from sentence_transformers import SentenceTransformer
            from transformers.utils.logging import disable_progress_bar
        except ImportError as error:
            raise ModelError(
                f"the sentence encoder needs sentence-transformers ({error}). "
                "pip install 'bfcl-pipeline[memory]'"
            ) from error
        # The order of additions follows from the number of threads, and the last digits from that order.
        torch.set_num_threads(1)
        disable_progress_bar()
        try:
            model = SentenceTransformer(
                str(folder), device="cpu", local_files_only=True, trust_remote_code=False
            )
        except Exception as error:  # whatever libraries of other versions raise: it is never an answer
            raise ModelError(f"{folder}: the sentence encoder cannot be loaded ({error}).") from error

    def embed(text: str) -> NDArray[np.float32]:
        try:
            rows = model.encode([text], batch_size=1, normalize_embeddings=True, show_progress_bar=False)
        except (MemoryError, RuntimeError) as error:
            raise ModelError(f"the sentence encoder failed on a text of {len(text)} characters.") from error
        return np.asarray(rows[0], dtype=np.float32)

    return embed


def _check(folder: Path) -> None:
    """Raises ModelError unless all files of the model are in `folder` and have their pinned hashes."""
    for name, sha256 in pinned.FILES.items():
        try:
            with (folder / name).open("rb") as file:
                got = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise ModelError(
                f"{folder / name}: cannot be read ({error.strerror}). "
                "Stage the sentence encoder: bfcl-pipeline stage --encoder"
            ) from error
        if got != sha256:
            raise ModelError(
                f"{folder / name}: not of the pinned encoder: expected sha256 {sha256}, got {got}. "
                "Stage it again: bfcl-pipeline stage --encoder"
            )
