"""Importing result folders of the official tool as a run: responses, memory sessions and verdicts.

Covers everything of a run directory that its tables and its report are made from. Imported answers have no
journal, so the run can be scored and shown but not replayed; its config says so.
"""

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from bfcl_pipeline.ask.results.found_form import NO_CHOICE, FormChoice
from bfcl_pipeline.ask.results.import_results import read_results, session_snapshot
from bfcl_pipeline.ask.results.import_summary import ResultTable, summary
from bfcl_pipeline.ask.results.result_files import find_results
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.files import replaced_folder, write_text
from bfcl_pipeline.base.text import Log
from bfcl_pipeline.benchmark.config import (
    described_row,
    load_models,
    model_folder,
    recorded_models,
    trial_of,
)
from bfcl_pipeline.benchmark.config.run_config import ERRATA_FOLDER
from bfcl_pipeline.benchmark.config.run_form import FORM_KEY, RUN_FORM
from bfcl_pipeline.benchmark.definition import CATEGORIES, release
from bfcl_pipeline.benchmark.records import Response, Rules
from bfcl_pipeline.benchmark.tables import (
    entries_path,
    read_entries,
    responses_table,
    write_responses,
    write_table,
)
from bfcl_pipeline.benchmark.tables.responses import write_sessions
from bfcl_pipeline.judge.judging import score_table_by_all_rules, start_workers
from bfcl_pipeline.judge.own_errata import using_errata
from bfcl_pipeline.world.web.apis import ApisByMode


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    """What is imported, and as what."""

    result_dir: Path  # the official `result` folder, or the folder of one model in it
    run: str  # name of the run
    data: Path  # the staged release
    models: Sequence[Path] | None  # models files, for display names and prices; None: the usual ones
    choice: FormChoice = NO_CHOICE  # what is known of the form of the answers
    web: str | None = None  # web that the answers to web questions come from; None: unknown
    rules: Rules = Rules.OFFICIAL  # rule set of the official tables
    cache: Path = Path("cache")  # with web/, the recorded answers of web APIs for executed calls
    errata: Sequence[Path] = ()  # files of the user's own errata


@contextlib.contextmanager
def new_run_folder(folder: Path, *, overwrite: bool) -> Iterator[Path]:
    """An empty directory that becomes `folder` if the block ends without an error.

    overwrite: replaces an existing directory, which stays as it is until then. Raises ConfigError if it
    exists and may not be replaced.
    """
    if folder.exists() and not overwrite:
        raise ConfigError(
            f"{folder}: this run exists. Choose another name, or replace it with --overwrite."
        )
    with replaced_folder(folder) as made:
        yield made


def import_run(source: Import, folder: Path, log: Log) -> None:
    """Writes responses, memory sessions, verdicts under all rule sets, config and models to `folder`.

    Raises:
        ConfigError: there are no results, or the answers of a model contradict what is said of their form.
        TableError: no line can be read, or a memory snapshot cannot; the message names it.
    """
    rows = load_models(source.models)
    found = find_results(source.result_dir)
    read = read_results(
        found,
        data=source.data,
        run=source.run,
        choice=source.choice,
        web=source.web,
        rows=rows.values(),
        log=log,
    )
    of_models: dict[str, list[Response]] = {}
    for table in (table for model in read for table in model.tables):
        path = f"{model_folder(table.model)}/{table.file.category}.parquet"
        if table.file.sessions:
            _write_sessions(folder / "memory" / path, table, source.data)
        else:
            write_responses(folder / "responses" / path, table.responses)
            of_models.setdefault(table.model, []).extend(table.responses)
    responses = [response for of_model in of_models.values() for response in of_model]
    for line in summary(source.result_dir, found, read):
        log(line)
    apis = ApisByMode(source.data, source.cache / "web")
    with using_errata(source.errata, source.data), start_workers(len(responses)) as workers:
        for model, of_model in of_models.items():
            verdicts = score_table_by_all_rules(responses_table(of_model), source.data, workers, apis)
            write_table(folder / "verdicts" / f"{model_folder(model)}.parquet", verdicts)
    for own in source.errata:
        write_text(folder / ERRATA_FOLDER / own.name, own.read_text(encoding="utf-8"))
    write_text(folder / "config.yaml", _config(source, of_models, responses))
    # All trials of a model share one row.
    described_models = dict.fromkeys(trial_of(model).model for model in of_models)
    known = [row for row in (described_row(rows, model) for model in described_models) if row.kind]
    write_text(folder / "models.yaml", recorded_models(known))


def _config(source: Import, models: dict[str, list[Response]], responses: Sequence[Response]) -> str:
    """What the run evaluates, in the keys of a config; `imported` marks it as not generated here."""
    evaluated = {response.category for response in responses}
    document = {
        FORM_KEY: RUN_FORM,
        "run": source.run,
        "imported": "result folders of the official tool",
        "models": list(models),
        "categories": [category for category in CATEGORIES if category in evaluated],
        "release": {"version": release.VERSION},
        "rules": source.rules.value,
        "errata": [path.name for path in source.errata],
        "web": source.web,
    }
    text: str = yaml.safe_dump(document, allow_unicode=True, width=100)
    return text


def _write_sessions(path: Path, table: ResultTable, data: Path) -> None:
    entries = {entry.entry_id: entry for entry in read_entries(entries_path(data, table.file.category))}
    write_sessions(
        path,
        (
            (entries[response.entry_id], response, session_snapshot(table, response))
            for response in table.responses
        ),
    )
