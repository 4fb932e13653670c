"""Decisions of the gate."""

from __future__ import annotations

from pathlib import Path

import pytest

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.compare.compare import Comparer, Comparison
from bfcl_pipeline.show.compare.gate import Decision, decide, gate
from bfcl_pipeline.show.compare.sides import Choice, read_sides
from bfcl_pipeline.show.compare.text import comparison_text, gate_line, pairs_text
from tests.support.synthetic_run import MadeUpModel, Marks, marks, write_run


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


def comparison(folder: Path, new: Marks, old: Marks) -> Comparison:
    """Two models on one category."""
    run = write_run(folder, [MadeUpModel("new", {"multiple": new}), MadeUpModel("old", {"multiple": old})])
    numbering, sides = read_sides([Choice(Run(run), "new"), Choice(Run(run), "old")], Rules.OFFICIAL)
    return Comparer(numbering, Rules.OFFICIAL).compare(*sides)


def test_undecided_passes_only_if_asked(tmp_path: Path) -> None:
    """Few entries decide nothing: the gate is closed unless undecided passes."""
    found = comparison(tmp_path, marks(8, 2), marks(8, 2))
    closed, opened = (gate([found], ["multiple"], 0.01, passes) for passes in (False, True))
    assert closed.decision is opened.decision is Decision.UNDECIDED
    assert (closed.passes, opened.passes) == (False, True)
    assert gate_line(closed).startswith("fail: undecided, new minus old on multiple is 0.00 points")
    assert gate_line(opened).startswith("pass: undecided, ")


def test_one_failing_score_fails_all(tmp_path: Path) -> None:
    """If one comparison passes and another fails, the gate fails and names the failing one."""
    equal = comparison(tmp_path / "equal", marks(400), marks(400))
    worse = comparison(tmp_path / "worse", marks(300, 100), marks(400))
    decided = gate([equal, worse], ["multiple"], 0.02, undecided_passes=True)
    assert [each.decision for each in decided.scores] == [Decision.PASS, Decision.FAIL]
    assert not decided.passes
    assert gate_line(decided).startswith("fail: new minus old on multiple is -25.00 points")


def test_an_incomplete_score_is_refused(tmp_path: Path) -> None:
    """A loss on one category would be diluted in an overall without the others."""
    with pytest.raises(TableError, match=r"no verdicts on a part of overall \(simple_python, .*--category"):
        gate([comparison(tmp_path, marks(3, 7), marks(10))], ["overall"], 0.05, undecided_passes=True)


def test_a_score_that_was_not_compared_is_refused(tmp_path: Path) -> None:
    """A category that neither ran cannot decide."""
    with pytest.raises(TableError, match="no verdicts on parallel"):
        gate([comparison(tmp_path, marks(10), marks(10))], ["parallel"], 0.05, undecided_passes=True)


def test_a_comparison_fits_a_narrow_terminal(tmp_path: Path) -> None:
    """Columns are left out and named; the difference and its interval stay."""
    found = comparison(tmp_path, marks(3, 7), marks(10))
    for text in (comparison_text(found, 0, 60), pairs_text([found] * 3, 60)):
        table = [line for line in text.splitlines() if "  " in line]
        assert max(map(len, table)) <= 60
        assert "A-B" in table[0]
        assert "95 % interval" in table[0]
        assert "Not shown in 60 columns: " in text
    assert "Not shown" not in comparison_text(found, 0)
