"""The key `compare` of the config."""

from __future__ import annotations

from typing import Any

import pytest

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.config.choices import comparison_groups

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
