"""What the report says of a model: names, maker, license, prices, from the models file.

Covers the descriptive columns only. What is needed to ask a model is read by `bfcl_pipeline.models`;
here a model without a row, as with results brought from elsewhere, is described by its name alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from bfcl_pipeline.errors import ConfigError

EMBEDDED_KINDS = frozenset({"oracle", "lexical"})
"""Kinds of the models that ship with the pipeline; the report marks them."""

UNKNOWN = "Unknown"
"""What stands for a maker or license that nobody told."""


@dataclass(frozen=True, slots=True)
class ModelRow:
    """One model as the report describes it."""

    name: str  # as in responses and verdicts
    display_name: str  # as on the leaderboard
    kind: str | None = None  # what answers: oracle, lexical, a wire format...
    url: str = ""  # where it is described
    org: str = UNKNOWN  # who made it
    license: str = UNKNOWN  # under which license it is released
    input_price: float | None = None  # USD per million tokens sent
    output_price: float | None = None  # USD per million tokens received


def load_model_rows(path: Path) -> dict[str, ModelRow]:
    """The rows of the models file by name. Raises ConfigError if it is not such a file."""
    try:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ConfigError(f"{path}: no such models file. Name one with --models.") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not readable as YAML ({error}).") from error
    rows = document.get("models") if isinstance(document, Mapping) else document
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) and "name" in row for row in rows):
        raise ConfigError(f"{path}: expected a list of models, each with a `name`, under `models:`.")
    return {str(row["name"]): _row(path, row) for row in rows}


def describe(rows: Mapping[str, ModelRow], name: str) -> ModelRow:
    """The row of `name`, or one that has only the name."""
    return rows.get(name) or ModelRow(name, name)


def _row(path: Path, row: Mapping[str, Any]) -> ModelRow:
    name = str(row["name"])
    return ModelRow(
        name=name,
        display_name=str(row.get("display_name") or name),
        kind=None if row.get("kind") is None else str(row["kind"]),
        url=str(row.get("url") or ""),
        org=str(row.get("org") or UNKNOWN),
        license=str(row.get("license") or UNKNOWN),
        input_price=_price(path, name, row.get("input_price")),
        output_price=_price(path, name, row.get("output_price")),
    )


def _price(path: Path, name: str, value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        raise ConfigError(
            f"{path}: model {name!r}: expected a price in US dollars per million tokens, not {value!r}."
        )
    return float(value)
