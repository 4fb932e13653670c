"""What the report reads of the models file."""

from __future__ import annotations

from pathlib import Path

import pytest

from bfcl_pipeline.errors import ConfigError
from bfcl_pipeline.report.model_rows import ModelRow, describe, load_model_rows


def test_unknown_columns_are_left_to_others_and_missing_ones_have_defaults(tmp_path: Path) -> None:
    """A row needs a name and nothing else."""
    path = tmp_path / "models.yaml"
    path.write_text("models: [{name: a, tool_parser: x}, {name: b, input_price: 2, output_price: 0.5}]")
    rows = load_model_rows(path)
    assert rows["a"] == ModelRow("a", "a")
    assert (rows["b"].input_price, rows["b"].output_price) == (2.0, 0.5)


def test_a_model_without_a_row_is_described_by_its_name() -> None:
    """Results brought from elsewhere need no row."""
    assert describe({}, "mine") == ModelRow("mine", "mine", None, "", "Unknown", "Unknown")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("models: {a: 1}", "expected a list of models"),
        ("[{kind: oracle}]", "each with a `name`"),
        ("models: [", "not readable as YAML"),
        ("[{name: a, input_price: cheap}]", "price in US dollars.*'cheap'"),
    ],
)
def test_what_is_not_a_models_file_is_refused(tmp_path: Path, text: str, message: str) -> None:
    """The error names the file and what was expected."""
    path = tmp_path / "models.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=f"models.yaml.*{message}"):
        load_model_rows(path)


def test_a_models_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    """A wrong path is an error of the configuration."""
    with pytest.raises(ConfigError, match="no such models file"):
        load_model_rows(tmp_path / "models.yaml")
