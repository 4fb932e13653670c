"""Model rows of kind `results` for the models of a result folder of the official tool."""

import json
from collections.abc import Mapping
from itertools import islice
from pathlib import Path

from bfcl_pipeline.benchmark import CATEGORIES
from bfcl_pipeline.config import ModelRow, model_folder
from bfcl_pipeline.official.import_results import ResultFile, find_results
from bfcl_pipeline.records import Json, Mode

_DESCRIBING = ("display_name", "org", "license", "url", "input_price", "output_price")
"""The keys that are taken over from a known row of the same name."""

_LINES_READ = 20
"""Lines of each file that are read for the mode."""


def result_rows(folder: Path, known: Mapping[str, ModelRow]) -> list[dict[str, Json]]:
    """One row for each model, in the order of the names of their folders.

    A model that is not known, and whose name does not end in -FC, has the mode fc if it has answers that
    are lists: an answer to a prompt is a text.

    Args:
        folder: the official `result` folder, or the folder of one model in it.
        known: rows by name. A model with one of these names is described as there.

    Raises:
        ConfigError: there are no results, or a category is unknown.
    """
    names = {model_folder(name): name for name in known}
    files: dict[str, list[ResultFile]] = {}
    for file in find_results(folder):
        files.setdefault(file.folder, []).append(file)
    rows = []
    for own, found in files.items():
        path = folder if own == folder.resolve().name else folder / own
        values = _values(names.get(own, own), path, known)
        if own not in names and not own.endswith("-FC") and any(_has_lists(file) for file in found):
            values["mode"] = Mode.FC.value
        rows.append(values)
    return rows


def _has_lists(file: ResultFile) -> bool:
    """Whether one of the first answers to single-turn entries is a list, as native calls are."""
    if not CATEGORIES[file.category].single_turn:
        return False
    with file.path.open(encoding="utf-8", errors="replace") as lines:
        return any(_is_list(line) for line in islice(lines, _LINES_READ))


def _is_list(line: str) -> bool:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return False  # the run names the line
    return isinstance(row, dict) and isinstance(row.get("result"), list)


def _values(name: str, path: Path, known: Mapping[str, ModelRow]) -> dict[str, Json]:
    values: dict[str, Json] = {"name": name, "kind": "results", "path": str(path)}
    if name in known:
        row = known[name]
        if row.mode is Mode.FC and not name.endswith("-FC"):
            values["mode"] = row.mode.value
        described = {key: getattr(row, key) for key in _DESCRIBING}
        values |= {key: value for key, value in described.items() if value not in (None, "", "Unknown")}
    return values
