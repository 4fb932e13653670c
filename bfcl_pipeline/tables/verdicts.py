"""Verdicts on a table of responses, judged in parallel.

Covers what stands between a Parquet file and `scoring`: reading the rows with clear errors, judging
equal rows once, sharing the work among processes, and putting the verdicts back in row order. The
verdicts do not depend on how many processes there are.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import Any

import pyarrow as pa

from bfcl_pipeline.benchmark import CATEGORIES, unknown_name
from bfcl_pipeline.errors import TableError
from bfcl_pipeline.records import Mode, NameStyle, Response, Rules, Status, Verdict
from bfcl_pipeline.scoring import Judge
from bfcl_pipeline.tables.entries import entries_path, read_entries
from bfcl_pipeline.tables.schemas import VERDICT_FIELDS, VERDICTS

REQUIRED = ("entry_id", "category", "mode", "result_json")
"""Columns that a table of responses must have; the others of `schemas.RESPONSES` may be missing."""

_ROWS_PER_PROCESS = 4_000
"""Below this many different rows another process costs more than it saves."""


@dataclass(frozen=True, slots=True)
class _Row:
    """What a verdict depends on: equal rows have equal verdicts."""

    category: str
    entry_id: str
    mode: str
    name_style: str | None
    status: str
    status_detail: str | None
    result_json: str | None


def judge_table(table: pa.Table, data: Path, rules: Rules, processes: int | None = None) -> pa.Table:
    """The columns `valid, error_type, error_message, status` for each row of `table`, in its order.

    table: columns `entry_id, category, mode, result_json`, optionally `name_style, status,
    status_detail`. data: the staged data folder. Raises TableError naming the row or column.
    """
    rows = _rows(table)
    distinct = sorted(set(rows), key=_entry_order)
    processes = processes or min(os.cpu_count() or 1, 1 + len(distinct) // _ROWS_PER_PROCESS)
    found: dict[_Row, Verdict] = {}
    for share, verdicts in _judged(distinct, data, rules, processes):
        found.update(zip(share, verdicts, strict=True))
    return _columns([found[row] for row in rows])


def add_verdicts(table: pa.Table, verdicts: pa.Table) -> pa.Table:
    """`table` with the columns of `verdicts`; columns of the same names are replaced."""
    kept = table.drop_columns([name for name in verdicts.column_names if name in table.column_names])
    for field in verdicts.schema:
        kept = kept.append_column(field, verdicts.column(field.name))
    return kept


def verdict_table(responses: pa.Table, verdicts: dict[Rules, pa.Table]) -> pa.Table:
    """A table with the columns of `schemas.VERDICTS`: all rows by one rule set, then by the next."""
    blocks = []
    for rules, columns in verdicts.items():
        block = add_verdicts(responses, columns)
        count = len(block)
        arrays = {
            "rules": pa.array([rules.value] * count, pa.string()),
            **{name: block.column(name) for name in block.column_names},
        }
        blank = pa.nulls(count, pa.string())
        blocks.append(pa.table([arrays.get(name, blank) for name in VERDICTS.names], schema=VERDICTS))
    return pa.concat_tables(blocks)


def _entry_order(row: _Row) -> tuple[str, str, str, str]:
    """Rows of one entry stand together, so that it is prepared in one process only."""
    return row.category, row.entry_id, row.mode, row.result_json or ""


def _rows(table: pa.Table) -> list[_Row]:
    missing = [name for name in REQUIRED if name not in table.column_names]
    if missing:
        raise TableError(
            f"the responses have no column {missing[0]!r}; needed are {', '.join(REQUIRED)}. "
            f"Found: {', '.join(table.column_names) or 'none'}."
        )
    modes = _texts(table, "mode")
    styles = _texts(table, "name_style")
    statuses = _texts(table, "status", Status.ANSWERED.value)
    categories = _texts(table, "category")
    for name, values, known in (
        ("category", categories, CATEGORIES),
        ("mode", modes, [*Mode]),
        ("name_style", styles, [*NameStyle, None]),
        ("status", statuses, [*Status]),
    ):
        _require_known(name, values, known)
    columns = (
        categories,
        _texts(table, "entry_id"),
        modes,
        styles,
        statuses,
        _texts(table, "status_detail"),
        _texts(table, "result_json"),
    )
    return [_Row(*values) for values in zip(*columns, strict=True)]


def _texts(table: pa.Table, name: str, default: str | None = None) -> list[Any]:
    if name not in table.column_names:
        return list(repeat(default, len(table)))
    column = table.column(name)
    if not (pa.types.is_string(column.type) or pa.types.is_null(column.type)):
        try:
            column = column.cast(pa.string())
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise TableError(f"the column {name!r} must hold text, got {column.type}.") from error
    return [default if value is None else value for value in column.to_pylist()]


def _require_known(name: str, values: Sequence[Any], known: Iterable[Any]) -> None:
    known = [None if value is None else str(value) for value in known]
    for value in set(values) - set(known):
        row = values.index(value) + 1
        raise TableError(f"row {row}: {unknown_name(name, value, filter(None, known))}")


def _judged(
    rows: Sequence[_Row], data: Path, rules: Rules, processes: int
) -> Iterator[tuple[Sequence[_Row], list[Verdict]]]:
    if processes <= 1:
        yield rows, _judge_share(rows, data, rules)
        return
    shares = list(_shares(rows, processes * 2))
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=context) as pool:
        yield from zip(shares, pool.map(_judge_share, shares, repeat(data), repeat(rules)), strict=True)


def _shares(rows: Sequence[_Row], count: int) -> Iterator[Sequence[_Row]]:
    """`rows` in about `count` parts of equal size, never cutting between rows of one entry."""
    start = 0
    for part in range(1, count + 1):
        end = max(start, len(rows) * part // count)
        while 0 < end < len(rows) and rows[end].entry_id == rows[end - 1].entry_id:
            end += 1
        if end > start:
            yield rows[start:end]
        start = end


def _judge_share(rows: Sequence[_Row], data: Path, rules: Rules) -> list[Verdict]:
    wanted: dict[str, set[str]] = {}
    for row in rows:
        wanted.setdefault(row.category, set()).add(row.entry_id)
    judges: dict[str, Judge] = {}
    for category, entry_ids in wanted.items():
        path = entries_path(data, category)
        judges.update((entry.entry_id, Judge(entry)) for entry in read_entries(path, entry_ids))
        unknown = sorted(entry_ids - judges.keys(), key=str)
        if unknown:
            raise TableError(
                f"entry {unknown[0]!r} is not one of {category} in {path}. "
                "Entry ids are those of the release; check the category."
            )
    return [_verdict(judges[row.entry_id], row, rules) for row in rows]


def _verdict(judge: Judge, row: _Row, rules: Rules) -> Verdict:
    if row.result_json is None and row.status == Status.ANSWERED:
        return Verdict(None, None, "There is no result_json.", Status.NOT_RECORDED)
    response = Response(
        entry_id=row.entry_id,
        category=row.category,
        mode=Mode(row.mode),
        result_json=row.result_json,
        status=Status(row.status),
        status_detail=row.status_detail,
        name_style=None if row.name_style is None else NameStyle(row.name_style),
    )
    return judge.verdict(response, rules)


def _columns(verdicts: Sequence[Verdict]) -> pa.Table:
    return pa.table(
        [
            pa.array([verdict.valid for verdict in verdicts], pa.bool_()),
            pa.array([verdict.error_type for verdict in verdicts], pa.string()),
            pa.array([verdict.error_message for verdict in verdicts], pa.string()),
            pa.array([verdict.status.value for verdict in verdicts], pa.string()),
        ],
        schema=pa.schema(VERDICT_FIELDS),
    )
