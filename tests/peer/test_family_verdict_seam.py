"""The verdict seam of open weights: answers are read and scored as by the official handlers."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pytest

from bfcl_pipeline.benchmark.config.families import load_families
from bfcl_pipeline.benchmark.definition import CATEGORIES, V4_CATEGORIES, Check
from bfcl_pipeline.benchmark.records import Entry
from bfcl_pipeline.benchmark.tables import read_table
from bfcl_pipeline.world.tools import Constants
from tests.peer.family_answers import (
    Asked,
    FamilyCase,
    conversations,
    final_answers,
    recorded_answers,
    single_turn_answers,
)
from tests.peer.family_forms import FORMS
from tests.peer.family_verdict_seam import compared, in_one_spelling, our_answers
from tests.peer.peer import printed_under, require_peer
from tests.peer.recorded import Seam
from tests.peer.test_recorded_verdicts import CONFORMANCE

EVERY = "BFCL_FAMILY_VERDICTS_EVERY"
"""Environment variable: of how many answers one is compared; 1: all (about 190,000). Default: 5."""

SINGLE_TURN = tuple(name for name in V4_CATEGORIES if CATEGORIES[name].single_turn)
MULTI_TURN = tuple(name for name, category in CATEGORIES.items() if category.check is Check.MULTI_TURN)
AGENTIC = tuple(name for name, category in CATEGORIES.items() if category.group == "agentic")


@pytest.fixture(scope="module")
def families() -> list[Asked]:
    """Every family of the leaderboard with its first model."""
    return [Asked(row, row.models[0], row.official) for row in load_families().values() if row.official]


Entries = Callable[[str], list[Entry]]


@pytest.fixture
def check(
    constants: Constants, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> Callable[[str, Sequence[FamilyCase], Sequence[Entry]], set[str]]:
    """Compares both sides of answers under a name of records; returns the handlers that were compared."""
    require_peer()

    def checked(name: str, generated: Sequence[FamilyCase], asked: Sequence[Entry]) -> set[str]:
        ours = list(our_answers(asked, constants, generated))
        seam = Seam(name, "family_verdict_reference", form=in_one_spelling)
        official = seam.answers([case.question() for case in generated], ours, tmp_path)
        comparison = compared(generated, official, ours)
        with capsys.disabled():
            print(comparison.summary())
        comparison.check()
        return set(comparison.counts)

    return checked


def _every() -> int:
    return int(os.environ.get(EVERY, "8"))


def test_single_turn_answers_have_the_official_verdicts(families: list[Asked], entries: Entries, check):
    """Stored results, valid and error_type are the official ones, for every handler of open weights."""
    asked = [entry for category in SINGLE_TURN for entry in entries(category)]
    generated = list(single_turn_answers(asked, families, _every()))
    assert check("family_verdicts", generated, asked) == set(FORMS)


def test_conversations_have_the_official_calls_and_verdicts(families: list[Asked], entries: Entries, check):
    """So are the calls that each step runs, in several turns, with memories and in the web."""
    asked = [entry for category in MULTI_TURN for entry in entries(category)]
    generated = list(conversations(asked, families, _every()))
    agentic = [entry for category in AGENTIC for entry in entries(category) if not entry.prerequisite]
    generated += final_answers(agentic, families, _every())
    assert check("family_conversation_verdicts", generated, [*asked, *agentic]) == set(FORMS)


def test_recorded_texts_have_the_official_verdicts(families: list[Asked], entries: Entries, check):
    """Texts of real models are read alike by the handler of every reader, whichever family wrote them."""
    path = os.environ.get(CONFORMANCE)
    if path is None:
        pytest.skip(f"{CONFORMANCE} names no table of outputs with official verdicts")
    rows = read_table(Path(path), ("run", "category", "entry_id", "result_json")).to_pylist()
    generated = list(recorded_answers(rows, families))
    named = sorted({case.category for case in generated})
    check("family_recorded_verdicts", generated, [entry for name in named for entry in entries(name)])


def test_answers_do_not_depend_on_the_process(staged: Path) -> None:
    """The same seed gives the same answers under another hash seed, and another seed gives others."""
    script = (
        "import hashlib, json, sys\nfrom pathlib import Path\n"
        "from bfcl_pipeline.benchmark.config.families import load_families\n"
        "from bfcl_pipeline.benchmark.tables import entries_path, read_entries\n"
        "from tests.peer.family_answers import Asked, conversations, final_answers, single_turn_answers\n"
        "rows = [row for row in load_families().values() if row.name in ('bielik', 'hammer', 'qwen3-fc')]\n"
        "names = ['BielikHandler', 'HammerHandler', 'QwenFCHandler']\n"
        "families = [Asked(row, row.models[0], name) for row, name in zip(rows, names, strict=True)]\n"
        "made = (('simple_java', single_turn_answers), ('multi_turn_base', conversations),\n"
        "        ('web_search_base', final_answers))\n"
        "cases = [case for category, make in made for case in make(\n"
        "    read_entries(entries_path(Path(sys.argv[1]), category))[:9], families, 1, int(sys.argv[2]))]\n"
        "text = json.dumps([case.answer for case in cases])\n"
        "print(hashlib.sha256(text.encode()).hexdigest())\n"
    )

    digest = partial(printed_under, script, staged)
    assert digest("1", "0") == digest("2", "0")
    assert digest("1", "0") != digest("1", "1")
