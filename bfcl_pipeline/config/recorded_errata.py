"""The user's own errata of a finished run: copies beside its recorded config."""

from pathlib import Path

from bfcl_pipeline.config.plain_yaml import recorded_keys
from bfcl_pipeline.config.run_config import ERRATA_FOLDER
from bfcl_pipeline.errors import ConfigError


def run_errata(run_dir: Path) -> list[Path]:
    """The files of a run, as copied to its directory. Raises ConfigError if its config cannot be read."""
    names = recorded_keys(run_dir).get("errata") or []
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ConfigError(f"{run_dir}/config.yaml: errata: expected a list of files.")
    return [run_dir / ERRATA_FOLDER / Path(name).name for name in names]
