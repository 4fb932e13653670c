"""The verdicts and answers of one run, read and checked.

Covers finding the tables of a run, naming the model if a table does not, and refusing what cannot be
added up: unknown categories, an entry with two verdicts, tables of different runs.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import polars as pl
import pyarrow as pa

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.base.text import unknown_name
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Rules, Status
from bfcl_pipeline.benchmark.tables import entries_path, read_table, with_types
from bfcl_pipeline.benchmark.tables.schemas import RESPONSES, SESSIONS, VERDICTS
from bfcl_pipeline.runs.run import Run

FORMAT_CATEGORY = "format_sensitivity"


@dataclass(frozen=True, slots=True)
class AnswerTables:
    """The tables of responses, or of sessions before memory questions, of a run."""

    schema: pa.Schema
    rows: pl.DataFrame  # model, category, steps and web (null for sessions) of every row; may be empty
    files: pl.DataFrame  # model, category and path of the tables that have rows of them

    def of(self, wanted: pl.Expr) -> Self:
        """The tables with the rows that have a property."""
        return replace(self, rows=self.rows.filter(wanted), files=self.files.filter(wanted))

    def read(
        self, model: str, categories: Iterable[str], columns: Sequence[str]
    ) -> Iterator[dict[str, Any]]:
        """The rows of one model in some categories, with the columns model, category and `columns`.

        A column that is not in `schema` is null in every row. Raises TableError if a table cannot be read.
        """
        is_chosen = (pl.col("model") == model) & pl.col("category").is_in(list(categories))
        for path in map(Path, self.files.filter(is_chosen)["path"].unique(maintain_order=True)):
            frame = _read_named(path, self.schema, ("model", "category", *columns), path.parent.name)
            yield from frame.filter(is_chosen).iter_rows(named=True)


@dataclass(frozen=True, slots=True)
class RunRecords:
    """The recorded verdicts and answers of one run."""

    run: str | None  # its name; None if the verdicts have none
    verdicts: pl.DataFrame  # columns of schemas.VERDICTS, models in order of name; none that is left out
    left_out: pl.DataFrame  # the same columns: what the rules `verified` leave out; may be empty
    responses: AnswerTables  # of models and categories that have verdicts
    sessions: AnswerTables  # of models and categories that have verdicts
    formats: (
        pl.DataFrame
    )  # of format-sensitivity entries; may be empty. entry_id, prompt_format, base_entry_id

    def of(self, categories: Collection[str]) -> Self:
        """The records on some categories; without a copy if there are no others."""
        wanted = pl.col("category").is_in(list(categories))
        if set(self.verdicts["category"].unique()) <= set(categories):
            return self
        return replace(
            self,
            verdicts=self.verdicts.filter(wanted),
            left_out=self.left_out.filter(wanted),
            responses=self.responses.of(wanted),
            sessions=self.sessions.of(wanted),
        )


def read_run_records(run: Run, data: Path, models: Collection[str] = ()) -> RunRecords:
    """The recorded verdicts and answers under a run directory.

    Args:
        run: has verdicts/, and may have responses/ and memory/.
        data: the staged release.
        models: the models to read, all if empty; the directory may contain what an earlier configuration
            left.

    Raises:
        TableError: there is no verdict, also of one of `models`, or verdicts cannot be added up.
    """
    verdicts = _read_verdicts(run, models)
    is_left_out = pl.col("status") == Status.LEFT_OUT.value
    left_out = verdicts.filter(is_left_out)
    verdicts = verdicts.filter(~is_left_out)  # the unfiltered verdicts are freed: they are large
    scored = verdicts.select("model", "category").unique()
    return RunRecords(
        run=_run_name(run, verdicts),
        verdicts=verdicts,
        left_out=left_out,
        responses=_read_answers(run.folder.glob("responses/*/*.parquet"), RESPONSES, scored),
        sessions=_read_answers(run.folder.glob("memory/*/*.parquet"), SESSIONS, scored),
        formats=_read_formats(data, verdicts),
    )


def _read_verdicts(run: Run, models: Collection[str]) -> pl.DataFrame:
    folder = run.folder / "verdicts"
    paths = sorted(folder.glob("*.parquet"))
    if not paths:
        raise TableError(
            f"{folder}: no verdicts. Score the responses of the run first (bfcl-pipeline score)."
        )
    frame = pl.concat(_read_named(path, VERDICTS, VERDICTS.names, path.stem) for path in paths)
    for model in sorted(set(models) - set(frame["model"])):
        raise TableError(f"{folder}: {unknown_name('model', model, frame['model'].unique().sort())}")
    if models:
        frame = frame.filter(pl.col("model").is_in(list(models)))
    if not frame["model"].is_sorted():  # as by the names of the files; a sort would copy all of it
        frame = frame.sort("model", maintain_order=True)
    _check_verdicts(folder, frame)
    return frame


def _read_answers(paths: Iterable[Path], schema: pa.Schema, scored: pl.DataFrame) -> AnswerTables:
    """The tables in the models' folders: rows sorted by model and category, only of those in `scored`."""
    columns, key = ("model", "category", "steps", "web"), ["model", "category"]
    empty = pa.schema([RESPONSES.field(name) for name in columns]).empty_table()
    rows = [pl.DataFrame(pl.from_arrow(empty))]
    files = [pl.DataFrame(schema=dict.fromkeys([*key, "path"], pl.String))]
    for path in sorted(paths):
        rows.append(_read_named(path, schema, columns, path.parent.name))
        files.append(rows[-1].select(key).unique(maintain_order=True).with_columns(path=pl.lit(str(path))))
    found = (pl.concat(frames).join(scored, on=key, how="semi") for frames in (rows, files))
    return AnswerTables(schema, *(frame.sort(key, maintain_order=True) for frame in found))


