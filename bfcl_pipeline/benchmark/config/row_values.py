"""Checks of values of a model row that any kind may have: what its requests add, what its jobs need."""

import json
from collections.abc import Mapping

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import unknown_name
from bfcl_pipeline.benchmark.records import Json

_OWN_RESOURCES = ("gpu", "server")


def check_options(where: str, options: Mapping[str, Json]) -> None:
    """Raises ConfigError for what YAML has and JSON has not: dates, infinity, keys that are not texts."""
    try:
        same = json.loads(json.dumps(options, allow_nan=False)) == options
    except (TypeError, ValueError, RecursionError):
        same = False
    if not same:
        raise ConfigError(
            f"{where}: options: only texts, finite numbers, true, false, null, lists and mappings of texts "
            "can be sent. Quote dates and keys that are numbers."
        )


_LOCAL_OPTIONS = {"max_tokens": int, "skip_special_tokens": bool, "stop_token_ids": list}
"""Options of kind transformers, and the types of their values."""


def check_local(where: str, values: Mapping[str, Json]) -> None:
    """Raises ConfigError for what kind transformers does not know: no server would refuse it."""
    for key in ("endpoint", "key"):
        if key in values:
            raise ConfigError(f"{where}: kind transformers runs in this process: remove {key}.")
    options: Mapping[str, Json] = values.get("options", {})
    for name, value in options.items():
        if name not in _LOCAL_OPTIONS:
            raise ConfigError(f"{where}: options: {unknown_name('option', name, _LOCAL_OPTIONS)}")
        numbers = value if isinstance(value, list) else [value]
        fits = type(value) is _LOCAL_OPTIONS[name] and (
            name == "skip_special_tokens" or all(type(one) is int and one >= 0 for one in numbers)
        )
        if not fits or (name == "max_tokens" and value == 0):
            raise ConfigError(
                f"{where}: options: max_tokens is a number from 1, skip_special_tokens true or false, "
                f"stop_token_ids a list of numbers; got {name}: {value!r}."
            )


def check_resources(where: str, resources: Mapping[str, int | str]) -> None:
    for name in resources:
        if name in _OWN_RESOURCES:
            raise ConfigError(f"{where}: resources.{name} follows from `vllm: {{gpus: ...}}`; remove it.")
        if not isinstance(name, str) or not name.isidentifier():
            raise ConfigError(
                f"{where}: resources: {name!r} is not a resource of Snakemake, for example mem_mb."
            )
