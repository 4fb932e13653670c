"""What a run was asked to do, as files beside its results: so that they can be derived again anywhere.

The config has every key, also those that were left out, and the rows are those of the run's models. Both
are read back as any config. Paths of this machine are left out: what came from there is known by its hash.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

import yaml

from bfcl_pipeline.config.kinds import KINDS
from bfcl_pipeline.config.model_rows import ModelRow
from bfcl_pipeline.records import Json

_NOT_RECORDED = ("replay",)
"""Keys that say how results come about, not what they are."""

_SOURCES = ("release", "encoder")
"""What may be given as a path."""

_NOT_OF_EMBEDDED = ("model", "endpoint", "key", "options", "limits")


def recorded_config(config: Mapping[str, Any]) -> str:
    """A config, complete and checked, as YAML."""
    kept = {key: value for key, value in config.items() if key not in _NOT_RECORDED}
    for key in _SOURCES:
        kept[key] = {**kept[key], "source": None}
    return _yaml(kept)


def recorded_models(rows: Iterable[ModelRow]) -> str:
    """Rows as a models file that says the same of them, whatever the defaults of kinds become."""
    return _yaml({"models": [_document(row) for row in rows]})


def _document(row: ModelRow) -> dict[str, Json]:
    values = {**asdict(row), "mode": row.mode.value}
    values["limits"] = _said(values["limits"])
    if row.kind == "vllm":
        values["vllm"] = _said({**values["vllm"], "args": list(row.vllm.args)})
    else:
        del values["backend"], values["vllm"]
    for key in _NOT_OF_EMBEDDED if KINDS[row.kind].embedded else ():
        del values[key]
    return {key: value for key, value in values.items() if value not in (None, "", {})}


def _said(values: Mapping[str, Json]) -> dict[str, Json]:
    return {key: value for key, value in values.items() if value is not None}


def _yaml(document: Json) -> str:
    text: str = yaml.safe_dump(document, allow_unicode=True, width=100)
    return text
