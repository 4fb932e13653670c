"""Finding, from the answers of one model, its mode and the style of its function names.

Native calls are lists of objects; a text from which calls can be read was prompted. Function names keep
their dots or have underscores, which shows wherever a called function has a dot in the release. One form is
found if nine of ten answers that show one agree. Where they do not, or contradict what another source says,
an error has both counts; what the user says of one model is not compared with its answers.

In a table of responses, rows of one model (column `model`, else `run`, else all) are of one model. A table
that has the columns of both is returned as it is: it says of every row how its answer is read.
"""

import contextlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa

from bfcl_pipeline.ask.results.forms import convert_result, object_arguments
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import unknown_name
from bfcl_pipeline.benchmark.config import model_folder, trial_of
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import DecodeFailure, Json, Mode, NameStyle, Status
from bfcl_pipeline.benchmark.tables import entries_path, read_table
from bfcl_pipeline.dialogue.calls import decode, parse_json
from bfcl_pipeline.judge.scoring.judge import default_style

_SHARE = 0.9
"""The share of the answers that show a form from which on they agree."""

_DOTTED = re.compile(r'"name": ?"([^".\\]{1,200}\.[^"\\]{1,200})"')

_Form = TypeVar("_Form", Mode, NameStyle)


@dataclass(frozen=True, slots=True)
class FormChoice:
    """What the user says of the form of answers, by the name of a model; by default nothing.

    Under None: of all models, which is an error where the answers contradict it. What is said of one model
    is not compared with its answers.
    """

    modes: Mapping[str | None, Mode] = field(default_factory=dict)
    name_styles: Mapping[str | None, NameStyle] = field(default_factory=dict)

    def check_models(self, folders: Iterable[str]) -> None:
        """Raises ConfigError if a mode or style is given for a model that is not in `folders`."""
        known = sorted(folders)
        for model in (*self.modes, *self.name_styles):
            if model is not None and model_folder(model) not in known:
                raise ConfigError(unknown_name("model", model, known))

    def mode_of(self, folder: str) -> Mode | None:
        """The mode that is given for this model."""
        return _of_folder(self.modes, folder)

    def name_style_of(self, folder: str) -> NameStyle | None:
        """The style that is given for this model."""
        return _of_folder(self.name_styles, folder)


def _of_folder(given: Mapping[str | None, _Form], folder: str) -> _Form | None:
    return next((form for name, form in given.items() if name and model_folder(name) == folder), None)


NO_CHOICE = FormChoice()
"""Everything is found in the answers."""


def mode_by_name(name: str) -> Mode:
    """The mode of a model of which nothing else is known."""
    return Mode.FC if trial_of(name).model.endswith("-FC") else Mode.PROMPT


