"""Importing result folders of the official tool as responses.

Covers folders with the layout of `official.layout`, or the folder of one model in them. An error that the
official tool stored instead of an answer becomes a status, never an answer. The forms of stored calls are
`official.forms`.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bfcl_pipeline.benchmark import CATEGORIES, Check
from bfcl_pipeline.config import ModelRow, model_folder, trial_name, trial_of
from bfcl_pipeline.errors import ConfigError, TableError
from bfcl_pipeline.official.former_results import FORMER_FILES, former_category, former_id, without_keys
from bfcl_pipeline.official.forms import AnswerForm, Convert, assumed_form, known_form
from bfcl_pipeline.official.layout import RESULT_FILE, RESULT_FILES, SESSIONS, official_models
from bfcl_pipeline.records import Json, Mode, NameStyle, Response, Status, Step, total
from bfcl_pipeline.tables import entries_path, read_table, responses_table
from bfcl_pipeline.tables.text_forms import form_of, write_any_form
from bfcl_pipeline.text import Log, plural, unknown_name

_ERROR = "Error during inference:"

_MOST = 10**12  # tokens or seconds of one exchange; sums of more would overflow a column


@dataclass(frozen=True, slots=True)
class _Model:
    """The form of a model's answers."""

    name: str
    form: AnswerForm
    name_style: NameStyle | None  # None: the default of the mode


@dataclass(frozen=True, slots=True)
class ResultFile:
    """One file of results."""

    path: Path
    folder: str  # of the model
    category: str
    sessions: bool  # of memory sessions, which are not scored; else of entries
    former: bool = False  # of an earlier version of the tool


@dataclass(frozen=True, slots=True)
class ResultTable:
    """The responses in one file of results."""

    file: ResultFile
    model: str  # its name
    responses: Sequence[Response]  # in entry order


def import_official(
    result_dir: Path, out: Path, *, data: Path, run: str | None = None, mode: Mode | None = None, log: Log
) -> None:
    """Writes all results under `result_dir` to a table of responses, by model, category and entry.

    Args:
        result_dir: the official `result` folder, or the folder of one model in it.
        out: the table; its suffix chooses the form, as `tables.text_forms` has them.
        data: the staged data.
        run: the value of the column `run`.
        mode: the mode of all models; None: as in the official list, or by the suffix -FC.
        log: receives lines on models, omitted sessions and the result.

    Raises:
        ConfigError: there are no results, or a category is unknown; nothing is written.
        TableError: a line cannot be read; it names file and line, and nothing is written.
    """
    form_of(out)
    found = find_results(result_dir)
    files = [file for file in found if not file.sessions]
    responses: list[Response] = []
    for table in read_results(files, data=data, run=run, mode=mode, log=log):
        responses += table.responses
    write_any_form(out, responses_table(responses))
    if len(files) < len(found):
        log(f"{plural(len(found) - len(files), 'file', 'files')} of memory sessions skipped (never scored)")
    log(f"{out}: {read_counts(files, responses)}")


def read_counts(files: Sequence[ResultFile], responses: Sequence[Response]) -> str:
    """How much was imported, as the end of a line."""
    failed = sum(response.status is not Status.ANSWERED for response in responses)
    models = plural(len({file.folder for file in files}), "model", "models")
    return (
        f"{plural(len(responses), 'response', 'responses')} of {models} from "
        f"{plural(len(files), 'file', 'files')}; without an answer that can be scored: {failed:,}"
    )


def read_results(
    files: Sequence[ResultFile],
    *,
    data: Path,
    run: str | None,
    mode: Mode | None = None,
    web: str | None = None,
    rows: Iterable[ModelRow] = (),
    log: Log,
) -> Iterator[ResultTable]:
    """The responses in each of `files`, in their order.

    Args:
        files: from `find_results`.
        data: the staged data.
        run: the name of the run in the responses.
        mode: as in `import_official`.
        web: the web that was searched, in responses of the web categories; None: unknown.
        rows: models whose names and modes are known, for folders that are not in the official list.
        log: receives a line for a model that is not in the official list.

    Raises:
        ConfigError: the staged data cannot be read.
        TableError: a line cannot be read; it names file and line.
    """
    official = official_models(data)
    known = {model_folder(row.name): row for row in rows}
    positions: dict[str, Mapping[str, int]] = {}
    models: dict[str, _Model] = {}
    for file in files:
        if file.folder not in models:
            models[file.folder] = _model(file.folder, official, known, mode, log)
        if file.category not in positions:
            positions[file.category] = _positions(data, file.category)
        model = models[file.folder]
        responses = _read_file(file, model, run, positions[file.category])
        if CATEGORIES[file.category].check is Check.WEB_SEARCH:
            responses = [replace(response, web=web) for response in responses]
        yield ResultTable(file, model.name, responses)


