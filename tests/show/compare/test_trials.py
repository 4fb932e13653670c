"""Models with several trials as one side."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bfcl_pipeline.base.errors import ConfigError, TableError
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.cli import main
from bfcl_pipeline.judge.scoring.statistics.normal import Z_95
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.compare.compare import Comparer, Comparison, ScoreDifference
from bfcl_pipeline.show.compare.sides import Choice, Side, read_sides
from bfcl_pipeline.show.compare.trials import read_averaged
from tests.support.synthetic_run import MadeUpModel, Marks, write_run


def written(folder: Path, **trials: list[list[bool | None]]) -> Path:
    """A run of models with the verdicts of each trial on one category."""
    return write_run(
        folder,
        [
            MadeUpModel(name if number == 1 else f"{name}~{number}", {"multiple": Marks(valid)})
            for name, of_model in trials.items()
            for number, valid in enumerate(of_model, start=1)
        ],
    )


def compared(run: Path, averaged: bool = True) -> tuple[list[Side], Comparison, ScoreDifference]:
    """The sides `a` and `b`, their comparison and its category."""
    read = read_averaged if averaged else read_sides
    numbering, sides = read([Choice(Run(run), "a"), Choice(Run(run), "b")], Rules.OFFICIAL)
    found = Comparer(numbering, Rules.OFFICIAL).compare(*sides)
    row = found.of("multiple")
    assert row is not None
    return sides, found, row


def test_a_side_is_the_mean_of_its_trials(tmp_path: Path) -> None:
    """Accuracies are means over trials; an entry that one side has right more often is a flip."""
    trials = [[True, True, False, False], [True, False, False, True]]
    sides, found, row = compared(written(tmp_path, a=trials, b=[[True, False, False, True]]))
    assert [side.label for side in sides] == ["a (2 trials)", "b"]
    assert (row.first, row.second, row.difference) == (0.5, 0.5, 0)
    assert (row.only_first, row.only_second, row.mcnemar_p, row.clusters_p) == (1, 1, None, 1.0)
    assert {flip.entry_id: flip.first_right for flip in found.flips} == {
        "multiple_1": True,
        "multiple_3": False,
    }


def test_an_entry_counts_in_the_trials_that_judged_it(tmp_path: Path) -> None:
    """No answer is no wrong answer; an entry without a verdict in any trial is left out."""
    trials = [[True, None, None], [False, True, None]]
    _, found, row = compared(written(tmp_path, a=trials, b=[[True, True, True]]))
    assert (row.entries, row.first, found.unjudged) == (2, 0.75, 1)


def test_more_trials_narrow_the_interval(tmp_path: Path) -> None:
    """The interval is about that of a mean of differences, and narrower than that of one trial."""
    random = np.random.default_rng(3)
    chance = random.random(400)
    trials = {name: [(random.random(400) < chance).tolist() for _ in range(5)] for name in "ab"}
    run = written(tmp_path, **trials)
    row, single = compared(run)[2], compared(run, averaged=False)[2]
    difference = np.mean(trials["a"], axis=0) - np.mean(trials["b"], axis=0)
    half = Z_95 * difference.std(ddof=1) / np.sqrt(400)
    assert row.difference == pytest.approx(difference.mean())
    assert (row.high - row.low) / 2 == pytest.approx(half, rel=0.1)
    assert row.high - row.low < 0.6 * (single.high - single.low)


def test_trials_that_do_not_exist_are_refused(tmp_path: Path) -> None:
    """The option needs a model with several trials, and the models need to be there."""
    run = written(tmp_path, a=[[True]], b=[[True]])
    with pytest.raises(ConfigError, match="--trials: none of a, b has several trials"):
        read_averaged([Choice(Run(run))], Rules.OFFICIAL)
    with pytest.raises(TableError, match="unknown model 'c'"):
        read_averaged([Choice(Run(run), "c")], Rules.OFFICIAL)


def test_trials_are_an_option_of_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The sides are named with their number of trials."""
    run = written(tmp_path, a=[[True, True], [True, False]], b=[[True, False]])
    assert main(["compare", f"{run}:a", f"{run}:b", "--trials"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("A: a (2 trials)\nB: b\n")
    assert "Means over trials" in printed
