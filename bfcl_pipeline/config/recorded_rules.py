"""The rule set of a finished run, from its recorded config."""

from pathlib import Path

from bfcl_pipeline.config.plain_yaml import recorded_keys, recorded_member
from bfcl_pipeline.records import Rules


def recorded_rules(run_dir: Path) -> Rules:
    """The rule set of the run's tables; official where none is recorded.

    Raises ConfigError if the config cannot be read or names another rule set.
    """
    return recorded_member(run_dir, recorded_keys(run_dir).get("rules"), Rules.OFFICIAL, "rule set")
