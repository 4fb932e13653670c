"""The differences between official and corrected rules, as documented in docs/rules.md."""

import importlib
import re
from pathlib import Path

import pytest

import bfcl_pipeline

PAGE = Path(__file__).parents[3] / "docs" / "rules.md"
SECTION = PAGE.read_text(encoding="utf-8").partition("\n## Differences")[2].partition("\n## ")[0]
DECIDED_IN = dict(re.findall(r"^\| `([\w-]+)` \| .+ \| .+ \| `([\w.]+:\w+)` \|$", SECTION, re.MULTILINE))


def test_every_row_of_the_page_is_read():
    """The table has one row for each difference, with the function that decides it."""
    assert len(DECIDED_IN) == sum(line.startswith("| `") for line in SECTION.splitlines()) > 0


@pytest.mark.parametrize("name", DECIDED_IN)
def test_every_difference_is_one_documented_function(name):
    """A difference names an existing function whose docstring names it."""
    module, _, function = DECIDED_IN[name].partition(":")
    assert f"`{name}`" in getattr(importlib.import_module(module), function).__doc__


def test_every_rule_in_the_code_is_on_the_page():
    """A docstring that begins with the name of a rule has its row."""
    found: set[str] = set()
    for path in Path(bfcl_pipeline.__file__).parent.rglob("*.py"):
        found.update(re.findall(r"Rule `([\w-]+)`", path.read_text(encoding="utf-8")))
    assert found == set(DECIDED_IN)
