"""Which sides are compared with which."""

from __future__ import annotations

from pathlib import Path

import pytest

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.compare.sides import (
    Choice,
    Groups,
    Side,
    alone,
    default_groups,
    mode_groups,
    named_groups,
    read_sides,
)
from tests.support.synthetic_run import MadeUpModel, marks, write_run


def written(folder: Path, *models: str) -> Path:
    """A run of models on one category."""
    return write_run(folder, [MadeUpModel(name, {"multiple": marks(1)}) for name in models])


def sides_of(*choices: Choice) -> list[Side]:
    return read_sides(choices, Rules.OFFICIAL)[1]


def labels(groups: Groups) -> list[list[str]]:
    return [[side.label for side in group] for group in groups]


def test_whole_runs_are_compared_model_by_model(tmp_path: Path) -> None:
    """Models of one name are a group, in the order of runs; a model of one run only is in none."""
    one, two, three = (
        Choice(Run(written(tmp_path / name, *models)))
        for name, models in {"one": "ab", "two": "abc", "three": "b"}.items()
    )
    sides = sides_of(one, two, three)
    groups = default_groups([one, two, three], sides)
    assert labels(groups) == [["one:a", "two:a"], ["one:b", "two:b", "three:b"]]
    assert alone(groups, sides) == ["c"]


def test_runs_without_a_common_model_are_one_group(tmp_path: Path) -> None:
    """Two runs of one model each are compared whatever the models are called."""
    choices = [Choice(Run(written(tmp_path / name, name))) for name in "ab"]
    assert labels(default_groups(choices, sides_of(*choices))) == [["a", "b"]]


def test_named_models_are_one_group(tmp_path: Path) -> None:
    """As soon as one side is a model, the others are compared with the first."""
    one, two = (written(tmp_path / name, "a", "b") for name in ("one", "two"))
    choices = [Choice(Run(one), "a"), Choice(Run(two))]
    assert labels(default_groups(choices, sides_of(*choices))) == [["one:a", "two:a", "b"]]


def test_modes_are_pairs_of_names(tmp_path: Path) -> None:
    """X-FC is paired with X of the same run and trial."""
    run = written(tmp_path / "r", "x-FC", "x", "y", "x-FC~2", "x~2", "z-FC")
    assert labels(mode_groups(sides_of(Choice(Run(run))))) == [["x-FC", "x"], ["x-FC~2", "x~2"]]
    with pytest.raises(ConfigError, match="no model with both modes"):
        mode_groups(sides_of(Choice(Run(run), "y"), Choice(Run(run), "z-FC")))


def test_named_groups_have_known_models(tmp_path: Path) -> None:
    """Each group has its models in the order given; an unknown one is named."""
    sides = sides_of(Choice(Run(written(tmp_path / "r", "a", "b", "c"))))
    assert labels(named_groups([["c", "a"], ["b", "c"]], sides)) == [["c", "a"], ["b", "c"]]
    with pytest.raises(ConfigError, match="unknown model 'd'"):
        named_groups([["a", "d"]], sides)
