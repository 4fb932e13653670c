"""Embeds texts with sentence-transformers, as the official package does. Runs under `.venv-peer` only.

    python -m tests.peer.encoder_reference QUESTIONS ANSWERS

A question is a `text` and the `folder` of the staged encoder; an answer is the `row` of 384 numbers.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import torch
from sentence_transformers import SentenceTransformer

from tests.peer.reference_process import answer_questions


@cache
def model(folder: str) -> SentenceTransformer:
    """The model of a folder, on one thread as in the pipeline."""
    torch.set_num_threads(1)
    return SentenceTransformer(folder, device="cpu", local_files_only=True)


def answer(question: dict[str, Any]) -> dict[str, Any]:
    """The embedding of one text."""
    (row,) = model(question["folder"]).encode([question["text"]], normalize_embeddings=True)
    return {"row": [float(number) for number in row]}


if __name__ == "__main__":
    answer_questions(answer)
