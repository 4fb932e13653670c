"""The request seam of open weights, first requests: prompts equal those of the official handlers.

Covers every model of the table of families over entries of every category but those with a memory, which
the conversations cover: the whole body of the first request, and for a single turn the result that is
stored for an answer in the family's own form.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bfcl_pipeline.benchmark.definition import CATEGORIES, V4_CATEGORIES
from bfcl_pipeline.benchmark.records import Mode
from bfcl_pipeline.dialogue.release_texts import read_texts
from bfcl_pipeline.world.tools import Constants
from tests.peer.conversation_seam import Chain, TellingWeb
from tests.peer.family_seam import Entries, Model, Talk, chain, check, models_of, sampled
from tests.peer.peer import require_peer

ASKED = [name for name in V4_CATEGORIES if not name.startswith("memory")]
EVERY = 60
"""Of the entries of a category, every n-th is asked of the first model of a family."""
EVERY_FURTHER = 700
"""And of each other model."""


def chains(models: list[Model], entries: Entries) -> Iterator[Chain[Talk]]:
    """One chain per model and category."""
    seen: set[str] = set()
    for offset, model in enumerate(models):
        every = EVERY_FURTHER if model.family in seen else EVERY
        seen.add(model.family)
        for category in ASKED:
            if CATEGORIES[category].prompt_only and model.adapter.asking.mode is Mode.FC:
                continue
            asked = sampled(entries(category), every * model.scarcity, offset)
            yield chain(model, asked, TellingWeb.empty(), stop=not CATEGORIES[category].single_turn)


def test_first_requests_equal_the_official_ones(
    staged: Path,
    entries: Entries,
    constants: Constants,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The first body that each official handler sends is ours, and so is the result that it stores."""
    require_peer()
    asked = list(chains(models_of(staged, tmp_path / "tokenizer"), entries))
    with capsys.disabled():
        compared = check("family_requests", asked, read_texts(staged), constants, tmp_path)
    assert compared.prompts.total() >= 4_000
