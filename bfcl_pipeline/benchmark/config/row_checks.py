"""Checks of a model row that its schema cannot make: keys that contradict its kind, or each other."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.config.check import check_config
from bfcl_pipeline.benchmark.config.choices import keys_of_others, kinds_with
from bfcl_pipeline.benchmark.records import Json, Mode

if TYPE_CHECKING:
    from bfcl_pipeline.benchmark.config.model_rows import ModelRow

_LOCAL_OPTIONS: Mapping[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "max_tokens": {"type": "integer", "minimum": 1},
        "skip_special_tokens": {"type": "boolean"},
        "stop_token_ids": {"type": "array", "items": {"type": "integer", "minimum": 0}},
    },
}
"""The options of kind transformers: no server would refuse others."""


def check_row(where: str, row: ModelRow, values: Mapping[str, Json]) -> None:
    """Raises ConfigError for values that contradict the kind or each other.

    Args:
        where: the file and the number of the row, for messages.
        row: the row, with its defaults.
        values: those that the file gives, which fit the schema.
    """
    for key in keys_of_others(row.kind):
        if key in values:
            raise ConfigError(
                f"{where}: {key} is only for kind {', '.join(kinds_with(key))}; {row.name!r} is of kind "
                f"{row.kind}: remove {key}."
            )
    vllm = row.kind == "vllm"
    for wrong, what in (
        (
            row.recorded and row.path is None,
            "kind results needs `path`: a result folder of the official tool, a table of responses "
            "(Parquet), the directory of a run, or an archive (.crate.zip).",
        ),
        (
            row.kind == "litellm" and "/" not in row.model,
            f"kind litellm needs `model` with a provider, for example bedrock/{row.model}.",
        ),
        (
            vllm and row.backend == "endpoint" and row.endpoint is None,
            "backend endpoint needs `endpoint`, for example http://localhost:8000/v1.",
        ),
        (
            vllm and row.backend == "vllm" and row.endpoint is not None,
            f"{row.name!r} has an endpoint; set `backend: endpoint` to use it.",
        ),
        (
            row.served and row.family is None and row.mode is Mode.FC and row.vllm.tool_parser is None,
            "mode fc needs `family`, whose prompts are sent (docs/families.md lists families), or `vllm: "
            "{tool_parser: ...}`, the name of vLLM's parser for the model's calls, for example hermes. See "
            "https://docs.vllm.ai/en/latest/features/tool_calling/",
        ),
        (
            not _is_json(row.options),
            "options: only texts, finite numbers, true, false, null, lists and mappings of texts can be "
            "sent. Quote dates and keys that are numbers.",
        ),
    ):
        if wrong:
            raise ConfigError(f"{where}: {what}")
    if row.kind == "transformers":
        check_config(row.options, _LOCAL_OPTIONS, f"{where}: options")
    for name in row.resources:
        if name in ("gpu", "server"):
            raise ConfigError(f"{where}: resources.{name} follows from `vllm: {{gpus: ...}}`; remove it.")
        if not isinstance(name, str) or not name.isidentifier():
            raise ConfigError(
                f"{where}: resources: {name!r} is not a resource of Snakemake, for example mem_mb."
            )


def _is_json(options: Mapping[str, Json]) -> bool:
    """Whether options have nothing that YAML has and JSON has not: dates, infinity, numbers as keys."""
    try:
        return bool(json.loads(json.dumps(options, allow_nan=False)) == options)
    except (TypeError, ValueError, RecursionError):
        return False
