"""The responses of a run as result folders of the official tool, which then scores them equal.

Covers whose answers are written, under which name and where: those to the entries, those in the sessions
before memory questions, and the memories after them. What has no answer is left out and told: the official
tool would judge the words of a failure. How an answer is written is `staging.official_lines`, the way back
`staging.official_results`.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from bfcl_pipeline.benchmark import CATEGORIES, unknown_name
from bfcl_pipeline.errors import ConfigError, TableError
from bfcl_pipeline.records import Entry, Json, NameStyle, Response, Status
from bfcl_pipeline.scoring.judge import default_style
from bfcl_pipeline.staging.official_forms import assumed_form, known_form
from bfcl_pipeline.staging.official_layout import (
    final_snapshot_path,
    folder_name,
    official_models,
    result_path,
    snapshot_path,
)
from bfcl_pipeline.staging.official_lines import Target, result_line
from bfcl_pipeline.staging.outputs import Log
from bfcl_pipeline.tables import atomic_path, entries_path, read_entries, read_responses
from bfcl_pipeline.tables.sessions import HeldSession, read_sessions

SHOWN_IDS = 5
"""Entries without an answer that are named, of each category and status."""

_NO_REAL_WEB = ("simulated", "off")


def export_official(
    run_dir: Path,
    out: Path,
    *,
    data: Path,
    models: Collection[str] = (),
    names: Mapping[str, str] | None = None,
    log: Log,
) -> int:
    """Writes the answers of the run at `run_dir` to result folders under `out`; returns how many.

    Of `models` only, if some are named. `names` gives the official name under which a model is written,
    where it is another than its own. `data` is the staged release. Raises ConfigError if there is nothing
    to write, a name is unknown, or a model's folder is there already.
    """
    found = _responses(run_dir)
    names = names or {}
    for name in [*models, *names]:
        if name not in found:
            raise ConfigError(f"{run_dir}/responses: {unknown_name('model', name, found)}")
    official = official_models(data)
    asked = {model: found[model] for model in models or found}
    targets = {
        model: target
        for model, by_category in asked.items()
        if (target := _target(model, names.get(model, model), by_category, official, log)) is not None
    }
    _check_folders(out, targets)
    written = 0
    for model, target in targets.items():
        exporter = _Exporter(model, target, out / folder_name(target.name), data, log)
        written += exporter.write(found[model], run_dir)
    if not written:
        raise ConfigError(f"{run_dir}: no answer that the official tool could read; see above.")
    return written


def _responses(run_dir: Path) -> dict[str, dict[str, list[Response]]]:
    """The responses of the run by model and category."""
    found: dict[str, dict[str, list[Response]]] = {}
    for path in sorted((run_dir / "responses").glob("*/*.parquet")):
        for response in read_responses(path):
            if response.category not in CATEGORIES:
                raise TableError(f"{path}: {unknown_name('category', response.category, CATEGORIES)}")
            of_model = found.setdefault(response.model or path.parent.name, {})
            of_model.setdefault(response.category, []).append(response)
    if not found:
        raise ConfigError(f"{run_dir}/responses: no responses. Name the folder of a run (results/<run>).")
    return found


def _target(
    model: str,
    name: str,
    responses: Mapping[str, Sequence[Response]],
    official: Mapping[str, Mapping[str, Json]],
    log: Log,
) -> Target | None:
    """How `model` is written; None, and the reason told, if the official tool cannot be given its calls."""
    known = official.get(folder_name(name))
    if known is None and name != model:
        listed = [str(row["name"]) for row in official.values()]
        raise ConfigError(f"--as {model}: {unknown_name('official model', name, listed)}")
    if known is None:
        log(f"{model}: not a model of the official list; to have it scored, give the name of one with --as")
        mode = next(one.mode for of_category in responses.values() for one in of_category)
        return Target(name, assumed_form(mode), default_style(mode))
    form = known_form(known["handler"], known["is_fc_model"])
    if form.convert is None:
        log(f"{model}: left out, {known['handler']} stores its calls in a form of its own; see --as")
        return None
    style = NameStyle.UNDERSCORED if known["underscore_to_dot"] else NameStyle.DOTTED
    return Target(known["name"], form, style)


def _check_folders(out: Path, targets: Mapping[str, Target]) -> None:
    """Refuses to mix models: each gets a folder that was not there before."""
    taken: dict[str, str] = {}
    for model, target in targets.items():
        folder = out / folder_name(target.name)
        if target.name in taken:
            raise ConfigError(f"{taken[target.name]} and {model} would both be {target.name}; export one.")
        if folder.exists():
            raise ConfigError(f"{folder}: is there already. Remove it, or name another folder with --out.")
        taken[target.name] = model


class _Exporter:
    """The results of one model."""

    def __init__(self, model: str, target: Target, folder: Path, data: Path, log: Log) -> None:
        self._model, self._target, self._folder = model, target, folder
        self._data, self._log = data, log

    def write(self, responses: Mapping[str, Sequence[Response]], run_dir: Path) -> int:
        """Writes all categories, and tells what is to be known of them; returns the number of answers."""
        answers, files = 0, 0
        for category in (name for name in CATEGORIES if name in responses):
            entries = {one.entry_id: one for one in read_entries(entries_path(self._data, category))}
            count = self._write_answers(category, responses[category], entries)
            answers, files = answers + count, files + bool(count)
            sessions = run_dir / "memory" / folder_name(self._model) / f"{category}.parquet"
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
                    "Stage the release that the responses are for."
                )
        answered = sorted(filter(self._readable, responses), key=lambda one: place[one.entry_id])
        self._tell_left_out(category, [one for one in responses if not self._readable(one)])
        if any(one.web in _NO_REAL_WEB for one in answered):
            self._log(f"{self._model} {category}: not of the real web; no leaderboard's score compares")
        lines = [result_line(one, entries[one.entry_id], self._target) for one in answered]
        if lines:  # the official tool cannot read a file without one
            _write_lines(self._folder / result_path(category), lines)
        return len(lines)

    def _write_sessions(
        self, category: str, sessions: Sequence[HeldSession], entries: Mapping[str, Entry]
    ) -> None:
        held = [one for one in sessions if self._readable(one.response)]
        if not held:
            return
        lines = [result_line(one.response, entries[one.response.entry_id], self._target) for one in held]
        _write_lines(self._folder / result_path(category, sessions=True), lines)
        for one in held:  # in order: the last of a scenario is what questions start from
            text = json.dumps(one.snapshot, indent=4)
            for path in (
                snapshot_path(category, one.response.entry_id),
                final_snapshot_path(category, one.scenario),
            ):
                _write(self._folder / path, text)

    def _readable(self, response: Response) -> bool:
        return (
            response.status is Status.ANSWERED
            and response.result_json is not None
            and response.mode is self._target.form.mode
        )

    def _tell_left_out(self, category: str, responses: Iterable[Response]) -> None:
        found: dict[str, list[str]] = {}
        for response in responses:
            reason = response.status.value
            if response.status is Status.ANSWERED:
                reason = "no result" if response.result_json is None else f"asked in mode {response.mode}"
            found.setdefault(reason, []).append(response.entry_id)
        for reason, ids in found.items():
            more = f" and {len(ids) - SHOWN_IDS:,} more" if len(ids) > SHOWN_IDS else ""
            named = ", ".join(ids[:SHOWN_IDS])
            self._log(f"{self._model} {category}: left out {len(ids):,} ({reason}): {named}{more}")


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    _write(path, "".join(f"{line}\n" for line in lines))


def _write(path: Path, text: str) -> None:
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="ascii")
