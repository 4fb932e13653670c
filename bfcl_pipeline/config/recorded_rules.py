"""The rule set of a finished run, from its recorded config."""

from pathlib import Path

from bfcl_pipeline.config.plain_yaml import recorded_keys
from bfcl_pipeline.errors import ConfigError
from bfcl_pipeline.records import Rules
from bfcl_pipeline.text import unknown_name


def recorded_rules(run_dir: Path) -> Rules:
    """The rule set of the run's tables; official where none is recorded.

    Raises ConfigError if the config cannot be read or names another rule set.
    """
    name = recorded_keys(run_dir).get("rules")
    if name is None:
        return Rules.OFFICIAL
    if name not in [*Rules]:
        raise ConfigError(f"{run_dir}/config.yaml: {unknown_name('rule set', str(name), map(str, Rules))}")
    return Rules(name)
