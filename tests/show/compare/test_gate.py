"""Decisions of the gate."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.judge.scoring.statistics.paired import Decision, decide
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.compare.compare import Comparer
from bfcl_pipeline.show.compare.sides import Choice, read_sides
from bfcl_pipeline.show.compare.text import comparison_text, pairs_text
from tests.support.synthetic_run import MadeUpModel, marks, write_run


@pytest.mark.parametrize(
    ("low", "high", "decision"),
    [
        (-0.005, 0.02, Decision.PASS),
        (-0.01, 0.02, Decision.PASS),
        (-0.02, 0.02, Decision.UNDECIDED),
        (-0.02, -0.01, Decision.UNDECIDED),
        (-0.05, -0.011, Decision.FAIL),
        (0.01, 0.02, Decision.PASS),
    ],
)
def test_the_interval_decides(low: float, high: float, decision: Decision) -> None:
    """With a margin of 1 point: pass above it, fail below it, undecided where the interval contains it."""
    assert decide(low, high, 0.01) is decision


def test_a_comparison_fits_a_narrow_terminal(tmp_path: Path) -> None:
    """Columns are left out and named; the difference and its interval stay."""
    both = {"new": marks(3, 7), "old": marks(10)}
    run = write_run(tmp_path, [MadeUpModel(name, {"multiple": of}) for name, of in both.items()])
    numbering, sides = read_sides([Choice(Run(run))], Rules.OFFICIAL)
    found = Comparer(numbering, Rules.OFFICIAL).compare(*sides)
    for text in (comparison_text(found, 0, 60), pairs_text([found] * 3, 60)):
        table = [line for line in text.splitlines() if "  " in line]
        assert max(map(len, table)) <= 60
        assert "A-B" in table[0]
        assert "95 % interval" in table[0]
        assert "Not shown in 60 columns: " in text
    assert "Not shown" not in comparison_text(found, 0)
    long = pairs_text([replace(found, second="s" * 40)], 60).splitlines()[2:4]
    assert "s\N{HORIZONTAL ELLIPSIS}s" in long[1]
    assert max(map(len, long)) <= 60
