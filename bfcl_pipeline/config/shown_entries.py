"""Whose conversations the page of a run has: the key `report.entries` of the config."""

from enum import StrEnum
from pathlib import Path

import yaml

from bfcl_pipeline.config.recorded_sample import recorded_text
from bfcl_pipeline.errors import ConfigError
from bfcl_pipeline.text import unknown_name


class ShownEntries(StrEnum):
    """The conversations of the page; the list of entries with their verdicts is always complete."""

    WRONG = "wrong"  # those that a model has not right under every rule set, and those without a verdict
    ALL = "all"
    NONE = "none"


def recorded_choice(run_dir: Path) -> ShownEntries:
    """The choice in the recorded config of a run; the default where it recorded none.

    Raises ConfigError if the config cannot be read or has another value.
    """
    path = run_dir / "config.yaml"
    try:
        document = yaml.safe_load(recorded_text(run_dir))
    except (yaml.YAMLError, RecursionError) as error:
        raise ConfigError(f"{path}: not YAML ({error}). Run the evaluation again.") from error
    report = document.get("report") if isinstance(document, dict) else None
    name = report.get("entries") if isinstance(report, dict) else None
    if name is None:
        return ShownEntries.WRONG
    if name not in [*ShownEntries]:
        raise ConfigError(f"{path}: {unknown_name('value of report.entries', name, ShownEntries)}")
    return ShownEntries(name)
