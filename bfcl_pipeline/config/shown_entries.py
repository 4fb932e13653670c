"""Whose conversations the page of a run has: the key `report.entries` of the config."""

from enum import StrEnum
from pathlib import Path

from bfcl_pipeline.config.plain_yaml import recorded_keys, recorded_member


class ShownEntries(StrEnum):
    """The conversations of the page; the list of entries with their verdicts is always complete."""

    WRONG = "wrong"  # those that a model has not right under every rule set, and those without a verdict
    ALL = "all"
    NONE = "none"


def recorded_choice(run_dir: Path) -> ShownEntries:
    """The choice in the recorded config of a run; the default where it recorded none.

    Raises ConfigError if the config cannot be read or has another value.
    """
    report = recorded_keys(run_dir).get("report")
    name = report.get("entries") if isinstance(report, dict) else None
    return recorded_member(run_dir, name, ShownEntries.WRONG, "value of report.entries")
