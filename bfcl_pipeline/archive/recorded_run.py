"""A run as it recorded itself: its config and its models, read from its folder and checked.

The folder may come from anybody, so the files are read within bounds, and only what the config's schema and
the rows of models know is taken from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from bfcl_pipeline.archive.bounds import MAX_CONFIG_BYTES, MAX_MEMBERS
from bfcl_pipeline.config import (
    EMBEDDED_KINDS,
    ModelRow,
    RunConfig,
    check_config,
    load_models,
    load_run,
)
from bfcl_pipeline.errors import ArchiveError, ConfigError

_DEEPEST = 30  # levels of a config


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """What a run was asked to do."""

    folder: Path  # results/<run>
    config: Mapping[str, Any]  # complete and checked
    rows: Mapping[str, ModelRow]  # of its models, by name
    run: RunConfig

    def row(self, folder: str) -> ModelRow:
        """The row of the model, or of the trial of a model, with this file name."""
        return self.rows[self.run.model_of(folder)]

    def remote(self) -> list[str]:
        """The file names of its models behind a wire."""
        return [folder for folder in self.run.folders if self.row(folder).kind not in EMBEDDED_KINDS]

    def trial(self, folder: str) -> int:
        """Which repetition of the benchmark the model with this file name is."""
        return self.run.jobs_of(folder)[0].trial


def read_run(folder: Path, schema: Path) -> RecordedRun:
    """The run in `folder`. `schema` is that of configs.

    Raises ArchiveError if the folder does not say what was asked, ConfigError if what it says is wrong.
    """
    config_file, models_file = folder / "config.yaml", folder / "models.yaml"
    for file in (config_file, models_file):
        if not file.is_file():
            raise ArchiveError(
                f"{file}: no such file; the run does not say what it was asked to do. Complete it with "
                "`snakemake`, which writes it, then archive it."
            )
    config, _ = _read_yaml(config_file), _read_yaml(models_file)
    if not isinstance(config, dict):
        raise ConfigError(f"{config_file}: expected a mapping of keys, got {type(config).__name__}.")
    known = yaml.safe_load(schema.read_text(encoding="utf-8"))
    try:
        check_config(config, known)
    except ConfigError as error:
        raise ConfigError(f"{config_file}: {error}") from error
    config = _completed(config, known)
    if config["trials"] * len(config["models"]) > MAX_MEMBERS:
        raise ConfigError(f"{config_file}: more models and trials than an archive has room for.")
    rows = load_models(models_file)
    embedded = {name for name, row in rows.items() if row.kind in EMBEDDED_KINDS}
    run = load_run(config, {name: row.mode for name, row in rows.items()}, embedded)
    if run.name != folder.name:
        raise ConfigError(f"{config_file}: it is of the run {run.name!r}, not of {folder.name!r}.")
    return RecordedRun(folder, config, rows, run)


def _completed(config: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """`config` with the defaults of keys that it lacks, as one that an earlier version recorded may."""
    found = {key: config.get(key, known.get("default")) for key, known in schema["properties"].items()}
    nested = {key: known for key, known in schema["properties"].items() if "properties" in known}
    return {**found, **{key: _completed(found[key], known) for key, known in nested.items()}}


def _read_yaml(file: Path) -> Any:
    """A document of plain values. Raises ConfigError, also for what a small file can make large."""
    if file.stat().st_size > MAX_CONFIG_BYTES:
        raise ConfigError(f"{file}: more than {MAX_CONFIG_BYTES:,} bytes.")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    depth = 0
    try:
        text = file.read_text(encoding="utf-8")
        for event in yaml.parse(text, loader):
            if isinstance(event, yaml.AliasEvent):
                raise ConfigError(f"{file}: a YAML alias, which no record of a run has.")
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > _DEEPEST:
                raise ConfigError(f"{file}: nested more than {_DEEPEST} levels deep.")
        document = yaml.load(text, loader)  # noqa: S506  # both are safe
    except (yaml.YAMLError, ValueError) as error:  # ValueError: a date that is none, a number too long
        raise ConfigError(f"{file}: not readable as YAML ({error}).") from error
    if not _is_plain(document):
        raise ConfigError(f"{file}: a value that is no text, number, list or mapping of texts.")
    return document


def _is_plain(value: object) -> bool:
    """Whether JSON could say it; dates, sets and the like it could not."""
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_plain(held) for key, held in value.items())
    if isinstance(value, list):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, str | int | float)
