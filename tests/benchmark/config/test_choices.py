"""Choices of a config: the names of trials, and the key `compare`."""

from __future__ import annotations

from typing import Any

import pytest

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.config.choices import Trial, comparison_groups, trial_name, trial_of

MODELS = ("a-FC", "a", "b", "b~2")


@pytest.mark.parametrize(
    ("given", "groups"),
    [
        (None, ()),
        (["a", "b", "b~2"], (("a", "b", "b~2"),)),
        ([["a-FC", "a"], ["b", "b~2"]], (("a-FC", "a"), ("b", "b~2"))),
    ],
)
def test_a_list_is_a_group_and_a_list_of_lists_are_several(given: Any, groups: object) -> None:
    """Names are those of tables, with later trials; the order is kept."""
    assert comparison_groups(given, MODELS) == groups


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["a", "c"], r"compare: unknown model of this run 'c'.*Known: a-FC, a, b, b~2"),
        (["a"], "compare: expected two or more different models, got a"),
        ([["a", "a"]], "compare: expected two or more different models, got a, a"),
        (["a", ["a", "b"]], "compare: expected a list of models, or a list of such lists"),
    ],
)
def test_what_cannot_be_compared_is_refused(given: Any, message: str) -> None:
    """The error names the key and what would be right."""
    with pytest.raises(ConfigError, match=message):
        comparison_groups(given, MODELS)


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
