"""From the verdicts of a run to its tables on disk: Parquet, CSV and the official files."""

import csv
import io
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.base.files import write_text
from bfcl_pipeline.benchmark.config import load_models
from bfcl_pipeline.benchmark.errata import Treatment
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.benchmark.tables import write_table
from bfcl_pipeline.judge.own_errata import using_errata
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.report.tables.agentic_columns import AGENTIC_TABLES
from bfcl_pipeline.show.report.tables.agentic_records import AgenticRecords, read_agentic
from bfcl_pipeline.show.report.tables.answer_classes import answers, irrelevance, unread_calls
from bfcl_pipeline.show.report.tables.columns import (
    TABLES,
    UNANSWERED_TABLES,
    with_unranked,
)
from bfcl_pipeline.show.report.tables.errata_tables import (
    ceilings,
    errata_rows,
    listed_entries,
    own_errata_rows,
)
from bfcl_pipeline.show.report.tables.executable import executable_rows
from bfcl_pipeline.show.report.tables.executable_columns import EXECUTABLE_TABLES
from bfcl_pipeline.show.report.tables.memory_columns import MEMORY_QUESTIONS, MEMORY_TABLES
from bfcl_pipeline.show.report.tables.memory_questions import memory_backends
from bfcl_pipeline.show.report.tables.memory_tables import memory_rows
from bfcl_pipeline.show.report.tables.model_scores import ModelScore, model_scores, on_the_real_web
from bfcl_pipeline.show.report.tables.official import official_files
from bfcl_pipeline.show.report.tables.run_records import RunRecords, read_run_records
from bfcl_pipeline.show.report.tables.score_tables import SCORES, score_tables, unanswered_rows
from bfcl_pipeline.show.report.tables.trial_columns import TRIAL_TABLES
from bfcl_pipeline.show.report.tables.trials import trial_tables
from bfcl_pipeline.show.report.tables.view_columns import VIEW_TABLES
from bfcl_pipeline.show.report.tables.web import web_failures, web_hops, web_questions
from bfcl_pipeline.show.report.tables.web_records import web_conditions
from bfcl_pipeline.world.encoding.stored import StoredEncoder

_AGENTIC: Mapping[str, Callable[[AgenticRecords], Iterator[dict[str, Any]]]] = {
    "web_hops": web_hops,
    "web_failures": web_failures,
    "web_questions": web_questions,
}
"""The function that makes the rows of one model in each table on web search."""

_BATCH = 10_000
"""Rows of a table that are Python objects at the same time while it is written as CSV."""


