"""Which sides are compared with which; the command has tests of `--modes`, `--group` and lonely models."""

from __future__ import annotations

from pathlib import Path

import pytest

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.compare.pairs import default_groups, mode_groups
from bfcl_pipeline.show.compare.sides import Choice, read_sides
from tests.support.synthetic_run import MadeUpModel, marks, write_run


def choice(folder: Path, models: str, model: str | None = None) -> Choice:
    """A run of models on one category, or one of its models."""
    made = [MadeUpModel(name, {"multiple": marks(1)}) for name in models.split()]
    return Choice(Run(write_run(folder, made)), model)


@pytest.mark.parametrize(
    ("runs", "model", "groups"),
    [
        (
            ("a b", "a b c", "b"),
            None,
            ["0:a 1:a", "0:b 1:b 2:b"],
        ),  # by model, in the order of the first run
        (("a", "b"), None, ["a b"]),  # without a common model
        (("a b", "a b"), "a", ["0:a 1:a b"]),  # one side is a model: the others are compared with it
    ],
)
def test_whole_runs_are_compared_model_by_model(
    runs: tuple[str, ...], model: str | None, groups: list[str], tmp_path: Path
) -> None:
    """Runs without a common model, and named models, are one group."""
    choices = [
        choice(tmp_path / str(place), models, None if place else model) for place, models in enumerate(runs)
    ]
    found = default_groups(choices, read_sides(choices, Rules.OFFICIAL)[1])
    assert [" ".join(side.label for side in group) for group in found] == groups


def test_modes_are_pairs_of_names(tmp_path: Path) -> None:
    """X-FC is paired with X of the same run and trial."""
    run = choice(tmp_path, "x-FC x y x-FC~2 x~2 z-FC")
    sides = read_sides([run], Rules.OFFICIAL)[1]
    pairs = [[side.label for side in pair] for pair in mode_groups(sides)]
    assert pairs == [["x-FC", "x"], ["x-FC~2", "x~2"]]
    with pytest.raises(ConfigError, match="no model with both modes"):
        mode_groups([side for side in sides if side.model in ("y", "z-FC")])
