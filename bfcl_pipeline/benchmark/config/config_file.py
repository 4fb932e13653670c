"""The file config/config.yaml, unchecked: for commands that need single values, outside of a run."""

from pathlib import Path
from typing import Any

from bfcl_pipeline.base.yaml_reader import read_yaml_file

CONFIG_FILE = Path("config/config.yaml")
"""The config of runs in the working folder; without it, that of the project (`project.project_file`)."""


def config_values(file: Path = CONFIG_FILE) -> dict[str, Any]:
    """The values in a config file by key; none if there is no such file.

    Raises ConfigError if it cannot be read.
    """
    try:
        document = read_yaml_file(file, by_hand=True)
    except FileNotFoundError:
        return {}
    return document if isinstance(document, dict) else {}
