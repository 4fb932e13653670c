"""Model rows of kind `results` for the models of a result folder of the official tool."""

from collections.abc import Mapping
from pathlib import Path

from bfcl_pipeline.ask.results.found_form import NO_CHOICE, Evidence, find_mode, mode_by_name
from bfcl_pipeline.ask.results.result_files import ResultFile, find_results
from bfcl_pipeline.ask.results.result_lines import read_lines
from bfcl_pipeline.benchmark.config import ModelRow, model_folder
from bfcl_pipeline.benchmark.records import Json, Mode

_DESCRIBING = ("display_name", "org", "license", "url", "input_price", "output_price")
"""The keys that are taken over from a known row of the same name."""


def result_rows(
    folder: Path, known: Mapping[str, ModelRow], mode_given: bool = False
) -> list[dict[str, Json]]:
    """One row for each model, in the order of the names of their folders.

    A model that is not known has the mode that its answers show.

    Args:
        folder: as `find_results` reads it.
        known: rows by name. A model with one of these names is described as there.
        mode_given: whether the mode is known, so that it is not searched in the answers.

    Raises:
        ConfigError: there are no results, or the answers of a model have two modes.
    """
    names = {model_folder(name): name for name in known}
    files: dict[str, list[ResultFile]] = {}
    for file in find_results(folder).files:
        files.setdefault(file.folder, []).append(file)
    rows = []
    for own, found in files.items():
        values = _values(names.get(own, own), found[0].model_dir, known)
        if own not in names and not mode_given:
            shown = find_mode(own, _evidence(found), NO_CHOICE)
            if shown not in (None, mode_by_name(own)):
                values["mode"] = str(shown)
        rows.append(values)
    return rows


def _evidence(files: list[ResultFile]) -> Evidence:
    evidence = Evidence()
    for file in files:
        for line in () if file.sessions else read_lines(file).lines:
            if line.failure is None:
                evidence.add(file.category, line.result)
    return evidence


def _values(name: str, path: Path, known: Mapping[str, ModelRow]) -> dict[str, Json]:
    values: dict[str, Json] = {"name": name, "kind": "results", "path": str(path)}
    if name in known:
        row = known[name]
        if row.mode is Mode.FC and not name.endswith("-FC"):
            values["mode"] = row.mode.value
        described = {key: getattr(row, key) for key in _DESCRIBING}
        values |= {key: value for key, value in described.items() if value not in (None, "", "Unknown")}
    return values
