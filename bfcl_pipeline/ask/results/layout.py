"""The layout of the official tool's result folders, and the models that it supports.

Covers the path of the results of a category, `<model>/<group>/.../BFCL_v4_<category>_result.json` with `_`
for each `/` in a model's name, and the memory snapshots of sessions beside them. `results.result_files`
finds such folders, `official.export_results` writes them.
"""

import json
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.config import model_folder
from bfcl_pipeline.benchmark.definition import CATEGORIES, Check
from bfcl_pipeline.benchmark.records import Json

SESSIONS = "_prereq"
"""The suffix of the category in results of memory sessions, which are never scored."""


def result_path(category: str, sessions: bool = False) -> PurePosixPath:
    """The file with the results of `category`, or of its memory sessions, in the folder of a model."""
    return _folder(category) / f"BFCL_v4_{category}{SESSIONS if sessions else ''}_result.json"


def snapshot_path(category: str, entry_id: str) -> PurePosixPath:
    """The file with the memory after the session `entry_id`, in the folder of a model."""
    return _folder(category) / "memory_snapshot" / "prereq_checkpoints" / f"{entry_id}.json"


def final_snapshot_path(category: str, scenario: str) -> PurePosixPath:
    """The file with the memory after the last session of `scenario`, with which the questions start."""
    return _folder(category) / "memory_snapshot" / f"{scenario}_final.json"


def _folder(category: str) -> PurePosixPath:
    group = PurePosixPath(CATEGORIES[category].group)
    if CATEGORIES[category].check is Check.MEMORY:
        return group / "memory" / category.removeprefix("memory_")
    return group


def official_models(data: Path) -> dict[str, Mapping[str, Json]]:
    """The rows of models.json in the staged data, by the folder of each model. Raises ConfigError."""
    path = data / "release" / "models.json"
    try:
        models = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"{path}: cannot be read ({error}). Stage the release first, or name its folder with --data."
        ) from error
    return {model_folder(model["name"]): model for model in models}
