"""Loads the staged model: once per process, from local files only, without output, on one thread.

The libraries that run it take seconds and half a gigabyte to load, so they are imported only here, at first
use. The embeddings equal those of sentence-transformers (tests/peer compares them) without that package and
the 200 MB that it needs: means of token embeddings, normalized twice, as its `encode` does for this model.
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

from bfcl_pipeline.benchmark import encoder as pinned
from bfcl_pipeline.errors import ModelError

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

_MAX_TOKENS = 256
"""Longer texts are cut, as sentence_bert_config.json of the model says."""


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
            from transformers import AutoTokenizer, BertModel
            from transformers.utils.logging import disable_progress_bar
        except ImportError as error:
            raise ModelError(
                f"the sentence encoder needs torch and transformers ({error}). "
                f"{sys.executable} -m pip install torch transformers"
            ) from error
        # The number of threads determines the order of additions, and so the last digits.
        torch.set_num_threads(1)
        disable_progress_bar()
        try:
            tokenizer = AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
            model = BertModel.from_pretrained(str(folder), local_files_only=True).eval()
        except Exception as error:  # other versions of the libraries may raise anything
            raise ModelError(f"{folder}: cannot load the sentence encoder ({error}).") from error

    def embed(text: str) -> NDArray[np.float32]:
        try:
            words = tokenizer([text], truncation=True, max_length=_MAX_TOKENS, return_tensors="pt")
            with torch.inference_mode():
                tokens = model(**words).last_hidden_state
                mask = words["attention_mask"].unsqueeze(-1).expand(tokens.size()).to(tokens.dtype)
                mean = (tokens * mask).sum(1) / mask.sum(1).clamp(min=1e-9)
                normalize = torch.nn.functional.normalize
                row = normalize(normalize(mean, dim=1), dim=1)[0]
        except (MemoryError, RuntimeError) as error:
            raise ModelError(f"the sentence encoder failed on a text of {len(text)} characters.") from error
        return np.asarray(row.numpy(), dtype=np.float32)

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
