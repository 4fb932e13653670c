"""The verdict seam, several turns: our verdicts on conversations equal the official ones, one by one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bfcl_pipeline.benchmark.definition import CATEGORIES, Check
from bfcl_pipeline.benchmark.records import Entry, Mode, Rules
from bfcl_pipeline.judge.scoring import Judge
from bfcl_pipeline.world.tools import Constants, WorldConfig
from tests.peer.peer import printed_under, require_peer
from tests.peer.recorded import Seam
from tests.peer.trajectories import trajectories
from tests.peer.trajectory_changes import CHANGES
from tests.peer.variants import Case
from tests.peer.verdict_seam import compared
from tests.peer.world_scenes import METHODS

CALLS = "BFCL_WORLD_CALLS"
CALLS_EACH = 10  # about as many are in a conversation
MULTI_TURN = tuple(category.name for category in CATEGORIES.values() if category.check is Check.MULTI_TURN)
TODAY = WorldConfig(Constants({})).today.isoformat()

CALLED_TOO_SOON = "multi_turn:irrelevance_error:decoder_success"
"""The error type of an official check that the official runner does not use, but corrected rules do."""

KINDS = (
    "valid",
    "multi_turn:empty_turn_model_response",
    "multi_turn:execution_response_mismatch",
    "multi_turn:force_terminated",
    "multi_turn:inference_error",
    "multi_turn:instance_state_mismatch",
    CALLED_TOO_SOON,
)
"""Every verdict that the official runner can give on a conversation of several turns, and that one."""


@pytest.fixture(scope="module")
def asked(entries: Callable[[str], list[Entry]]) -> list[Entry]:
    """The entries of several turns."""
    return [entry for category in MULTI_TURN for entry in entries(category)]


def test_verdicts_on_conversations_equal_the_official_ones(
    asked: Sequence[Entry], constants: Constants, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """On changed truths of every entry, valid and error_type are the official ones, corrected too."""
    require_peer()
    wanted = int(os.environ.get(CALLS, "200000")) // CALLS_EACH
    generated = list(trajectories(asked, -(-wanted // len(asked))))
    ours = list(_our_verdicts(asked, constants, generated))
    seam = Seam("trajectories", "trajectory_reference")
    official = seam.answers([_row(case) for case in generated], ours, tmp_path)
    comparison = compared("verdict seam, several turns", generated, official, ours)
    counts = comparison.kinds
    counts[CALLED_TOO_SOON] = sum(theirs.get("corrected") == CALLED_TOO_SOON for theirs in official)
    with capsys.disabled():
        print(comparison.summary())
    comparison.check()
    assert len(generated) >= wanted
    seldom = {kind: counts[kind] for kind in KINDS if counts[kind] < wanted // 100}
    assert not seldom, f"seldom: {seldom}"
    right = {"valid": True, "error_type": None, "corrected": None}
    wrong = [
        c.entry_id
        for c, theirs in zip(generated, official, strict=True)
        if c.kind == "truth" and theirs != right
    ]
    assert not wrong, f"truths that the official code does not take: {wrong}"


def test_every_api_and_every_change_is_among_the_conversations(asked: Sequence[Entry]) -> None:
    """Every API, every entry in both modes, and every kind of change is covered."""
    generated = list(trajectories(asked, 4))
    assert {api for entry in asked for api in entry.apis} == set(METHODS)
    assert {(case.entry_id, case.mode) for case in generated} == {
        (entry.entry_id, mode) for entry in asked for mode in Mode
    }
    kinds = {part for case in generated for part in case.kind.split("+")}
    assert kinds == {"truth", "unchanged", "chat", "odd_turn", "garbage", *CHANGES}


def test_conversations_do_not_depend_on_the_process(staged: Path) -> None:
    """The same seed gives the same conversations under another hash seed, and another seed gives others."""
    script = (
        "import hashlib, sys\nfrom pathlib import Path\nfrom tests.peer.trajectories import trajectories\n"
        "from bfcl_pipeline.benchmark.tables import entries_path, read_entries\n"
        "asked = read_entries(entries_path(Path(sys.argv[1]), 'multi_turn_miss_param'))[::10]\n"
        "texts = (case.result_json for case in trajectories(asked, 20, int(sys.argv[2])))\n"
        "print(hashlib.sha256('\\n'.join(texts).encode()).hexdigest())\n"
    )

    digest = partial(printed_under, script, staged)
    assert digest("1", "0") == digest("2", "0")
    assert digest("1", "0") != digest("1", "1")


def _row(case: Case) -> dict[str, Any]:
    return {
        "entry_id": case.entry_id,
        "category": case.category,
        "mode": case.mode,
        "result_json": case.result_json,
        "today": TODAY,
    }


def _our_verdicts(
    asked: Iterable[Entry], constants: Constants, cases: Iterable[Case]
) -> Iterable[dict[str, Any]]:
    judges = {entry.entry_id: Judge(entry, constants) for entry in asked}
    for case in cases:
        official, corrected = judges[case.entry_id].answer_verdicts(
            case.result_json, case.mode, case.name_style, (Rules.OFFICIAL, Rules.CORRECTED)
        )
        yield {
            "valid": official.valid,
            "error_type": official.error_type,
            "corrected": corrected.error_type,
        }