def _read_named(path: Path, schema: pa.Schema, columns: Sequence[str], model: str) -> pl.DataFrame:
    """The table at `path` with `columns`; the model of rows without one is `model`.

    Columns that the schema does not have are null.
    Raises TableError if another column is missing or not of its type.
    """
    present = [name for name in columns if name in schema.names]
    table = read_table(path, present)
    frame = pl.DataFrame(pl.from_arrow(with_types(path, table, schema)))
    lacking = [pl.lit(None, pl.String).alias(name) for name in columns if name not in frame.columns]
    return frame.with_columns(pl.col("model").fill_null(model), *lacking).select(columns)


def by_model(frame: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """The rows of each model, in their order."""
    parts = frame.partition_by("model", maintain_order=True, as_dict=True)
    return {str(model): part for (model,), part in parts.items()}


_ORDERS = {
    "category": pl.Enum(list(CATEGORIES)),
    "rules": pl.Enum([rules.value for rules in Rules]),
    "status": pl.Enum([status.value for status in Status]),
}
"""The order of the values of some columns."""


def in_order(frame: pl.DataFrame, *keys: str) -> pl.DataFrame:
    """The rows sorted by some columns: rules, categories and statuses in their own order; stable."""
    order = [pl.col(key).cast(_ORDERS[key]) if key in _ORDERS else pl.col(key) for key in keys]
    return frame.sort(order, maintain_order=True)


def _read_formats(data: Path, verdicts: pl.DataFrame) -> pl.DataFrame:
    columns = ("entry_id", "prompt_format", "base_entry_id")
    path = entries_path(data, FORMAT_CATEGORY)
    scored = verdicts.filter(pl.col("category") == FORMAT_CATEGORY)
    if scored.is_empty():
        return pl.DataFrame(schema=dict.fromkeys(columns, pl.String))
    formats = pl.DataFrame(pl.from_arrow(read_table(path, columns)))
    stray = scored.join(formats, on="entry_id", how="anti")
    if not stray.is_empty():
        raise TableError(
            f"{path}: entry {stray['entry_id'][0]!r}, which has a verdict, is not in the staged release. "
            "Stage the release that the responses are for."
        )
    return formats


def _run_name(run: Run, verdicts: pl.DataFrame) -> str | None:
    names = verdicts["run"].drop_nulls().unique().sort().to_list()
    if len(names) > 1:
        raise TableError(
            f"{run.folder}/verdicts: the verdicts are of different runs ({', '.join(map(repr, names))}). "
            "Use a separate directory for each run."
        )
    return names[0] if names else None


def _check_verdicts(folder: Path, frame: pl.DataFrame) -> None:
    """Raises TableError if verdicts cannot be added up."""
    for column, kind, known in (("category", "category", CATEGORIES), ("rules", "rule set", [*Rules])):
        for name in frame[column].unique().sort():
            if name not in known:
                raise TableError(f"{folder}: {unknown_name(kind, name, known)}")
    # Of the columns of the key alone, and one model at a time: the search takes several times their memory.
    for of_model in by_model(frame.select("model", "rules", "category", "entry_id")).values():
        twice = of_model.filter(of_model.select("rules", "category", "entry_id").is_duplicated())
        if not twice.is_empty():
            row = twice.row(0, named=True)
            raise TableError(
                f"{folder}: entry {row['entry_id']!r} of model {row['model']!r} has several verdicts under "
                f"{row['rules']} rules; expected one. Remove the file that does not belong to this run."
            )
    odd = frame.filter((pl.col("status") == Status.ANSWERED.value) != pl.col("valid").is_not_null())
    if not odd.is_empty():
        row = odd.row(0, named=True)
        raise TableError(
            f"{folder}: entry {row['entry_id']!r} of model {row['model']!r} has status {row['status']!r} "
            f"and verdict {row['valid']}; expected a verdict exactly where the status is 'answered'."
        )
