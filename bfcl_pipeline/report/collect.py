"""The verdicts and responses of one run, read and checked.

Covers finding the files of a run, naming the model where a file does not, and refusing what cannot be
added up: unknown categories, an entry judged twice, files of different runs.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pyarrow as pa

from bfcl_pipeline.benchmark import CATEGORIES, unknown_name
from bfcl_pipeline.errors import TableError
from bfcl_pipeline.records import Rules, Status
from bfcl_pipeline.tables import entries_path, read_table
from bfcl_pipeline.tables.schemas import RESPONSES, SESSIONS, VERDICTS

FORMAT_CATEGORY = "format_sensitivity"

_RESPONSE_COLUMNS = ("model", "category", "steps", "web")
_SESSION_COLUMNS = ("model", "category", "steps")
_OPTIONAL = ("web",)  # tables from elsewhere, or of an earlier version, may lack it


@dataclass(frozen=True, slots=True)
class RunRecords:
    """What was recorded of one run."""

    run: str | None  # its name, where the verdicts tell one
    verdicts: pl.DataFrame  # columns of schemas.VERDICTS, models in order of name
    responses: pl.DataFrame  # model, category, exchanges and web; empty where there are none
    sessions: pl.DataFrame  # model, category and exchanges of those before memory questions; likewise
    formats: pl.DataFrame  # entry_id and prompt_format of the format-sensitivity test; may be empty


def read_run(run_dir: Path, data: Path, models: Collection[str] = ()) -> RunRecords:
    """Everything under `run_dir` that the tables are made of; `data` is the staged release.

    Of `models` only, if they are named: a folder may hold what an earlier configuration left. Raises
    TableError if there is no verdict, also of one of `models`, or if the verdicts cannot be added up.
    """
    verdicts = _read_verdicts(run_dir, models)
    responses = _read_all(run_dir / "responses", RESPONSES, _RESPONSE_COLUMNS)
    sessions = _read_all(run_dir / "memory", SESSIONS, _SESSION_COLUMNS)
    judged = verdicts.select("model", "category").unique()
    return RunRecords(
        run=_run_name(run_dir, verdicts),
        verdicts=verdicts,
        responses=responses.join(judged, on=["model", "category"], how="semi"),
        sessions=sessions.join(judged, on=["model", "category"], how="semi"),
        formats=_read_formats(data, verdicts),
    )


def _read_verdicts(run_dir: Path, models: Collection[str]) -> pl.DataFrame:
    folder = run_dir / "verdicts"
    paths = sorted(folder.glob("*.parquet"))
    if not paths:
        raise TableError(
            f"{folder}: no verdicts. Judge the responses of the run first (bfcl-pipeline score)."
        )
    frame = pl.concat(read_named(path, VERDICTS, VERDICTS.names, path.stem) for path in paths)
    for model in sorted(set(models) - set(frame["model"])):
        raise TableError(f"{folder}: {unknown_name('model', model, frame['model'].unique().sort())}")
    if models:
        frame = frame.filter(pl.col("model").is_in(list(models)))
    frame = frame.sort("model", maintain_order=True)
    _check_categories(folder, frame)
    _check_rules(folder, frame)
    _check_unique(folder, frame)
    _check_statuses(folder, frame)
    return frame


def _read_all(folder: Path, schema: pa.Schema, columns: Sequence[str]) -> pl.DataFrame:
    """The rows of all tables of the models' folders, by model and category."""
    paths = sorted(folder.glob("*/*.parquet"))
    if not paths:
        return empty(schema, columns)
    frame = pl.concat(read_named(path, schema, columns, path.parent.name) for path in paths)
    return frame.sort("model", "category", maintain_order=True)


