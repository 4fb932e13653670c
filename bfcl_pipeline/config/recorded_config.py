"""The recorded config of a finished run, by key."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from bfcl_pipeline.errors import ConfigError


def recorded_keys(run_dir: Path) -> Mapping[str, Any]:
    """The keys of `config.yaml` of a run with their values; none if the run recorded no config.

    The values are not checked: a run of an earlier version may have other keys.

    Raises ConfigError if the file cannot be read as a mapping.
    """
    path = run_dir / "config.yaml"
    try:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        reason = " ".join(str(error).split())
        raise ConfigError(
            f"{path}: not readable as YAML ({reason}). Restore the file, or run the evaluation again."
        ) from error
    if not isinstance(document, dict):
        raise ConfigError(
            f"{path}: expected a mapping of keys, got {type(document).__name__}. Restore the file, or run "
            "the evaluation again."
        )
    return document
