"""Importing result folders of the official tool as responses.

Covers what `result_files` finds. The answers of models in the official list are read as their handlers read
them (`results.forms`), those of others in the form that they show (`results.found_form`). An error that
the tool stored instead of an answer becomes a status, never an answer.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

from bfcl_pipeline.ask.results.forms import AnswerForm, Convert, assumed_form, convert_result, known_form
from bfcl_pipeline.ask.results.found_form import (
    NO_CHOICE,
    DottedNames,
    Evidence,
    FormChoice,
    find_mode,
    find_name_style,
    mode_by_name,
)
from bfcl_pipeline.ask.results.import_summary import ModelRead, ResultTable, not_read_lines, summary
from bfcl_pipeline.ask.results.layout import official_models, without_keys
from bfcl_pipeline.ask.results.result_files import (
    FileLines,
    FoundResults,
    Line,
    ResultFile,
    find_results,
    read_lines,
)
from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.base.files import read_json
from bfcl_pipeline.base.text import Log
from bfcl_pipeline.benchmark.config import ModelRow, model_folder, trial_name, trial_of
from bfcl_pipeline.benchmark.definition import CATEGORIES, Check
from bfcl_pipeline.benchmark.records import Json, Mode, NameStyle, Response, Status, total
from bfcl_pipeline.benchmark.tables import entries_path, read_table, responses_table
from bfcl_pipeline.benchmark.tables.text_forms import form_of, write_any_form

_MOST_SNAPSHOT_BYTES = 2**26


@dataclass(frozen=True, slots=True)
class _Model:
    """The form of a model's answers."""

    name: str
    form: AnswerForm
    name_style: NameStyle | None  # None: the default of the mode
    source: str  # what the form is known from


def import_official(
    result_dir: Path,
    out: Path,
    *,
    data: Path,
    run: str | None = None,
    choice: FormChoice = NO_CHOICE,
    log: Log,
) -> None:
    """Writes all results under `result_dir` to a table of responses, by model, category and entry.

    Args:
        result_dir: the official `result` folder, the folder of one model in it, or one with `result` in it.
        out: the table; its suffix chooses the form, as `tables.text_forms` has them.
        data: the staged data.
        run: the value of the column `run`.
        choice: what is known of the form of the answers.
        log: receives a summary of what was read, and what was not.

    Raises:
        ConfigError: there are no results, or the answers of a model contradict what is said of their form;
            nothing is written.
        TableError: no line can be read; nothing is written.
    """
    form_of(out)
    found = find_results(result_dir)
    read = read_results(found, data=data, run=run, choice=choice, log=log)
    tables = [table for model in read for table in model.tables if not table.file.sessions]
    responses = [response for table in tables for response in table.responses]
    write_any_form(out, responses_table(responses))
    for line in summary(out, found, read):
        log(line)


@dataclass(slots=True)
class _FolderReading:
    """What the lines of all models are read with."""

    data: Path  # the staged data
    run: str | None
    choice: FormChoice
    web: str | None
    known: Mapping[str, ModelRow]  # by folder
    log: Log
    official: Mapping[str, Mapping[str, Json]]  # by folder
    names: DottedNames
    positions: dict[str, Mapping[str, int]] = field(default_factory=dict)  # of entries, by category


def read_results(
    found: FoundResults,
    *,
    data: Path,
    run: str | None,
    choice: FormChoice = NO_CHOICE,
    web: str | None = None,
    rows: Iterable[ModelRow] = (),
    log: Log,
) -> list[ModelRead]:
    """The responses of each model in `found`, in the order of the files.

    Args:
        found: from `find_results`.
        data: the staged data.
        run: the name of the run in the responses.
        choice: as in `import_official`.
        web: the web that was searched, in responses of the web categories; None: unknown.
        rows: models whose names and modes are known, for folders that are not in the official list.
        log: receives a line for a model whose mode is only known from its name.

    Raises:
        ConfigError: the staged data cannot be read, or the answers contradict what is said of their form.
        TableError: no line can be read.
    """
    choice.check_models(file.folder for file in found.files)
    known = {model_folder(row.name): row for row in rows}
    reading = _FolderReading(data, run, choice, web, known, log, official_models(data), DottedNames(data))
    read = [
        _read_model(folder, list(files), reading)
        for folder, files in groupby(found.files, lambda file: file.folder)
    ]
    reasons = not_read_lines(each for model in read for each in model.not_read)
    if reasons and not any(table.responses for model in read for table in model.tables):
        raise TableError(f"nothing could be read. {'; '.join(reasons[:3])}")
    return read


