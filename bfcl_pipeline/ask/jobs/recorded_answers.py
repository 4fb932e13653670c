"""The answers of a model of kind `results`: read from results that exist already, on the entries of a job.

Covers result folders of the official tool, tables of responses, directories of runs and archives
(`jobs.result_paths` tells which is which), and replays, which take the answers of the recorded run as they
are: no journal has them. An entry of the job that the results lack has the status `skipped` and no verdict.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from bfcl_pipeline.ask.generation import Completed
from bfcl_pipeline.ask.jobs.observed import record_given, status_counts
from bfcl_pipeline.ask.jobs.result_paths import ResultForm, official_files, result_form
from bfcl_pipeline.ask.jobs.selection import choose_entries
from bfcl_pipeline.ask.jobs.worlds import observed_run
from bfcl_pipeline.ask.results.import_results import read_results, session_snapshot
from bfcl_pipeline.ask.results.import_summary import import_notes
from bfcl_pipeline.ask.results.result_files import FoundResults
from bfcl_pipeline.base.errors import ConfigError, TableError
from bfcl_pipeline.base.text import Log, plural, unknown_name
from bfcl_pipeline.benchmark.config import Job, model_folder, trial_of
from bfcl_pipeline.benchmark.config.job import WEB_MODES
from bfcl_pipeline.benchmark.definition import CATEGORIES, Check
from bfcl_pipeline.benchmark.records import Entry, Json, Response, Status
from bfcl_pipeline.benchmark.tables import (
    entries_path,
    read_entries,
    read_responses,
    read_table,
    responses_in,
    with_types,
)
from bfcl_pipeline.benchmark.tables.responses import read_sessions
from bfcl_pipeline.benchmark.tables.schemas import RESPONSES
from bfcl_pipeline.runs.archived.unpacking import opened_run
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.runs.web_label import UNKNOWN

NOT_IN_RESULTS = "not in the results"
"""The status detail of an entry that the results lack."""

_MEASURED = ("input_tokens", "output_tokens", "latency_seconds")
_MOST = 10**12  # of any of them; sums of more would overflow a column

_MEMBER = re.compile(
    r"results/[^/]{1,200}/(?P<part>responses|memory)/(?P<model>[^/]{1,200})/(?P<category>\w{1,100})\.parquet"
)


_Answers: TypeAlias = dict[tuple[str, str], tuple[Response, Json]]
"""What results have: by category and entry id, the response and, of a session, the memory after it."""


def given_answers(job: Job, log: Log) -> list[Completed]:
    """Every entry of `job` with the answer that the results have, sessions included, in entry order.

    Args:
        job: of a model of kind `results`; in a replay its answers come from the observed run.
        log: receives a line with what was taken and what was not.

    Raises:
        ConfigError: there are no such results, or they have no such model; names those that they have.
        TableError: a row cannot be read, or its entry is not one of the staged release.
        WebError: what the verdicts on executed calls need of a web API cannot be recorded now.
        ArchiveError: the archive is damaged, or not as `archive` writes it.
    """
    staged = [
        entry
        for category in job.categories
        for entry in read_entries(entries_path(job.paths.data, category))
    ]
    if job.replay:
        run = observed_run(job)
        if run is None:
            raise ConfigError(
                f"{job.name}: its answers are in no journal; a replay needs --observed RUN_DIR."
            )
        answers, source = _of_run(run, job.name, job.categories), run.folder
    else:
        source = Path(str(job.row.path))
        answers = _READERS[result_form(source)](source, job, log)
    known = {(entry.category, entry.entry_id) for entry in staged}
    for key, (response, _) in answers.items():
        if key not in known:
            raise TableError(
                f"{source}: {key[1]!r} is not an entry of {key[0]} in the staged release. Results must be "
                "of the same release."
            )
        _check_values(source, response)
    completed = list(_completed(job, answers, choose_entries(staged, job.categories, job.selection)))
    log(_summary(job, source, answers, completed))
    record_given(job, completed)
    return completed


def _add(answers: _Answers, where: Path, responses: Iterable[tuple[Response, Json]]) -> None:
    for response, snapshot in responses:
        key = (response.category, response.entry_id)
        if key in answers:
            raise TableError(f"{where}: duplicate {response.entry_id!r}. Keep one row per entry.")
        answers[key] = (response, snapshot)


def _of_official_folder(path: Path, job: Job, log: Log) -> _Answers:
    there = official_files(path, job.row.model)
    found = FoundResults([file for file in there.files if file.category in job.categories], there.not_read)
    # The row counts for a folder that is not in the official list of models.
    rows = [replace(job.row, name=trial_of(file.folder).model) for file in found.files[:1]]
    read = read_results(found, data=job.paths.data, run=job.run, rows=rows, log=log)
    for line in import_notes(found, read):
        log(line)
    answers: _Answers = {}
    for table in (table for model in read for table in model.tables):
        snapshots = [
            session_snapshot(table, one) if table.file.sessions else None for one in table.responses
        ]
        _add(answers, table.file.path, zip(table.responses, snapshots, strict=True))
    return answers


def _of_table(path: Path, job: Job, _log: Log) -> _Answers:
    present, model = with_types(path, read_table(path), RESPONSES), job.row.model
    for name in ("category", "entry_id"):
        if name not in present.column_names:
            raise TableError(f"{path}: column {name!r} is missing; this is not a table of responses.")
    for category in present["category"].unique().to_pylist():
        if category not in CATEGORIES:
            raise TableError(f"{path}: {unknown_name('category', category, CATEGORIES)}")
    wanted = pc.is_in(present["category"], value_set=pa.array(list(job.categories), pa.string()))
    if "model" in present.column_names:
        there = [name for name in present["model"].unique().to_pylist() if name is not None]
        if there and model not in there:
            raise ConfigError(f"{path}: {_no_model(model, there)}")
        if there:
            wanted = pc.and_(wanted, pc.is_in(present["model"], value_set=pa.array([model])))
    answers: _Answers = {}
    _add(answers, path, ((response, None) for response in responses_in(path, present.filter(wanted))))
    return answers


def _of_run(run: Run, model: str, categories: Iterable[str]) -> _Answers:
    """The answers in a run."""
    folders = {path.name for path in (run.folder / "responses").glob("*/")}
    if model_folder(model) not in folders:
        there = run.recorded.folders if run.generated else folders
        raise ConfigError(f"{run.folder}: {_no_model(model, there)}")
    answers: _Answers = {}
    for category in categories:
        path = run.responses(model, category)
        if path.is_file():
            _add(answers, path, ((response, None) for response in read_responses(path)))
        path = run.sessions(model, category)
        if path.is_file():
            _add(answers, path, ((held.response, held.snapshot) for held in read_sessions(path)))
    return answers


def _of_run_or_archive(path: Path, job: Job, _log: Log) -> _Answers:
    """The answers in a run or an archive, of which only the tables of this model are unpacked."""
    own, wanted = model_folder(job.row.model), frozenset(job.categories)

    def needed(name: str) -> object:
        """Whether a member of the archive is needed: what says which run it is, nothing of other models."""
        member = _MEMBER.fullmatch(name)
        table = member and member["model"] == own and member["category"] in wanted
        return table or name.endswith(("/config.yaml", "/models.yaml"))

    with opened_run(path.absolute(), wanted=needed) as run:  # not the run of that name in results/
        return _of_run(run, job.row.model, job.categories)


_READERS: Mapping[ResultForm, Callable[[Path, Job, Log], _Answers]] = {
    ResultForm.OFFICIAL: _of_official_folder,
    ResultForm.TABLE: _of_table,
    ResultForm.RUN: _of_run_or_archive,
    ResultForm.ARCHIVE: _of_run_or_archive,
}


def _no_model(model: str, there: Iterable[str]) -> str:
    return f"{unknown_name('model', model, sorted(there))} Set `model` in its row."


def _check_values(source: Path, response: Response) -> None:
    """Raises TableError for numbers that cannot be measured ones, and for an unknown web."""
    for each in (response, *response.steps):
        for name in _MEASURED:
            value = getattr(each, name)
            if value is not None and not 0 <= value <= _MOST:  # also for NaN
                raise TableError(
                    f"{source}: {name} of {response.entry_id!r} is {value:g}; expected 0 to "
                    f"{_MOST:.0e}, or null if it was not measured."
                )
    if response.web not in (None, UNKNOWN, *WEB_MODES):
        raise TableError(f"{source}: {response.entry_id!r}: {unknown_name('web', response.web, WEB_MODES)}")


def _completed(job: Job, answers: _Answers, entries: Sequence[Entry]) -> Iterable[Completed]:
    """The entries with their answers, without the sessions of categories of which the results have none."""
    with_sessions = {
        entry.category
        for entry in entries
        if entry.prerequisite and (entry.category, entry.entry_id) in answers
    }
    for entry in entries:
        if entry.prerequisite and entry.category not in with_sessions:
            continue
        response, snapshot = answers.get((entry.category, entry.entry_id)) or (
            Response(
                entry.entry_id,
                entry.category,
                job.row.mode,
                None,
                status=Status.SKIPPED,
                status_detail=NOT_IN_RESULTS,
            ),
            None,
        )
        yield Completed(entry, _own(job, response), snapshot)


def _own(job: Job, response: Response) -> Response:
    """A response as one of this run, with the web that it comes from."""
    category, web = CATEGORIES[response.category], response.web
    if category.executes:
        web = job.web.mode  # its calls are executed here, by scoring
    elif category.check is Check.WEB_SEARCH and response.result_json is not None:
        web = response.web or job.row.web or UNKNOWN
    return replace(response, model=job.name, run=job.run, web=web)


def _summary(job: Job, source: Path, answers: _Answers, completed: Sequence[Completed]) -> str:
    responses = [one.response for one in completed if not one.entry.prerequisite]
    taken = [one for one in responses if one.status_detail != NOT_IN_RESULTS]
    failed = [one for one in taken if one.status is not Status.ANSWERED]
    asked = {(one.entry.category, one.entry.entry_id) for one in completed}
    lacking, unused = len(responses) - len(taken), sum(key not in asked for key in answers)
    text = f"{job.name}: {plural(len(taken), 'entry', 'entries')} taken from {source.name}"
    if lacking:
        text += f"; {NOT_IN_RESULTS}: {lacking:,}"
    if failed:
        text += f"; without an answer: {status_counts(failed)}"
    if unused:
        text += f"; not asked in this run: {unused:,}"
    return f"{text}."
