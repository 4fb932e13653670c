"""The config of the workflow, completed and checked, and the run that it describes.

Covers what every process of Snakemake does when it reads the Snakefile. What concerns the results that are
there, and this machine, is in `main_process`.
"""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import yaml
from snakemake.utils import validate

from bfcl_pipeline.ask.models.weights import identified_rows
from bfcl_pipeline.benchmark.config import (
    MODELS_VARIABLE,
    ModelRow,
    RunConfig,
    check_config,
    load_models,
    load_run,
    models_files,
    plain_values,
)
from bfcl_pipeline.benchmark.config.published_scores import dates_as_text, identify_files

SCHEMA = "workflow/schemas/config.schema.yaml"
"""The schema of the config, relative to the folder of the Snakefile."""


class Workflow(Protocol):
    """What is used of Snakemake's workflow."""

    basedir: str  # the folder of the Snakefile
    executor_plugin: Any  # known after the Snakefile was read; its name is that of the executor
    resource_settings: Any
    deployment_settings: Any

    @property
    def is_main_process(self) -> bool: ...


def print_line(line: str) -> None:
    """Prints a line to standard error, where Snakemake prints as well."""
    print(line, file=sys.stderr)


def complete_config(config: dict[str, Any], schema: Path) -> None:
    """Checks a config and changes it in place: types as in its schema, keys left out at their defaults.

    Raises:
        ConfigError: a key or value is wrong, or a file of published scores.
    """
    properties = yaml.safe_load(schema.read_text(encoding="utf-8"))
    config.update(plain_values(config, properties))
    config["published"] = dates_as_text(config.get("published", []))
    check_config(config, properties)
    validate(config, str(schema))  # fills in the defaults
    if not config["replay"]:  # which has the recorded table, not the files
        config["published"] = identify_files(config["published"])


def configured_run(config: Mapping[str, Any]) -> RunConfig:
    """The run that a complete config describes, of models whose weights are identified.

    The models files are passed to the steps in the environment. Raises ConfigError if a file or a row is
    wrong, or the config contradicts itself.
    """
    # A variable, unlike a parameter, repeats no step if it changes: that is decided by the rows.
    os.environ[MODELS_VARIABLE] = ":".join(map(str, models_files(config["models_file"] or ())))
    return load_run(config, _identified_models(config))


def _identified_models(config: Mapping[str, Any]) -> dict[str, ModelRow]:
    rows = load_models()
    if config["replay"]:  # which has the recorded digests, not the weights
        return rows
    return identified_rows(rows, config["models"], print_line)
