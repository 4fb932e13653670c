"""The rows of config/models.yaml, read and checked.

Covers what a row may say; what a kind does with it is the kind's module.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any

import yaml

from bfcl_pipeline.benchmark import unknown_name
from bfcl_pipeline.errors import ConfigError
from bfcl_pipeline.records import Mode


@dataclass(frozen=True, slots=True)
class ModelRow:
    """One model as config/models.yaml describes it."""

    name: str  # what config, tables and report call it; `-FC` ends those of function-calling mode
    kind: str  # who answers: a key of models.MODEL_KINDS
    mode: Mode  # how it is given the functions
    display_name: str  # how the leaderboard's tables show it
    org: str  # whose model it is
    license: str  # its license
    url: str  # where to read about it
    description: str = ""  # one line on what it is
    input_price: float | None = None  # US dollars for a million tokens sent
    output_price: float | None = None  # US dollars for a million tokens received


EMBEDDED_KINDS = frozenset({"oracle", "lexical"})
"""Kinds of the models that ship with the pipeline; the report marks them."""

UNKNOWN = "Unknown"
"""What stands for a maker or license that nobody told."""

_COLUMNS = tuple(field.name for field in fields(ModelRow))
_REQUIRED = tuple(field.name for field in fields(ModelRow) if field.default is MISSING)
_PRICES = ("input_price", "output_price")


def load_models(path: Path) -> dict[str, ModelRow]:
    """The rows of `path` by name, in file order. Raises ConfigError if the file or a row is wrong."""
    try:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ConfigError(f"{path}: no such file. Give the models file with --models.") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not readable as YAML ({error}).") from error
    if (
        not isinstance(document, dict)
        or list(document) != ["models"]
        or not isinstance(document["models"], list)
    ):
        raise ConfigError(f"{path}: expected one key, `models`, with a list of rows.")
    rows: dict[str, ModelRow] = {}
    for number, values in enumerate(document["models"], start=1):
        row = _row(f"{path}: model {number}", values)
        if row.name in rows:
            raise ConfigError(f"{path}: model {number}: the name {row.name!r} is taken by an earlier row.")
        rows[row.name] = row
    return rows


def model_row(rows: Mapping[str, ModelRow], name: str) -> ModelRow:
    """The row called `name`. Raises ConfigError, listing the right names, if there is none."""
    if name not in rows:
        raise ConfigError(unknown_name("model", name, rows))
    return rows[name]


def described(rows: Mapping[str, ModelRow], name: str) -> ModelRow:
    """The row called `name`; for results brought from elsewhere, one that has only the name."""
    if name in rows:
        return rows[name]
    return ModelRow(
        name=name,
        kind="",
        mode=Mode.FC if name.endswith("-FC") else Mode.PROMPT,
        display_name=name,
        org=UNKNOWN,
        license=UNKNOWN,
        url="",
    )


def model_folder(name: str) -> str:
    """A model's name as the name of its folder and files in a run."""
    return name.replace("/", "_")


def _row(where: str, values: Any) -> ModelRow:
    if not isinstance(values, dict):
        raise ConfigError(f"{where}: expected a mapping of {', '.join(_COLUMNS)}; got {values!r}.")
    for key in values:
        if key not in _COLUMNS:
            raise ConfigError(f"{where}: {unknown_name('key', key, _COLUMNS)}")
    for key in _REQUIRED:
        if key not in values:
            raise ConfigError(f"{where}: the key {key!r} is missing. Required: {', '.join(_REQUIRED)}.")
    for key, value in values.items():
        _check(where, key, value)
    if values["mode"] not in list(Mode):
        raise ConfigError(f"{where}: {unknown_name('mode', values['mode'], Mode)}")
    row = ModelRow(**{**values, "mode": Mode(values["mode"])})
    if row.name.endswith("-FC") != (row.mode is Mode.FC):
        raise ConfigError(
            f"{where}: {row.name!r} has mode {row.mode}; exactly the names of mode fc end in -FC."
        )
    return row


def _check(where: str, key: str, value: Any) -> None:
    if key in _PRICES:
        if value is not None and (
            isinstance(value, bool) or not isinstance(value, (int, float)) or value < 0
        ):
            raise ConfigError(f"{where}: {key} must be a number of US dollars, 0 or more; got {value!r}.")
    elif not isinstance(value, str) or not value.strip():
        raise ConfigError(f"{where}: {key} must be a text; got {value!r}.")