def find_results(result_dir: Path) -> list[ResultFile]:
    """The files of results under `result_dir`, by model, category, entries before sessions.

    Raises ConfigError if there are none, a category is unknown, or a model has two files of one.
    """
    groups = {category.group for category in CATEGORIES.values()}
    files: dict[tuple[str, str, bool], ResultFile] = {}
    former = {
        path: category
        for pattern in FORMER_FILES
        for path in result_dir.rglob(pattern)
        if (category := former_category(path.name)) is not None
    }
    for path in sorted({*result_dir.rglob(RESULT_FILES), *former}):
        match = RESULT_FILE.fullmatch(path.name)
        named = former.get(path) or (match["category"] if match else path.name)
        category = named.removesuffix(SESSIONS)
        if category not in CATEGORIES:
            raise ConfigError(f"{path}: {unknown_name('category', category, CATEGORIES)}")
        parts = path.relative_to(result_dir).parts
        single = len(parts) == 1 or parts[0] in groups
        folder = result_dir.resolve().name if single else parts[0]
        file = ResultFile(path, folder, category, named.endswith(SESSIONS), path in former)
        earlier = files.setdefault((folder, category, file.sessions), file)
        if earlier is not file:
            deeper = result_dir / folder
            hint = "" if single else f" Or name {deeper}, if the folders in it are the models."
            raise ConfigError(
                f"{path}: duplicate {named} of {folder}, first {earlier.path}. Keep one.{hint}"
            )
    if not any(not file.sessions for file in files.values()):
        raise ConfigError(
            f"{result_dir}: no results of the official tool; expected "
            "<model>/<group>/BFCL_v4_<category>_result.json under it, or a model's own folder. Of earlier "
            "versions only the retired categories are read (bfcl-pipeline categories executable)."
        )
    order = list(CATEGORIES)
    return sorted(files.values(), key=lambda file: (file.folder, order.index(file.category), file.sessions))


def session_snapshot(table: ResultTable, response: Response) -> Json:
    """The memory after a session; None if the folder has none. Raises TableError if it cannot be read."""
    path = table.file.path.with_name("memory_snapshot") / "prereq_checkpoints" / f"{response.entry_id}.json"
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as error:
        raise TableError(f"{path}: not a memory snapshot ({error}). Remove the file.") from error


def _model(
    folder: str,
    official: Mapping[str, Mapping[str, Json]],
    known: Mapping[str, ModelRow],
    mode: Mode | None,
    log: Log,
) -> _Model:
    row = official.get(folder)
    trial = trial_of(folder)
    if row is None and trial.model in known:
        own = known[trial.model]
        return _Model(trial_name(own.name, trial.number), assumed_form(mode or own.mode), None)
    if row is None:
        assumed = mode or (Mode.FC if trial.model.endswith("-FC") else Mode.PROMPT)
        if mode is None:
            log(f"{folder}: not in the official list of models; mode {assumed} by its name (see --mode)")
        return _Model(folder, assumed_form(assumed), None)
    form = known_form(row)
    if mode is not None:
        form = assumed_form(mode)
    elif form.convert is None:
        log(f"{folder}: {row['handler']} stores calls in a form that is not supported")
    style = NameStyle.UNDERSCORED if row["underscore_to_dot"] else NameStyle.DOTTED
    return _Model(row["name"], form, style)


def _positions(data: Path, category: str) -> Mapping[str, int]:
    ids = read_table(entries_path(data, category), ["entry_id"])["entry_id"].to_pylist()
    return {str(entry_id): position for position, entry_id in enumerate(ids)}


def _read_file(
    file: ResultFile, model: _Model, run: str | None, positions: Mapping[str, int]
) -> Sequence[Response]:
    responses: dict[str, Response] = {}
    for where, row in _rows(file.path):
        entry_id = former_id(row, file.category) if file.former else row.get("id")
        if not isinstance(entry_id, str) or "result" not in row:
            raise TableError(f"{where}: expected `id` and `result`, got {', '.join(row)}. Check the file.")
        if entry_id not in positions:
            raise TableError(
                f"{where}: {entry_id!r} is not an entry of {file.category}. Results must be of the staged "
                "release."
            )
        if entry_id in responses:
            raise TableError(f"{where}: duplicate {entry_id!r}. Keep one line per entry.")
        responses[entry_id] = _response(where, row, entry_id, file.category, model, run)
    return sorted(responses.values(), key=lambda response: positions[response.entry_id])


