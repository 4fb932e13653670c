"""Single values of config/config.yaml, for commands that are not part of a run."""

from typing import Any

import yaml

from bfcl_pipeline.config.models_files import CONFIG_FILE
from bfcl_pipeline.errors import ConfigError
from bfcl_pipeline.project import project_file


def configured_values() -> dict[str, Any]:
    """The values of config/config.yaml in the working folder, else of the shipped one, unchecked.

    Raises ConfigError if the file cannot be read.
    """
    file = project_file(CONFIG_FILE)
    try:
        document = yaml.safe_load(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError(f"{file}: not readable as YAML ({error}).") from error
    return document if isinstance(document, dict) else {}
