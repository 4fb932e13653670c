"""Exporting the responses of a run as result folders of the official tool, which scores them equally.

Covers which answers are written, under which model name and path: answers to entries, answers in memory
sessions, and the memories after the sessions. An entry without an answer is left out and logged, because
the official tool would score the text of the failure. The form of an answer is `results.lines`, the import
is `results.import_results`.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from bfcl_pipeline.ask.results.forms import Target, as_it_is, known_form, result_line
from bfcl_pipeline.ask.results.layout import (
    final_snapshot_path,
    official_models,
    result_path,
    snapshot_path,
)
from bfcl_pipeline.base.errors import ConfigError, TableError
from bfcl_pipeline.base.files import atomic_path
from bfcl_pipeline.base.text import Log, unknown_name
from bfcl_pipeline.benchmark.config import model_folder
from bfcl_pipeline.benchmark.definition import CATEGORIES, GROUPS, V4_CATEGORIES
from bfcl_pipeline.benchmark.records import Entry, Json, NameStyle, Response, Status
from bfcl_pipeline.benchmark.tables import entries_path, read_entries, read_responses
from bfcl_pipeline.benchmark.tables.responses import RecordedSession, read_sessions
from bfcl_pipeline.judge.scoring.judge import default_style
from bfcl_pipeline.runs.run import Run

SHOWN_IDS = 5
"""How many entries without an answer are named, for each category and status."""

_NO_REAL_WEB = ("simulated", "off")


def export_official(
    run: Run,
    out: Path,
    *,
    models: Collection[str] = (),
    names: Mapping[str, str] | None = None,
    log: Log,
) -> int:
    """Writes the answers of a run to result folders.

    Args:
        run: the run.
        out: the directory of the result folders.
        models: the models to export; empty: all.
        names: the official name of each model that is exported under another name than its own.
        log: receives lines about exported and omitted answers.

    Returns:
        The number of answers.

    Raises:
        ConfigError: there are no answers, a name is unknown, or the folder of a model exists.
        TableError: a response has an unknown category or entry.
    """
    responses = _responses(run)
    names = names or {}
    for name in [*models, *names]:
        if name not in responses:
            raise ConfigError(f"{run.folder}/responses: {unknown_name('model', name, responses)}")
    official = official_models(run.data)
    targets = {
        model: target
        for model in models or responses
        if (target := _target(model, names.get(model, model), responses[model], official, log)) is not None
    }
    _check_folders(out, targets)
    written = 0
    for model, target in targets.items():
        exporter = _Exporter(model, target, out / model_folder(target.name), run, log)
        written += exporter.write(responses[model])
    if not written:
        raise ConfigError(f"{run.folder}: no answer that the official tool can read; see the lines above.")
    return written


def _responses(run: Run) -> dict[str, dict[str, list[Response]]]:
    """The responses of the run by model and category."""
    responses: dict[str, dict[str, list[Response]]] = {}
    for path in sorted((run.folder / "responses").glob("*/*.parquet")):
        for response in read_responses(path):
            if response.category not in CATEGORIES:
                raise TableError(f"{path}: {unknown_name('category', response.category, CATEGORIES)}")
            of_model = responses.setdefault(response.model or path.parent.name, {})
            of_model.setdefault(response.category, []).append(response)
    if not responses:
        raise ConfigError(
            f"{run.folder}/responses: no responses. Name the folder of a run (results/<run>)."
        )
    return responses


def _target(
    model: str,
    name: str,
    responses: Mapping[str, Sequence[Response]],
    official: Mapping[str, Mapping[str, Json]],
    log: Log,
) -> Target | None:
    """The official model for `model`; None, with a log line, if the form of its calls is not supported."""
    row = official.get(model_folder(name))
    if row is None and name != model:
        listed = [str(other["name"]) for other in official.values()]
        raise ConfigError(f"--as {model}: {unknown_name('official model', name, listed)}")
    if row is None:
        log(f"{model}: not in the official list of models; to score it, name one of the list with --as")
        mode = next(response.mode for of_category in responses.values() for response in of_category)
        return Target(name, mode, as_it_is, default_style(mode))
    form = known_form(row)
    if form.restore is None:
        log(f"{model}: left out, {row['handler']} stores calls in a form that is not written; see --as")
        return None
    style = NameStyle.UNDERSCORED if row["underscore_to_dot"] else NameStyle.DOTTED
    return Target(row["name"], form.mode, form.restore, style)


def _check_folders(out: Path, targets: Mapping[str, Target]) -> None:
    """Raises ConfigError if two models have the same folder, or a folder exists."""
    models: dict[str, str] = {}
    for model, target in targets.items():
        folder = out / model_folder(target.name)
        if target.name in models:
            raise ConfigError(f"{models[target.name]} and {model} would both be {target.name}; export one.")
        if folder.exists():
            raise ConfigError(f"{folder}: already exists. Remove it, or name another folder with --out.")
        models[target.name] = model


class _Exporter:
    """Writes the results of one model."""

    def __init__(self, model: str, target: Target, folder: Path, run: Run, log: Log) -> None:
        self._run, self._data = run, run.data
        self._model, self._target, self._folder = model, target, folder
        self._log = log

    def write(self, responses: Mapping[str, Sequence[Response]]) -> int:
        """Writes all categories and logs what was written; returns the number of answers."""
        answers, files = 0, 0
        if retired := [name for name in GROUPS["executable"] if name in responses]:
            self._log(f"{self._model}: left out, not in the official tool: {', '.join(retired)}")
        for category in (name for name in V4_CATEGORIES if name in responses):
            entries = {entry.entry_id: entry for entry in read_entries(entries_path(self._data, category))}
            count = self._write_answers(category, responses[category], entries)
            answers, files = answers + count, files + bool(count)
            sessions = self._run.sessions(self._model, category)
            if sessions.is_file():
                self._write_sessions(category, read_sessions(sessions), entries)
        target = "" if self._target.name == self._model else f" as {self._target.name}"
        self._log(f"{self._model}{target}: {answers:,} answers of {files} categories in {self._folder}")
        return answers

    def _write_answers(
        self, category: str, responses: Sequence[Response], entries: Mapping[str, Entry]
    ) -> int:
        place = {entry_id: number for number, entry_id in enumerate(entries)}
        for response in responses:
            if response.entry_id not in place:
                raise TableError(
                    f"{self._model}: {response.entry_id!r} is not an entry of {category} in {self._data}. "
                    "Stage the release of the responses."
                )
        answered = sorted(filter(self._readable, responses), key=lambda answer: place[answer.entry_id])
        self._log_left_out(category, [other for other in responses if not self._readable(other)])
        if any(answer.web in _NO_REAL_WEB for answer in answered):
            self._log(f"{self._model} {category}: not from the real web; not comparable to a leaderboard")
        lines = [result_line(answer, entries[answer.entry_id], self._target) for answer in answered]
        if lines:  # the official tool cannot read a file without lines
            _write_lines(self._folder / result_path(category), lines)
        return len(lines)

    def _write_sessions(
        self, category: str, sessions: Sequence[RecordedSession], entries: Mapping[str, Entry]
    ) -> None:
        answered = [session for session in sessions if self._readable(session.response)]
        if not answered:
            return
        lines = [
            result_line(session.response, entries[session.response.entry_id], self._target)
            for session in answered
        ]
        _write_lines(self._folder / result_path(category, sessions=True), lines)
        for session in answered:  # in order: questions start with the last snapshot of their scenario
            text = json.dumps(session.snapshot, indent=4)
            for path in (
                snapshot_path(category, session.response.entry_id),
                final_snapshot_path(category, session.scenario),
            ):
                _write(self._folder / path, text)

    def _readable(self, response: Response) -> bool:
        return (
            response.status is Status.ANSWERED
            and response.result_json is not None
            and response.mode is self._target.mode
        )

    def _log_left_out(self, category: str, responses: Iterable[Response]) -> None:
        by_reason: dict[str, list[str]] = {}
        for response in responses:
            reason = response.status.value
            if response.status is Status.ANSWERED:
                reason = (
                    "no result" if response.result_json is None else f"generated in mode {response.mode}"
                )
            by_reason.setdefault(reason, []).append(response.entry_id)
        for reason, ids in by_reason.items():
            more = f" and {len(ids) - SHOWN_IDS:,} more" if len(ids) > SHOWN_IDS else ""
            named = ", ".join(ids[:SHOWN_IDS])
            self._log(f"{self._model} {category}: left out {len(ids):,} ({reason}): {named}{more}")


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    _write(path, "".join(f"{line}\n" for line in lines))


def _write(path: Path, text: str) -> None:
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="ascii")