def read_named(path: Path, schema: pa.Schema, columns: Sequence[str], model: str) -> pl.DataFrame:
    """The table at `path` with `columns` of `schema`; rows that name no model get `model`.

    Raises TableError if a column is missing or not of its type.
    """
    table = _read_present(path, columns)
    wanted = pa.schema([schema.field(name) for name in table.column_names])
    try:
        frame = pl.DataFrame(pl.from_arrow(table.cast(wanted)))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, ValueError) as error:
        raise TableError(f"{path}: a column is not of the documented type ({error}).") from error
    lacking = [pl.lit(None, pl.String).alias(name) for name in columns if name not in frame.columns]
    return frame.with_columns(pl.col("model").fill_null(model), *lacking).select(columns)


def _read_present(path: Path, columns: Sequence[str]) -> pa.Table:
    """The columns, without the optional ones where one is missing."""
    try:
        return read_table(path, columns)
    except TableError:
        return read_table(path, [name for name in columns if name not in _OPTIONAL])


def by_model(frame: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """The rows of each model, in their order."""
    parts = frame.partition_by("model", maintain_order=True, as_dict=True)
    return {str(model): part for (model,), part in parts.items()}


def empty(schema: pa.Schema, columns: Sequence[str]) -> pl.DataFrame:
    """No row, with `columns` of `schema`."""
    wanted = pa.schema([schema.field(name) for name in columns])
    return pl.DataFrame(pl.from_arrow(wanted.empty_table()))


def _read_formats(data: Path, verdicts: pl.DataFrame) -> pl.DataFrame:
    columns = ("entry_id", "prompt_format")
    path = entries_path(data, FORMAT_CATEGORY)
    judged = verdicts.filter(pl.col("category") == FORMAT_CATEGORY)
    if judged.is_empty():
        return pl.DataFrame(schema=dict.fromkeys(columns, pl.String))
    formats = pl.DataFrame(pl.from_arrow(read_table(path, columns)))
    stray = judged.join(formats, on="entry_id", how="anti")
    if not stray.is_empty():
        raise TableError(
            f"{path}: entry {stray['entry_id'][0]!r}, which was judged, is not in the staged release. "
            "Stage the release that the responses are for."
        )
    return formats


def _run_name(run_dir: Path, verdicts: pl.DataFrame) -> str | None:
    names = verdicts["run"].drop_nulls().unique().sort().to_list()
    if len(names) > 1:
        raise TableError(
            f"{run_dir}/verdicts: files of different runs ({', '.join(map(repr, names))}). "
            "Keep each run in a folder of its own."
        )
    return names[0] if names else None


def _check_categories(folder: Path, frame: pl.DataFrame) -> None:
    for category in frame["category"].unique().sort():
        if category not in CATEGORIES:
            raise TableError(f"{folder}: {unknown_name('category', category, CATEGORIES)}")


def _check_rules(folder: Path, frame: pl.DataFrame) -> None:
    known = [rules.value for rules in Rules]
    for rules in frame["rules"].unique().sort():
        if rules not in known:
            raise TableError(f"{folder}: {unknown_name('rule set', rules, known)}")


def _check_unique(folder: Path, frame: pl.DataFrame) -> None:
    key = ["model", "rules", "category", "entry_id"]
    twice = frame.filter(frame.select(key).is_duplicated())
    if not twice.is_empty():
        row = twice.row(0, named=True)
        raise TableError(
            f"{folder}: entry {row['entry_id']!r} of model {row['model']!r} is judged more than once under "
            f"{row['rules']} rules; expected one verdict each. Remove the file that does not belong here."
        )


def _check_statuses(folder: Path, frame: pl.DataFrame) -> None:
    odd = frame.filter((pl.col("status") == Status.ANSWERED.value) != pl.col("valid").is_not_null())
    if not odd.is_empty():
        row = odd.row(0, named=True)
        raise TableError(
            f"{folder}: entry {row['entry_id']!r} of model {row['model']!r} has status {row['status']!r} "
            f"and verdict {row['valid']}; expected a verdict exactly where the status is 'answered'."
        )