def _rows(path: Path) -> Iterator[tuple[str, Mapping[str, Json]]]:
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            where = f"{path}:{number}"
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise TableError(
                    f"{where}: not JSON ({error}). Remove the line, or generate the entry again."
                ) from error
            if not isinstance(row, dict):
                raise TableError(f"{where}: expected a JSON object, got a {type(row).__name__}.")
            yield where, row


def _response(
    where: str, row: Mapping[str, Json], entry_id: str, category: str, model: _Model, run: str | None
) -> Response:
    result = row["result"]
    status, detail, result_json = Status.ANSWERED, None, None
    if _is_error(row):
        status, detail = Status.INFRASTRUCTURE_ERROR, _printable(result.removeprefix(_ERROR).strip())
    elif model.form.convert is None:
        status, detail = Status.UNSUPPORTED, "the handler's own form of calls is not supported"
    else:
        result_json = _json(without_keys(_converted(result, category, model.form.convert), category))
    steps = _steps(where, row)
    return Response(
        entry_id=entry_id,
        category=category,
        mode=model.form.mode,
        result_json=result_json,
        status=status,
        status_detail=detail,
        model=model.name,
        run=run,
        name_style=model.name_style,
        input_tokens=total(step.input_tokens for step in steps),
        output_tokens=total(step.output_tokens for step in steps),
        latency_seconds=total(step.latency_seconds for step in steps),
        steps=steps,
    )


def _json(result: Json) -> str:
    """`result` as generated responses have it; escaped if it has lone surrogates (not in UTF-8)."""
    text = json.dumps(result, ensure_ascii=False)
    return text if text == _printable(text) else json.dumps(result)


def _is_error(row: Mapping[str, Json]) -> bool:
    """True if the tool stored its own failure, with a traceback and without latency."""
    result = row["result"]
    failed = "traceback" in row or "latency" not in row
    return failed and isinstance(result, str) and result.startswith(_ERROR)


def _converted(result: Json, category: str, convert: Convert) -> Json:
    """The uniform form of an answer, or of each step of each turn."""
    single_turn = CATEGORIES[category].single_turn
    if single_turn or not isinstance(result, list):
        return convert(result, not single_turn)
    return [
        [_step(step, convert) for step in turn] if isinstance(turn, list) else convert(turn, True)
        for turn in result
    ]


def _step(stored: Json, convert: Convert) -> Json:
    """The uniform form of a step; without calls its text, which may be the answer to a question."""
    uniform = convert(stored, True)
    return uniform if uniform != [] else stored


def _steps(where: str, row: Mapping[str, Json]) -> tuple[Step, ...]:
    """Tokens and latency of each exchange; the tool stores numbers by turn and step, or one number."""
    sent = _by_step(where, row, "input_token_count")
    received = _by_step(where, row, "output_token_count")
    latency = _by_step(where, row, "latency")
    return tuple(
        Step(
            turn,
            _whole(sent.get((turn, step))),
            _whole(received.get((turn, step))),
            latency.get((turn, step)),
        )
        for turn, step in sorted({*sent, *received, *latency})
    )


def _by_step(where: str, row: Mapping[str, Json], key: str) -> dict[tuple[int, int], float | None]:
    """The numbers under `key` by turn and step, None if null. Raises TableError for other values."""
    if key not in row:
        return {}
    turns = row[key] if isinstance(row[key], list) else [[row[key]]]
    numbers: dict[tuple[int, int], float | None] = {}
    for turn, steps in enumerate(turns):
        for step, number in enumerate(steps if isinstance(steps, list) else [steps]):
            if not _is_number(number):
                raise TableError(
                    f"{where}: expected a number or lists of numbers as `{key}`, none above {_MOST:.0e}, "
                    f"got {number!r:.80}."
                )
            numbers[turn, step] = number
    return numbers


def _is_number(value: Json) -> bool:
    """True for a number within +-_MOST, and for null."""
    if value is None:
        return True
    return isinstance(value, int | float) and not isinstance(value, bool) and -_MOST <= value <= _MOST


def _whole(number: float | None) -> int | None:
    return None if number is None else round(number)


def _printable(text: str) -> str:
    """`text` with a question mark for each lone surrogate, which UTF-8 cannot encode."""
    return text.encode("utf-8", "replace").decode("utf-8")
