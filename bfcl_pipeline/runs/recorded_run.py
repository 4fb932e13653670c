"""The config and the model rows that a run recorded in its directory, read and checked.

The directory may come from an untrusted archive: file sizes and nesting are limited, and only keys that the
schema of configs and the model rows define are accepted.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bfcl_pipeline.base.errors import ArchiveError, ConfigError
from bfcl_pipeline.base.yaml_reader import read_yaml_file
from bfcl_pipeline.benchmark.config import (
    NOT_RECORDED,
    ModelRow,
    RunConfig,
    check_config,
    load_models,
    load_run,
)
from bfcl_pipeline.benchmark.config.journal_choice import JournalChoice
from bfcl_pipeline.benchmark.config.run_form import check_run_form
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.runs.archived.members import MAX_MEMBERS
from bfcl_pipeline.runs.provenance import template_note
from bfcl_pipeline.runs.run import Run


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """A run directory with its config and models."""

    folder: Path  # results/<run>
    config: Mapping[str, Any]  # complete and checked
    rows: Mapping[str, ModelRow]  # of its models, by name
    run: RunConfig

    @property
    def categories(self) -> list[str]:
        """The categories of the run, sorted."""
        return sorted(self.run.categories)

    @property
    def needs_encoder(self) -> bool:
        """Whether a category of the run needs the sentence encoder."""
        asked = {name for job in self.run.jobs if not job.recorded for name in job.categories}
        return any(CATEGORIES[category].needs_encoder for category in asked)

    @property
    def needs_family_texts(self) -> bool:
        """Whether a model of the run is sent prompts, which have long texts of the release."""
        return any(job.row.family is not None for job in self.run.jobs)

    @property
    def journals_member(self) -> str:
        """The directory of its journals in an archive."""
        return str(JournalChoice(self.config["journal"]).member(self.run.name))

    def journals(self, cache: Path) -> Path:
        """The directory of its journals. cache: has the shared ones in exchanges/."""
        return Run(self.folder).journals(cache)

    def row(self, folder: str) -> ModelRow:
        """The row of the model, or of the trial of a model, with this directory name."""
        return self.run.jobs_of(folder)[0].row

    def remote(self) -> list[str]:
        """The directory names of its models behind an API."""
        return [folder for folder in self.run.folders if self.run.jobs_of(folder)[0].remote]

    def given(self) -> list[str]:
        """The directory names of its models of kind `results`, whose answers are in no journal."""
        return [folder for folder in self.run.folders if self.row(folder).recorded]

    def missing_templates(self) -> list[str]:
        """The models whose prompts cannot be derived: the template of their tokenizer is not there."""
        rows = {folder: self.row(folder) for folder in self.remote()}
        return [
            row.model
            for folder, row in rows.items()
            if row.own_template and not template_note(self.folder, folder).is_file()
        ]

    def trial(self, folder: str) -> int:
        """The trial number of the model with this directory name, from 1."""
        return self.run.jobs_of(folder)[0].trial


def read_recorded_run(folder: Path, schema: Path, name: str | None = None) -> RecordedRun:
    """Reads config.yaml and models.yaml of a run.

    Args:
        folder: the directory of the run.
        schema: the JSON Schema of configs.
        name: the name that the config must have; None: any.

    Raises:
        ArchiveError: one of the two files is missing, or the run was imported.
        ConfigError: one of them is malformed, or contradicts the other or `name`.
    """
    config_file, models_file = folder / "config.yaml", folder / "models.yaml"
    for file in (config_file, models_file):
        if not file.is_file():
            raise ArchiveError(
                f"{file}: no such file; the run did not record its config and models. Name the directory "
                "of a run (results/<run>), or run `snakemake` again, which writes the file."
            )
    config, _ = read_yaml_file(config_file), read_yaml_file(models_file)
    if not isinstance(config, dict):
        raise ConfigError(f"{config_file}: expected a mapping of keys, got {type(config).__name__}.")
    check_run_form(config, folder)
    if "imported" in config:
        raise ArchiveError(
            f"{folder}: this run was imported ({config['imported']!s:.80}). It has no journals, "
            "so it cannot be replayed, archived or verified; publish the imported files instead."
        )
    properties = read_yaml_file(schema)
    config = {key: properties["properties"][key]["default"] for key in NOT_RECORDED} | config
    check_config(config, _all_required(properties), str(config_file))
    if config["trials"] * len(config["models"]) > MAX_MEMBERS:
        raise ConfigError(f"{config_file}: more models and trials than an archive can contain.")
    rows = load_models(models_file)
    run = load_run(config, rows)
    if name is not None and run.name != name:
        raise ConfigError(f"{config_file}: it is the config of the run {run.name!r}, not of {name!r}.")
    return RecordedRun(folder, config, rows, run)


def _all_required(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of configs that have every key, as runs record them."""
    properties = {
        key: _all_required(of_key) if of_key["type"] == "object" else of_key
        for key, of_key in schema["properties"].items()
    }
    return {**schema, "properties": properties, "required": list(properties)}
