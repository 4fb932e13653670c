"""The columns are documented where a reader looks for them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bfcl_pipeline.benchmark.tables import schemas

README = Path(__file__).resolve().parents[3] / "data" / "README.md"


def test_the_data_readme_has_the_columns_of_entries():
    """data/README.md lists exactly the columns of the entries, in order."""
    rows = re.findall(r"^\| `([a-z_]+)` \|", README.read_text(encoding="utf-8"), re.MULTILINE)
    assert rows == schemas.ENTRIES.names


@pytest.mark.parametrize("name", ["ENTRIES", "RESPONSES", "VERDICTS"])
def test_every_column_has_a_description(name):
    """Each column has a one-line description, which is stored in the file."""
    for field in getattr(schemas, name):
        assert field.metadata[b"description"].strip()
