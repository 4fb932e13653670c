"""Model rows of kind `results` for the models of a result folder of the official tool."""

from collections.abc import Mapping
from pathlib import Path

from bfcl_pipeline.config import ModelRow, model_folder
from bfcl_pipeline.official.import_results import find_results
from bfcl_pipeline.records import Json, Mode

_DESCRIBING = ("display_name", "org", "license", "url", "input_price", "output_price")
"""The keys that are taken over from a known row of the same name."""


def result_rows(folder: Path, known: Mapping[str, ModelRow]) -> list[dict[str, Json]]:
    """One row for each model, in the order of the names of their folders.

    Args:
        folder: the official `result` folder, or the folder of one model in it.
        known: rows by name. A model with one of these names is described as there.

    Raises:
        ConfigError: there are no results, or a category is unknown.
    """
    names = {model_folder(name): name for name in known}
    paths = {
        file.folder: folder if file.folder == folder.resolve().name else folder / file.folder
        for file in find_results(folder)
    }
    return [_values(names.get(own, own), path, known) for own, path in paths.items()]


def _values(name: str, path: Path, known: Mapping[str, ModelRow]) -> dict[str, Json]:
    values: dict[str, Json] = {"name": name, "kind": "results", "path": str(path)}
    if name in known:
        row = known[name]
        if row.mode is Mode.FC and not name.endswith("-FC"):
            values["mode"] = row.mode.value
        described = {key: getattr(row, key) for key in _DESCRIBING}
        values |= {key: value for key, value in described.items() if value not in (None, "", "Unknown")}
    return values
