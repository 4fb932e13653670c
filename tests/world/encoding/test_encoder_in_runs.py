"""The real encoder in this process, for as many texts as a run has."""

from __future__ import annotations

from pathlib import Path

import pytest

from bfcl_pipeline.ask.generation import responses
from bfcl_pipeline.ask.models.oracle import Oracle
from bfcl_pipeline.benchmark.config import load_models
from bfcl_pipeline.benchmark.records import Mode, Rules
from bfcl_pipeline.dialogue.release_texts import read_texts
from bfcl_pipeline.judge.scoring import Judge
from bfcl_pipeline.world.encoding import SentenceEncoder
from bfcl_pipeline.world.tools import WorldConfig
from tests.support import ROOT
from tests.support.encoder_process import embedded
from tests.support.local_generation import generate


@pytest.fixture(scope="module")
def encoder(staged_encoder: Path) -> SentenceEncoder:
    """The real encoder, without a cache on disk."""
    return SentenceEncoder(staged_encoder)


def test_another_process_gives_the_same_bits(encoder, staged_encoder, tmp_path):
    """The embedding of a text does not depend on the process, its environment or the texts before."""
    there = embedded(staged_encoder, tmp_path, {}, kept=[["a text"]])
    assert there.rows("kept", 0).tobytes() == encoder.encode(["another", "a text"])[1:].tobytes()


def test_the_oracle_passes_questions_with_a_vector_memory(encoder, entries, staged, constants):
    """It searches the memory with the real encoder, and passes every question."""
    rows = load_models(ROOT / "config/models.yaml").values()
    (row,) = (row for row in rows if (row.kind, row.mode) == ("oracle", Mode.FC))
    asked = entries("memory_vector")
    setting = WorldConfig(constants, encoder=encoder)
    held = responses(generate(asked, Oracle(row), read_texts(staged), lambda _: setting))
    judges = {entry.entry_id: Judge(entry) for entry in asked}
    verdicts = [
        judges[one.entry_id].verdict(one, rules)
        for one in held
        for rules in (Rules.OFFICIAL, Rules.CORRECTED)
    ]
    assert len(verdicts) == 2 * 155
    assert [one.entry_id for one in verdicts if not one.valid] == []
