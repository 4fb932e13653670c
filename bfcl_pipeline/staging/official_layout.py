"""The layout of the official tool's result folders, and the models that it knows.

Covers where the results of a category lie, `<model>/<group>/.../BFCL_v4_<category>_result.json` with `_`
for each `/` in a model's name, and where the memories between sessions lie beside them. Reading such
folders is `staging.official_results`, writing them `staging.official_export`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from bfcl_pipeline.benchmark import CATEGORIES, Check
from bfcl_pipeline.errors import ConfigError
from bfcl_pipeline.records import Json

RESULT_FILES = "BFCL_v4_*_result.json"
"""What all files of results match."""

RESULT_FILE = re.compile(r"BFCL_v4_(?P<category>\w+)_result\.json")

SESSIONS = "_prereq"
"""Ends the category of results of the sessions played before memory questions; they are never scored."""


def result_path(category: str, sessions: bool = False) -> PurePosixPath:
    """Where a model's folder holds the results of `category`, or of the sessions before its questions."""
    return _folder(category) / f"BFCL_v4_{category}{SESSIONS if sessions else ''}_result.json"


def snapshot_path(category: str, entry_id: str) -> PurePosixPath:
    """Where a model's folder holds the memory after the session `entry_id`."""
    return _folder(category) / "memory_snapshot" / "prereq_checkpoints" / f"{entry_id}.json"


def final_snapshot_path(category: str, scenario: str) -> PurePosixPath:
    """Where it holds the memory after the last session of `scenario`, from which questions start."""
    return _folder(category) / "memory_snapshot" / f"{scenario}_final.json"


def _folder(category: str) -> PurePosixPath:
    group = PurePosixPath(CATEGORIES[category].group)
    if CATEGORIES[category].check is Check.MEMORY:
        return group / "memory" / category.removeprefix("memory_")
    return group


def folder_name(model: str) -> str:
    """The name of a model's folder."""
    return model.replace("/", "_")


def official_models(data: Path) -> dict[str, Mapping[str, Json]]:
    """The models of the staged release by the names of their folders: the rows of models.json.

    Raises ConfigError if no release is staged at `data`.
    """
    path = data / "release" / "models.json"
    try:
        models = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"{path}: cannot be read ({error}). Stage the release first, or name its folder with --data."
        ) from error
    return {folder_name(model["name"]): model for model in models}
