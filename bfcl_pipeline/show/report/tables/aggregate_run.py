"""From the verdicts of a run to its tables on disk: Parquet, CSV and the official files."""

from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from bfcl_pipeline.ask.models.faithful import passing_in_use
from bfcl_pipeline.ask.results.layout import official_models
from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.base.files import write_text
from bfcl_pipeline.benchmark.config import ModelRow, load_models
from bfcl_pipeline.benchmark.definition.leaderboard_files import (
    OFFICIAL_FILES,
    OfficialColumn,
    OfficialFile,
    Show,
)
from bfcl_pipeline.benchmark.records import Mode, Rules
from bfcl_pipeline.judge.own_errata import using_errata
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.report.format import MISSING
from bfcl_pipeline.show.report.tables import spec
from bfcl_pipeline.show.report.tables.agentic_records import read_agentic, web_conditions
from bfcl_pipeline.show.report.tables.all_tables import TABLES
from bfcl_pipeline.show.report.tables.errata_tables import listed_entries, own_errata_rows
from bfcl_pipeline.show.report.tables.leaderboard import LEADERBOARD, with_unranked
from bfcl_pipeline.show.report.tables.memory_questions import MEMORY_QUESTIONS
from bfcl_pipeline.show.report.tables.model_scores import ModelScore, model_scores, on_the_real_web
from bfcl_pipeline.show.report.tables.omitted import with_stored_errors
from bfcl_pipeline.show.report.tables.run_records import read_run_records
from bfcl_pipeline.world.encoding import StoredEncoder


def official_files(scores: Sequence[ModelScore]) -> dict[str, str]:
    """The text of each of the six CSV files of the leaderboard by its name, as by the official tool.

    One thing differs: a field with a comma, quote or line break is quoted; the official writer would break
    the row. No name of an official model has one.

    scores: of one rule set.
    """
    return {file.name: _text(file, scores) for file in OFFICIAL_FILES}


def _text(file: OfficialFile, scores: Sequence[ModelScore]) -> str:
    header = ["Rank", *(column.header for column in file.columns)]
    rows = [
        [str(rank), *(_cell(column, score) for column in file.columns)]
        for rank, score in enumerate(_sorted(file, scores), start=1)
    ]
    return "\n".join(",".join(map(_quoted, row)) for row in [header, *rows])


def _sorted(file: OfficialFile, scores: Sequence[ModelScore]) -> list[ModelScore]:
    """Highest first, models without the number last; equal ones in the order of model names."""
    by_name = sorted(scores, key=lambda score: score.model.name)
    return sorted(by_name, key=lambda score: _sort_value(file.sorted_by, score), reverse=True)


def _sort_value(name: str, score: ModelScore) -> float:
    if name in score.scores:
        return score.scores[name].accuracy
    number = score.numbers[name]
    return -1.0 if number is None else number


def _cell(column: OfficialColumn, score: ModelScore) -> str:
    match column.show:
        case Show.TEXT:
            return str(getattr(score.model, column.value))
        case Show.NUMBER:
            number = score.numbers[column.value]
            return MISSING if number is None else str(number)
        case Show.FORMAT:
            tally = score.formats.get(column.value)
            return _percent(tally.accuracy if tally else None)
        case Show.SCORE | Show.TOTAL:
            shown = score.scores[column.value]
            known = shown.complete or column.show is Show.TOTAL
            return _percent(shown.accuracy if known else None)


def _percent(share: float | None) -> str:
    return MISSING if share is None else f"{share * 100:.2f}%"


def _quoted(field: str) -> str:
    if not set(field) & set(',"\r\n'):
        return field
    return '"' + field.replace('"', '""') + '"'


def aggregate_run(
    run: Run,
    models: Path | Iterable[Path] | None,
    rules: Rules,
    only: Collection[str] = (),
    missing: Collection[str] = (),
    told: Callable[[int, int], None] = lambda _done, _count: None,
) -> list[ModelScore]:
    """Writes the tables of a run to tables/ in its folder.

    A table that not every run has is only written if it has rows. In the official files a web category
    whose web is not the real one counts as not evaluated, and errors that the official tool stored as
    answers are judged, under the official rules.

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
    rows_of_models, sizes = {**_official_rows(data), **load_models(models)}, run.sizes_in_means
    scores = model_scores(records, rows_of_models, sizes)
    chosen = [score for score in scores if score.rules is rules]
    if not chosen:
        there = ", ".join(sorted({score.rules.value for score in scores}))
        raise TableError(
            f"{run.folder}/verdicts: no verdict under {rules.value} rules, only under {there}. "
            f"Score with --rules {rules.value}, or aggregate with --rules {there}."
        )
    # As the official tool: it judges errors that it stored, and weights by scored entries.
    stored = with_stored_errors(records, data) if rules is Rules.OFFICIAL else records
    official = scores if sizes is None and stored is records else model_scores(stored, rows_of_models)
    # It has no row for a model that it did not score.
    official = [score for score in official if score.rules is rules and score.judged]
    official = on_the_real_web(official, stored)
    with using_errata(run.errata, data):
        made = spec.RunSources(
            records,
            scores,
            rules,
            data,
            errata=listed_entries(records),
            passing=passing_in_use(data),
            own_errata=list(own_errata_rows(records)),
            sizes=sizes,
            missing=missing,
            official=() if stored is records else official,
        )
    rows: dict[str, list[Any]] = {
        name: list(table.rows(made)) for name, table in TABLES.items() if table.rows
    }
    of_models = {name: table.of_model for name, table in TABLES.items() if table.of_model}
    rows |= {name: [] for name in of_models}
    questions = [MEMORY_QUESTIONS.schema.empty_table()]  # not as rows: there are many of them
    played = read_agentic(data, records, web_conditions(run))
    for number, conversations in enumerate(played, start=1):
        of_model = spec.ModelSources(conversations, StoredEncoder(run.cache / "encoder"))
        for name, make in of_models.items():
            rows[name] += ({"model": conversations.model, **row} for row in make(of_model))
        questions.append(MEMORY_QUESTIONS.table(rows[MEMORY_QUESTIONS.name], records.run))
        rows[MEMORY_QUESTIONS.name].clear()
        told(number, len(chosen))
    tables = run.folder / "tables"
    for name, own in rows.items():
        known = TABLES[name]
        table = known.table(own, records.run)
        if known is LEADERBOARD and not all(score.judged for score in scores):
            table = with_unranked(table)
        known.write(tables, pa.concat_tables(questions) if known is MEMORY_QUESTIONS else table)
    for name, text in official_files(official).items():
        write_text(tables / "official" / name, text)
    return chosen


_DESCRIBING = ("name", "display_name", "org", "license", "url", "input_price", "output_price")


def _official_rows(data: Path) -> dict[str, ModelRow]:
    """The models of the official list, described as there; none if it is not staged."""
    if not (data / "release" / "models.json").is_file():
        return {}
    return {
        row["name"]: ModelRow(
            kind="",
            mode=Mode.FC if row["is_fc_model"] else Mode.PROMPT,
            **{name: row[name] for name in _DESCRIBING},
        )
        for row in official_models(data).values()
    }
