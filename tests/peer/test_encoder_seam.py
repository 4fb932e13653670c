"""Seam: embeddings of the vector memory, compared with those of sentence-transformers."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from bfcl_pipeline.world.encoding import SentenceEncoder
from tests.peer.peer import ask_peer, require_peer
from tests.support import ROOT

TEXTS = [
    *("", "a", "漢字 😀 naïve", "x" * 3000, "more words than the model reads " * 100),
    *(ROOT / "README.md").read_text(encoding="utf-8").split("\n\n")[::6],
]


def test_embeddings_are_those_of_the_official_library(staged_encoder: Path, tmp_path: Path) -> None:
    """Any text has the row of the library: to the last bit with the same versions, else nearly."""
    require_peer()
    questions = [{"text": text, "folder": str(staged_encoder)} for text in TEXTS]
    answers = ask_peer("encoder_reference", questions, tmp_path)
    expected = np.asarray([answer["row"] for answer in answers], dtype=np.float32)
    np.testing.assert_allclose(SentenceEncoder(staged_encoder).encode(TEXTS), expected, rtol=0, atol=1e-6)