class DottedNames:
    """The functions of each entry that have dots in their names, in the staged release."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self._by_category: dict[str, dict[str, frozenset[str]]] = {}

    def of(self, category: str, entry_id: str) -> frozenset[str]:
        """Their names, with underscores. Only single-turn entries have any."""
        if not CATEGORIES[category].single_turn:
            return frozenset()
        if category not in self._by_category:
            table = read_table(entries_path(self._data, category), ["entry_id", "functions_json"])
            self._by_category[category] = {
                entry: frozenset(name.replace(".", "_") for name in _DOTTED.findall(docs))
                for entry, docs in zip(*table.to_pydict().values(), strict=True)
            }
        return self._by_category[category].get(entry_id, frozenset())


@dataclass
class Evidence:
    """What the answers of one model show of their form."""

    native: int = 0  # answers that are lists of calls
    empty: int = 0  # answers that are empty lists
    dotted: int = 0  # calls of functions with a dot in the release, by a name with a dot
    underscored: int = 0  # the same, by a name with an underscore
    texts: list[str] = field(default_factory=list)  # answers that are text

    def add(self, category: str, result: Json, dotted: frozenset[str] = frozenset()) -> None:
        """Counts one result. dotted: `DottedNames.of` its entry."""
        for answer in _answers(category, result):
            if isinstance(answer, str):
                self.texts.append(answer)
            elif answer == []:
                self.empty += 1
            elif isinstance(answer, list) and all(isinstance(call, dict) for call in answer):
                self.native += 1
                called = [name for call in answer for name in call if name.replace(".", "_") in dotted]
                with_dot = sum("." in name for name in called)
                self.dotted += with_dot
                self.underscored += len(called) - with_dot

    def prompted(self) -> Iterator[bool]:
        """For each text whether calls can be read from it."""
        for text in self.texts:
            calls = decode(text, mode=Mode.PROMPT)
            yield bool(calls) and not isinstance(calls, DecodeFailure)


def _answers(category: str, result: Json) -> Iterable[Json]:
    """The answer of a single turn, or each step of each turn."""
    if CATEGORIES[category].single_turn or not isinstance(result, list):
        return [result]
    return [step for turn in result for step in (turn if isinstance(turn, list) else [turn])]


def find_mode(
    folder: str, evidence: Evidence, choice: FormChoice, claimed: Mode | None = None, source: str = ""
) -> Mode | None:
    """The mode of a model's answers; None if nothing shows it.

    Args:
        folder: of the model.
        evidence: of its answers.
        choice: what the user says.
        claimed: the mode by another source; None: there is none.
        source: how an error names that source.

    Raises ConfigError, with both counts, if the answers contradict a claim or have two forms.
    """
    if (chosen := choice.mode_of(folder)) is not None:
        return chosen
    if None in choice.modes:
        claimed, source = choice.modes[None], "by --mode"
    if evidence.native == 0 and claimed is not Mode.FC:
        if claimed is None and not any(evidence.prompted()):
            return Mode.FC if evidence.empty else None
        return Mode.PROMPT
    counts = {Mode.FC: evidence.native, Mode.PROMPT: sum(evidence.prompted())}
    return _agreed(folder, "mode", counts, claimed, source)


def find_name_style(folder: str, evidence: Evidence, choice: FormChoice) -> NameStyle | None:
    """The style of the function names in a model's native calls; None if nothing shows another than usual.

    Raises ConfigError as `find_mode` does.
    """
    if (chosen := choice.name_style_of(folder)) is not None:
        return chosen
    counts = {NameStyle.DOTTED: evidence.dotted, NameStyle.UNDERSCORED: evidence.underscored}
    found = _agreed(folder, "name-style", counts, choice.name_styles.get(None), "by --name-style")
    return None if found is default_style(Mode.FC) else found


_SHOWN = {
    Mode.FC: "answers that are lists of calls",
    Mode.PROMPT: "answers that are text with calls",
    NameStyle.DOTTED: "function names with their dots",
    NameStyle.UNDERSCORED: "function names with underscores instead of dots",
}


def _agreed(
    folder: str, option: str, counts: Mapping[_Form, int], claimed: _Form | None, source: str
) -> _Form | None:
    """The form that is claimed or, without a claim, the one on which the answers agree."""
    most = max(counts, key=lambda form: counts[form])
    shown = sum(counts.values())
    agreed = most if shown and counts[most] >= _SHARE * shown else None
    if claimed is not None and agreed in (None, claimed):
        return claimed
    if not shown or (claimed is None and agreed is not None):
        return agreed
    says = "two forms" if claimed is None else f"{option} {claimed} {source}, but not by its answers"
    both = "; ".join(f"{_SHOWN[form]}: {count:,}" for form, count in counts.items())
    options = " or ".join(f"--{option} {folder}={form}" for form in counts)
    raise ConfigError(
        f"{folder}: {says}: {both}. Choose with {options} (a row of kind results: `mode`; `models add`: "
        "--set mode=...)."
    )


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
        answers = _table_answers(columns, rows)
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


def _table_answers(
    columns: Mapping[str, Sequence[Any]], rows: Sequence[int]
) -> dict[int, tuple[str, str, Json]]:
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
