"""The differences between official and corrected rules, as documented."""

import importlib
from pathlib import Path

import pytest

from bfcl_pipeline.judge.scoring.rules import DIFFERENCES

PAGE = Path(__file__).parents[3] / "docs" / "rules.md"


@pytest.mark.parametrize("difference", DIFFERENCES, ids=lambda difference: difference.name)
def test_every_difference_is_one_documented_function(difference):
    """A difference names an existing function whose docstring names it, and the page has the same text."""
    module, _, function = difference.function.partition(":")
    text = getattr(importlib.import_module(module), function).__doc__
    assert f"`{difference.name}`" in text
    row = (
        f"| `{difference.name}` | {difference.official} | {difference.corrected} "
        f"| `{difference.function}` |"
    )
    assert row in PAGE.read_text(encoding="utf-8")


def test_the_page_lists_no_other_difference():
    """The table of differences has one row per difference."""
    section = PAGE.read_text(encoding="utf-8").partition("\n## Differences")[2].partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| `")]
    assert len(rows) == len(DIFFERENCES)
