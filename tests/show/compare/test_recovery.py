"""The ratio of two scores with its interval."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.cli import main
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.compare.compare import Comparer
from bfcl_pipeline.show.compare.recovery import Recovery, recoveries
from bfcl_pipeline.show.compare.sides import Choice, read_sides
from tests.support.synthetic_run import MadeUpModel, Marks, write_run


def recovered(folder: Path, first: np.ndarray, second: np.ndarray) -> dict[str, Recovery]:
    """The recoveries of two models on one category, by score."""
    models = [
        MadeUpModel(name, {"multiple": Marks(right.tolist())})
        for name, right in (("a", first), ("b", second))
    ]
    numbering, sides = read_sides([Choice(Run(write_run(folder, models)))], Rules.OFFICIAL)
    return {each.score: each for each in recoveries(Comparer(numbering, Rules.OFFICIAL), *sides)}


def test_the_interval_holds_the_true_ratio(tmp_path: Path) -> None:
    """Of 95 % intervals of two dependent scores, about 95 % hold it; equal sides recover everything."""
    random, held = np.random.default_rng(1), 0
    for draw in range(60):
        first = random.random(150) < 0.8
        second = np.where(first, random.random(150) < 0.85, random.random(150) < 0.2)
        found = recovered(tmp_path / str(draw), first, second)["multiple"]
        held += found.low <= (0.8 * 0.85 + 0.2 * 0.2) / 0.8 <= found.high
    assert 54 <= held <= 60
    same = recovered(tmp_path / "same", first, first)["multiple"]
    assert same.ratio == 1
    assert same.low < 1 < same.high


def test_a_score_of_nothing_has_no_ratio(tmp_path: Path) -> None:
    """Without a right answer of the first side, the score is left out."""
    assert recovered(tmp_path, np.zeros(9, bool), np.ones(9, bool)) == {}


def test_ratios_are_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each score of a pair has a line; a group of which categories lack verdicts is marked."""
    recovered(tmp_path / "r", np.arange(20) < 16, np.arange(20) < 12)
    assert main(["compare", str(tmp_path / "r"), "--recovery"]) == 0
    lines = {line.split()[0]: line.split() for line in capsys.readouterr().out.splitlines() if line}
    assert lines["multiple"][:5] == ["multiple", "20", "80.00", "60.00", "75.00"]
    assert lines["overall*"][4] == "75.00"
