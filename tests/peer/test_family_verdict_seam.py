"""The verdict seam of open weights: answers are read and scored as by the official handlers."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pytest

from bfcl_pipeline.benchmark import CATEGORIES, Check
from bfcl_pipeline.config.families import load_families
from bfcl_pipeline.official.layout import official_models
from bfcl_pipeline.records import Entry
from bfcl_pipeline.tools import Constants
from tests.peer.family_answers import (
    Asked,
    FamilyCase,
    conversations,
    final_answers,
    single_turn_answers,
)
from tests.peer.family_forms import FORMS
from tests.peer.family_verdict_seam import FamilyComparison, our_answers
from tests.peer.peer import ask_peer, printed_under, require_peer

EVERY = "BFCL_FAMILY_VERDICTS_EVERY"
"""Environment variable: of how many answers one is compared; 1: all. The default takes about a minute."""

SINGLE_TURN = tuple(name for name, category in CATEGORIES.items() if category.single_turn)
MULTI_TURN = tuple(name for name, category in CATEGORIES.items() if category.check is Check.MULTI_TURN)
AGENTIC = tuple(name for name, category in CATEGORIES.items() if category.group == "agentic")


@pytest.fixture(scope="module")
def families(staged: Path) -> list[Asked]:
    """Every family with its first model."""
    handlers = {row["name"]: row["handler"] for row in official_models(staged).values()}
    return [Asked(row, row.models[0], handlers[row.models[0]]) for row in load_families().values()]


Entries = Callable[[str], list[Entry]]


def _compared(
    generated: Sequence[FamilyCase], asked: Sequence[Entry], constants: Constants, folder: Path
) -> FamilyComparison:
    official = ask_peer("family_verdict_reference", [case.question() for case in generated], folder)
    comparison = FamilyComparison()
    for case, theirs, ours in zip(
        generated, official, our_answers(asked, constants, generated), strict=True
    ):
        comparison.add(case, theirs, ours)
    return comparison


@pytest.mark.peer
def test_single_turn_answers(
    families: list[Asked], entries: Entries, constants: Constants, tmp_path: Path, capsys
) -> None:
    require_peer()
    asked = [entry for category in SINGLE_TURN for entry in entries(category)]
    generated = list(single_turn_answers(asked, families, int(os.environ.get(EVERY, "10"))))
    comparison = _compared(generated, asked, constants, tmp_path)
    with capsys.disabled():
        print(comparison.summary())
    assert not comparison.disagreements, comparison.shown()


@pytest.mark.peer
def test_conversations(
    families: list[Asked], entries: Entries, constants: Constants, tmp_path: Path, capsys
) -> None:
    require_peer()
    every = int(os.environ.get(EVERY, "10"))
    asked = [entry for category in MULTI_TURN for entry in entries(category)]
    generated = list(conversations(asked, families, every))
    agentic = [e for category in AGENTIC for e in entries(category) if not e.prerequisite]
    generated += final_answers(agentic, families, every)
    comparison = _compared(generated, [*asked, *agentic], constants, tmp_path)
    with capsys.disabled():
        print(comparison.summary())
    assert not comparison.disagreements, comparison.shown()