def session_snapshot(table: ResultTable, response: Response) -> Json:
    """The memory after a session; None if the folder has none. Raises TableError if it cannot be read."""
    path = table.file.path.with_name("memory_snapshot") / "prereq_checkpoints" / f"{response.entry_id}.json"
    try:
        return read_json(path, _MOST_SNAPSHOT_BYTES)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise TableError(f"{path}: not a memory snapshot ({error}). Remove the file.") from error


def _read_model(folder: str, files: Sequence[ResultFile], reading: _FolderReading) -> ModelRead:
    """The responses in the files of one model."""
    for category in {file.category for file in files} - reading.positions.keys():
        reading.positions[category] = _positions(reading.data, category)
    lines = [read_lines(file, reading.positions[file.category]) for file in files]
    model = _model(folder, list(zip(files, lines, strict=True)), reading)
    tables = [
        ResultTable(
            file, model.name, [_response(line, file.category, model, reading) for line in read.lines]
        )
        for file, read in zip(files, lines, strict=True)
    ]
    not_read = [each for read in lines for each in read.not_read]
    return ModelRead(folder, model.form.mode, model.name_style, model.source, tables, not_read)


def _model(folder: str, read: Sequence[tuple[ResultFile, FileLines]], reading: _FolderReading) -> _Model:
    choice, row = reading.choice, reading.official.get(folder)
    mode = choice.mode_of(folder) or choice.modes.get(None)
    style = choice.name_style_of(folder)
    if row is not None:
        form = known_form(row)
        style = style or (NameStyle.UNDERSCORED if row["underscore_to_dot"] else NameStyle.DOTTED)
        if mode in (None, form.mode):
            if form.convert is None:
                reading.log(f"{folder}: {row['handler']} stores calls in a form that is not supported")
            else:
                find_mode(folder, _evidence(read, form.convert), choice, form.mode, "in the official list")
            return _Model(row["name"], form, style, "official list")
    evidence = _evidence(read, _as_stored, reading.names)
    trial = trial_of(folder)
    own = reading.known.get(trial.model) if row is None else None
    source = "option" if mode else "row" if own else "answers"
    mode = find_mode(folder, evidence, choice, own.mode if own else None, "in its row")
    if mode is None:
        mode, source = mode_by_name(folder), "name"
        reading.log(
            f"{folder}: not in the official list of models, and no answer shows the mode; {mode} by its "
            "name (see --mode)"
        )
    if mode is Mode.FC:
        style = find_name_style(folder, evidence, choice)
    name = trial_name(own.name, trial.number) if own else folder if row is None else row["name"]
    return _Model(name, assumed_form(mode), style, source)


def _as_stored(stored: Json, _runs: bool) -> Json:
    return stored


def _evidence(
    read: Sequence[tuple[ResultFile, FileLines]], convert: Convert, names: DottedNames | None = None
) -> Evidence:
    """What the answers of a model show, after the conversion of its handler."""
    evidence = Evidence()
    for file, lines in read:
        for line in lines.lines:
            if line.failure is None and not file.sessions:
                dotted = names.of(file.category, line.entry_id) if names else frozenset[str]()
                evidence.add(file.category, convert_result(line.result, file.category, convert), dotted)
    return evidence


def _positions(data: Path, category: str) -> Mapping[str, int]:
    ids = read_table(entries_path(data, category), ["entry_id"])["entry_id"].to_pylist()
    return {str(entry_id): position for position, entry_id in enumerate(ids)}


def _response(line: Line, category: str, model: _Model, reading: _FolderReading) -> Response:
    status, detail, result_json = Status.ANSWERED, None, None
    if line.failure is not None:
        status, detail = Status.INFRASTRUCTURE_ERROR, _printable(line.failure)
    elif model.form.convert is None:
        status, detail = Status.UNSUPPORTED, "the handler's own form of calls is not supported"
    else:
        result_json = _json(
            without_keys(convert_result(line.result, category, model.form.convert), category)
        )
    return Response(
        entry_id=line.entry_id,
        category=category,
        mode=model.form.mode,
        result_json=result_json,
        status=status,
        status_detail=detail,
        model=model.name,
        run=reading.run,
        name_style=model.name_style,
        input_tokens=total(step.input_tokens for step in line.steps),
        output_tokens=total(step.output_tokens for step in line.steps),
        latency_seconds=total(step.latency_seconds for step in line.steps),
        steps=line.steps,
        web=reading.web if CATEGORIES[category].check is Check.WEB_SEARCH else None,
    )


def _json(result: Json) -> str:
    """`result` as generated responses have it; escaped if it has lone surrogates (not in UTF-8)."""
    text = json.dumps(result, ensure_ascii=False)
    return text if text == _printable(text) else json.dumps(result)


def _printable(text: str) -> str:
    """`text` with a question mark for each lone surrogate, which UTF-8 cannot encode."""
    return text.encode("utf-8", "replace").decode("utf-8")
