"""The file config/config.yaml, unchecked: for commands that need single values, outside of a run."""

from pathlib import Path
from typing import Any

import yaml

from bfcl_pipeline.errors import ConfigError

CONFIG_FILE = Path("config/config.yaml")
"""The config of runs in the working folder; without it, that of the project (`project.project_file`)."""


def config_values(file: Path = CONFIG_FILE) -> dict[str, Any]:
    """The values in a config file by key; none if there is no such file.

    Raises ConfigError if it cannot be read.
    """
    try:
        document = yaml.safe_load(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError(f"{file}: not readable as YAML ({error}).") from error
    return document if isinstance(document, dict) else {}
