"""Our verdicts on outputs of real models equal those that the official scorer gave them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from bfcl_pipeline.benchmark.records import Entry, Mode, Rules
from bfcl_pipeline.benchmark.tables import read_table
from bfcl_pipeline.judge.scoring import Judge
from bfcl_pipeline.judge.scoring.judge import default_style
from bfcl_pipeline.world.tools import Constants
from tests.peer.variants import Case
from tests.peer.verdict_seam import compared

CONFORMANCE = "BFCL_CONFORMANCE"
"""A table with run, category, entry_id, mode, result_json, and the official valid and error_type."""

COLUMNS = ("run", "category", "entry_id", "mode", "result_json", "valid", "error_type")


def test_verdicts_on_recorded_outputs_equal_the_recorded_ones(
    entries: Callable[[str], list[Entry]], constants: Constants, capsys: pytest.CaptureFixture[str]
) -> None:
    """On outputs of real models, of any category, valid and error_type are the official ones."""
    path = os.environ.get(CONFORMANCE)
    if path is None:
        pytest.skip(f"{CONFORMANCE} names no table of outputs with official verdicts")
    rows = read_table(Path(path), COLUMNS).to_pylist()
    judges = {
        entry.entry_id: Judge(entry, constants)
        for category in sorted({row["category"] for row in rows})
        for entry in entries(category)
    }
    cases, ours = [], []
    for row in rows:
        mode = Mode(row["mode"])
        named = (row["entry_id"], row["category"], mode, default_style(mode))
        cases.append(Case(*named, row["result_json"], row["run"]))
        verdict = judges[row["entry_id"]].verdict(cases[-1].response(), Rules.OFFICIAL)
        ours.append({"valid": verdict.valid, "error_type": verdict.error_type})
    official = [{"valid": row["valid"], "error_type": row["error_type"]} for row in rows]
    comparison = compared("verdict seam, recorded outputs", cases, official, ours)
    with capsys.disabled():
        print(comparison.summary())
    comparison.check()
    assert rows
