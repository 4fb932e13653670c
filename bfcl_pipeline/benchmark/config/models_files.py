"""Which files have the rows of the models: those that a command or config names, else the usual ones.

Covers reading config/config.yaml, unchecked, for commands that need single values, outside of a run.
"""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from bfcl_pipeline.base.errors import ConfigError
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


MODELS_FILE = Path("config/models.yaml")
"""The shipped rows."""

MY_MODELS_FILE = Path("config/my_models.yaml")
"""The user's own rows, ignored by git; `bfcl-pipeline models add` writes them."""


MODELS_VARIABLE = "BFCL_MODELS_FILE"
"""Environment variable with models files, separated by colons; the workflow sets it for its steps."""


def models_files(named: str | Path | Iterable[str | Path] | None = None) -> tuple[Path, ...]:
    """The models files to read, in the order in which their rows replace each other.

    Args:
        named: one file or several; None: those of BFCL_MODELS_FILE, else of `models_file` in
            config/config.yaml; if there are none, config/models.yaml and, if it exists,
            config/my_models.yaml.

    Raises:
        ConfigError: config/config.yaml cannot be read.
    """
    if isinstance(named, str | Path):
        return (Path(named),)
    if named is None:
        variable = os.environ.get(MODELS_VARIABLE)
        named = variable.split(":") if variable else _configured()
        return models_files(named or ())
    files = tuple(map(Path, named))
    return files or (MODELS_FILE, *([MY_MODELS_FILE] if MY_MODELS_FILE.is_file() else []))


def _configured() -> str | list[str] | None:
    """The value of `models_file` in the config file; None without either."""
    named = config_values().get("models_file")
    if isinstance(named, list) and all(isinstance(name, str) for name in named):
        return named
    if named is None or isinstance(named, str):
        return named
    raise ConfigError(f"{CONFIG_FILE}: models_file: expected a path, a list of paths, or null.")