def aggregate_run(
    run: Run,
    models: Path | Iterable[Path] | None,
    rules: Rules,
    only: Collection[str] = (),
    missing: Collection[str] = (),
    told: Callable[[int, int], None] = lambda _done, _count: None,
) -> list[ModelScore]:
    """Writes the tables of a run to tables/ in its folder.

    A table that is not one of TABLES is only written if it has rows. In the official files a web category
    whose web is not the real one counts as not evaluated.

    Args:
        run: has verdicts/, and may have responses/ and memory/.
        models: the models files; None: those of the config, else the usual ones.
        rules: the rule set of the official files.
        only: the models to tabulate; all that have verdicts if empty.
        missing: models without responses, to be named in the table `unanswered`.
        told: called with the number of models whose conversations have been played, and of all.

    Returns:
        The scores under `rules`.

    Raises:
        TableError: there is nothing to write, or the verdicts cannot be added up.
        ConfigError: the models file or the recorded config cannot be read.
        ErrataError: the run's own errata are malformed or do not fit the release.
    """
    data = run.data
    records = read_run_records(run, data, only)
    rows_of_models, sizes = load_models(models), run.sizes_in_means
    scores = model_scores(records, rows_of_models, sizes, run.engines)
    chosen = [score for score in scores if score.rules is rules]
    if not chosen:
        there = ", ".join(sorted({score.rules.value for score in scores}))
        raise TableError(
            f"{run.folder}/verdicts: no verdict under {rules.value} rules, only under {there}. "
            f"Score with --rules {rules.value}, or aggregate with --rules {there}."
        )
    with using_errata(run.errata, data):
        listed, own = listed_entries(records), list(own_errata_rows(records))
    mended = {entry.entry_id for entry in listed if entry.treatment is Treatment.MENDED}
    rows = score_tables(records, scores, mended, sizes)
    rows["ceilings"] = list(ceilings(records, listed, data, SCORES, sizes))
    rows["errata"] = list(errata_rows(records, listed))
    rows["own_errata"] = own
    rows["irrelevance"] = list(irrelevance(records))
    rows["answers"] = list(answers(records, scores))
    rows["unread_calls"] = list(unread_calls(records))
    rows |= trial_tables(records, rows["leaderboard"], sizes)
    rows["executable"] = list(executable_rows(records, scores, data))
    rows["unanswered"] = list(unanswered_rows(records, chosen, missing))
    rows |= {name: [] for name in (*AGENTIC_TABLES, *MEMORY_TABLES)}
    questions = [MEMORY_QUESTIONS.empty_table()]  # not as rows: there are many of them
    played = read_agentic(data, records, web_conditions(run), run.engines)
    for number, of_model in enumerate(played, start=1):
        for name, make_rows in _AGENTIC.items():
            rows[name] += make_rows(of_model)
        of_memory = memory_rows(of_model, StoredEncoder(run.cache / "encoder"))
        questions.append(_table(records, of_memory.pop("memory_questions"), MEMORY_QUESTIONS))
        for name, own in of_memory.items():
            rows[name] += own
        told(number, len(chosen))
    rows["memory_backends"] = list(memory_backends(rows["leaderboard"]))
    tables = run.folder / "tables"
    schemas = {
        **TABLES,
        **TRIAL_TABLES,
        **UNANSWERED_TABLES,
        **EXECUTABLE_TABLES,
        **AGENTIC_TABLES,
        **MEMORY_TABLES,
        **VIEW_TABLES,
    }
    if not all(score.judged for score in scores):
        schemas["leaderboard"] = with_unranked(TABLES["leaderboard"])
    made = ((name, _table(records, rows[name], schema)) for name, schema in schemas.items())
    for name, table in chain(made, [("memory_questions", pa.concat_tables(questions))]):
        if len(table) or name in TABLES:
            write_table(tables / f"{name}.parquet", table)
            write_text(tables / f"{name}.csv", csv_text(table))
        else:  # a table that an earlier configuration left must not be shown as part of this one
            (tables / f"{name}.parquet").unlink(missing_ok=True)
            (tables / f"{name}.csv").unlink(missing_ok=True)
    # The official tool weights by scored entries, also where the tables do not.
    official = chosen if sizes is None else model_scores(records, rows_of_models, None, run.engines)
    # It has no row for a model that it did not score.
    scored = [score for score in official if score.rules is rules and score.judged]
    for name, text in official_files(on_the_real_web(scored, records)).items():
        write_text(tables / "official" / name, text)
    return chosen


def _table(records: RunRecords, rows: Iterable[Mapping[str, Any]], schema: pa.Schema) -> pa.Table:
    return pa.Table.from_pylist([{"run": records.run, **row} for row in rows], schema=schema)


def csv_text(table: pa.Table) -> str:
    """`table` as CSV: a header, Unix line ends, floats in full, nulls as empty fields."""
    batches = table.to_batches(max_chunksize=_BATCH)
    rows = (zip(*batch.to_pydict().values(), strict=True) for batch in batches)
    return "".join(map(_csv_lines, chain([[table.column_names]], rows)))


def _csv_lines(rows: Iterable[Iterable[Any]]) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    for row in rows:
        writer.writerow([str(value).lower() if isinstance(value, bool) else value for value in row])
    return buffer.getvalue()
