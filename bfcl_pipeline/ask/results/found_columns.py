"""Finding mode and name style of a table of responses from its answers, for columns that it lacks.

Rows of one model (column `model`, else `run`, else all) are of one model. A table that has both columns is
returned as it is: it says of every row how its answer is read.
"""

import contextlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from bfcl_pipeline.ask.results.forms import convert_result, object_arguments
from bfcl_pipeline.ask.results.found_form import (
    NO_CHOICE,
    DottedNames,
    Evidence,
    FormChoice,
    find_mode,
    find_name_style,
    mode_by_name,
)
from bfcl_pipeline.benchmark.config import model_folder
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Json, Mode, Status
from bfcl_pipeline.dialogue.calls import parse_json

_READ = {"model", "run", "category", "entry_id", "mode", "name_style", "status", "result_json"}

_ALL = "all"  # the name of a model in a table without names


def with_found_columns(table: pa.Table, data: Path, choice: FormChoice) -> pa.Table:
    """`table` with the column `mode`, and `name_style` where it is not the usual one of the mode.

    A mode in the table is compared with the answers. Where there is none, arguments that are objects become
    JSON text.

    Raises ConfigError, with both counts, if the answers of a model contradict its mode, or have two forms.
    """
    try:
        columns = {
            name: table[name].cast(pa.string()).to_pylist() for name in _READ & {*table.column_names}
        }
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return table  # scoring names the column
    if not {*columns.get("mode", ())} <= {None, *Mode}:
        return table  # and the row
    stated = "name_style" in columns and "mode" in columns and None not in columns["mode"]
    if (stated and choice == NO_CHOICE) or not {"category", "entry_id", "result_json"} <= columns.keys():
        return table
    blank: list[Any] = [None] * len(table)
    modes, styles = columns.get("mode", blank[:]), columns.get("name_style", blank[:])
    models = next((columns[name] for name in ("model", "run") if name in columns), blank)
    groups: dict[tuple[str, Any], list[int]] = {}
    for number, (model, mode) in enumerate(zip(models, modes, strict=True)):
        groups.setdefault((model_folder(str(model or _ALL)), mode), []).append(number)
    choice.check_models(model for model, _ in groups)
    names = DottedNames(data)
    for (model, stated_mode), rows in groups.items():
        answers = _answers(columns, rows)
        evidence = Evidence()
        for category, entry_id, result in answers.values():
            evidence.add(category, result, names.of(category, entry_id))
        claimed = None if stated_mode is None else Mode(stated_mode)
        mode = find_mode(model, evidence, choice, claimed, "in the table") or mode_by_name(model)
        style = find_name_style(model, evidence, choice) if mode is Mode.FC else choice.name_style_of(model)
        for row in rows:
            modes[row] = str(mode)
            styles[row] = styles[row] or (None if style is None else str(style))
        if claimed is None and mode is Mode.FC:
            for row, (category, _, result) in answers.items():
                columns["result_json"][row] = json.dumps(convert_result(result, category, object_arguments))
    for name, values in (("mode", modes), ("name_style", styles), ("result_json", columns["result_json"])):
        array = pa.array(values, pa.string())
        place = table.schema.get_field_index(name)
        if place >= 0:
            table = table.set_column(place, name, array)
        elif array.null_count < len(array):
            table = table.append_column(name, array)
    return table


def _answers(columns: Mapping[str, Sequence[Any]], rows: Sequence[int]) -> dict[int, tuple[str, str, Json]]:
    """Category, entry and result of the rows with an answer; scoring names those that cannot be read."""
    statuses = columns.get("status")
    answers = {}
    for row in rows:
        text, category = columns["result_json"][row], columns["category"][row]
        if category not in CATEGORIES or not isinstance(text, str):
            continue
        if statuses is None or statuses[row] in (None, Status.ANSWERED.value):
            with contextlib.suppress(ValueError, RecursionError):
                answers[row] = (category, columns["entry_id"][row], parse_json(text))
    return answers
