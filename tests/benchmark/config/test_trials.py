"""The names of the trials of a model."""

from __future__ import annotations

import pytest

from bfcl_pipeline.benchmark.config import trial_name, trial_of
from bfcl_pipeline.benchmark.config.choices import Trial


@pytest.mark.parametrize(
    ("model", "number", "name"),
    [("org/a-FC", 1, "org/a-FC"), ("org/a-FC", 2, "org/a-FC~2"), ("a", 10, "a~10"), ("a~b", 3, "a~b~3")],
)
def test_a_name_has_model_and_trial(model: str, number: int, name: str) -> None:
    """The first trial has the model's own name; every name can be read back."""
    assert trial_name(model, number) == name
    assert trial_of(name) == Trial(model, number)


@pytest.mark.parametrize("name", ["a", "a~", "a~1", "a~0", "a~02", "a~x", "~2"])
def test_a_name_with_another_ending_is_a_first_trial(name: str) -> None:
    """Only numbers from 2 on, without leading zeros, are trial numbers."""
    assert trial_of(name) == Trial(name, 1)
