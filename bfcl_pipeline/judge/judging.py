"""Scores a table of responses, in parallel if it is large.

Covers what lies between Parquet files of responses and `scoring`: joining them, checking the columns with
clear errors, scoring equal rows once, dividing the rows among processes, and returning the verdicts in row
order. The verdicts do not depend on the number of processes. Writing files is not covered.
"""

import gc
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, repeat
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.base.text import unknown_name
from bfcl_pipeline.base.workers import process_pool
from bfcl_pipeline.benchmark.definition import CATEGORIES, Check, Language
from bfcl_pipeline.benchmark.records import Mode, NameStyle, Rules, Status, Verdict
from bfcl_pipeline.benchmark.tables.entries import entries_path, read_entries
from bfcl_pipeline.benchmark.tables.schemas import VERDICT_FIELDS, VERDICTS
from bfcl_pipeline.benchmark.tables.text_forms import read_any_form
from bfcl_pipeline.dialogue.release_texts import read_constants, read_recorded_calls
from bfcl_pipeline.judge.scoring import NO_APIS, NO_CONSTANTS, Judge
from bfcl_pipeline.world.executables import Apis, NoApis, SimulatedApis

REQUIRED = ("entry_id", "category", "mode", "result_json")
"""Columns that a table of responses must have; the other columns of `schemas.RESPONSES` are optional."""

_ROWS_PER_PROCESS = 30_000
"""Rows for each of which the start of another process saves time."""

_HEAD_START = 4_000
"""Rows that this process scores while another process receives its share."""

_BATCH_ROWS, _BATCH_BYTES = 200_000, 2**28
"""The most rows that are scored at once, and their size in memory: each becomes objects of Python."""

_Row: TypeAlias = tuple[str, str, str, str | None, str, str | None, str | None, str | None]
"""All that a verdict depends on: category, entry_id, mode, name_style, status, status_detail,
result_json, and web where calls are executed."""

_Verdicts: TypeAlias = tuple[
    list[bool | None], list[str | None], list[str | None], list[str], list[str | None], list[bool]
]
"""The columns of `schemas.VERDICT_FIELDS`."""


ApisOf: TypeAlias = Callable[[str | None], Apis]
"""The web APIs by the column `web` of a response; can be pickled."""


@dataclass(frozen=True, slots=True)
class SimulatedOnly:
    """The simulated web APIs for responses of the mode `simulated` or of none; no others. An ApisOf."""

    data: Path  # the staged release

    def __call__(self, web: str | None) -> Apis:
        """The APIs of one mode of the web."""
        if web in (None, "simulated"):
            return SimulatedApis(read_recorded_calls(self.data))
        return NoApis(f"Answers of web APIs in the mode {web} are not given.")


@dataclass(frozen=True, slots=True)
class Workers:
    """Processes that score rows beside this one."""

    pool: Executor
    count: int  # processes in `pool`


@contextmanager
def start_workers(rows: int, processes: int | None = None) -> Iterator[Workers | None]:
    """Starts processes for scoring about `rows` rows; None if this process alone is faster.

    They start at once, so that they are ready when the rows have been read. `processes` includes this
    one; by default the number follows from `rows` and the processors of the machine. An exception in the
    block, also that of Ctrl-C, ends them at once.
    """
    if processes is None:
        processes = min(os.cpu_count() or 1, 1 + rows // _ROWS_PER_PROCESS)
    if processes <= 1:
        yield None
        return
    with process_pool(processes - 1, _score_share, [], Path(), (), SimulatedOnly(Path())) as pool:
        for _ in range(processes - 1):
            pool.submit(_score_share, [], Path(), (), SimulatedOnly(Path()))
        yield Workers(pool, processes - 1)


def read_responses(paths: Sequence[Path]) -> pa.Table:
    """The rows of all tables at `paths`, in order; a column that one of them lacks is null there.

    Raises TableError if one cannot be read, has two columns of one name, or does not fit the others.
    """
    tables = [read_any_form(path) for path in paths]
    for path, table in zip(paths, tables, strict=True):
        twice = next((name for name, count in Counter(table.column_names).items() if count > 1), None)
        if twice is not None:
            raise TableError(f"{path}: two columns are called {twice!r}. Rename or remove one.")
    try:
        return pa.concat_tables(tables, promote_options="default")
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise TableError(
            f"the tables differ in the type of a column ({error}). Score them one by one."
        ) from None


def score_table(
    table: pa.Table,
    data: Path,
    rules: Rules = Rules.OFFICIAL,
    workers: Workers | None = None,
    apis_of: ApisOf | None = None,
) -> pa.Table:
    """`table` with one verdict per row: the columns `valid, error_type, error_message, status`.

    Columns of these names are replaced; all others and the order of the rows stay.

    Args:
        table: responses, with the columns `entry_id, category, mode, result_json` and optionally
            `name_style, status, status_detail, web`.
        data: the staged data folder.
        rules: the rule set to apply.
        workers: processes from `start_workers`; None to use this process only.
        apis_of: the web APIs for executed calls; None: SimulatedOnly.

    Raises TableError naming the row or column that cannot be scored.
    """
    return _with_verdicts(table, _verdicts_by_rules(table, data, [rules], workers, apis_of)[rules])


def score_table_by_all_rules(
    table: pa.Table, data: Path, workers: Workers | None = None, apis_of: ApisOf | None = None
) -> pa.Table:
    """A table with the columns of `schemas.VERDICTS`: all rows by each rule set, in the order of `Rules`.

    Arguments and errors are those of `score_table`.
    """
    blocks = []
    for rules, verdicts in _verdicts_by_rules(table, data, list(Rules), workers, apis_of).items():
        block = _with_verdicts(table, verdicts)
        count = len(block)
        arrays = {
            "rules": pa.array([rules.value] * count, pa.string()),
            **{name: block.column(name) for name in block.column_names},
        }
        blank = pa.nulls(count, pa.string())
        blocks.append(pa.table([arrays.get(name, blank) for name in VERDICTS.names], schema=VERDICTS))
    return pa.concat_tables(blocks)


def _with_verdicts(table: pa.Table, verdicts: pa.Table) -> pa.Table:
    scored = table.drop_columns(sorted({*verdicts.column_names} & {*table.column_names}))
    for field in verdicts.schema:
        scored = scored.append_column(field, verdicts.column(field.name))
    return scored


def _verdicts_by_rules(
    table: pa.Table,
    data: Path,
    rules: Sequence[Rules],
    workers: Workers | None,
    apis_of: ApisOf | None,
) -> dict[Rules, pa.Table]:
    """For each rule set a table of `schemas.VERDICT_FIELDS`, in the order of the rows of `table`."""
    apis_of = apis_of or SimulatedOnly(data)
    size = min(_BATCH_ROWS, max(1, _BATCH_BYTES * len(table) // max(1, table.nbytes)))
    batches = [
        _batch_verdicts(_rows(table.slice(first, size), first), data, rules, workers, apis_of)
        for first in range(0, max(1, len(table)), size)
    ]
    return {name: pa.concat_tables(batch[name] for batch in batches).combine_chunks() for name in rules}


def _batch_verdicts(
    rows: Sequence[_Row], data: Path, rules: Sequence[Rules], workers: Workers | None, apis_of: ApisOf
) -> dict[Rules, pa.Table]:
    distinct: dict[_Row, int] = dict.fromkeys(rows, 0)
    shares, columns_by_rules = _score(distinct, data, rules, workers, apis_of)
    for position, row in enumerate(chain.from_iterable(shares)):
        distinct[row] = position
    order = pa.array([distinct[row] for row in rows], pa.int64())
    schema = pa.schema(VERDICT_FIELDS)
    return {
        name: pa.Table.from_pydict(dict(zip(schema.names, columns, strict=True)), schema=schema).take(order)
        for name, columns in columns_by_rules.items()
    }


def _rows(table: pa.Table, first: int) -> list[_Row]:
    """The rows of a part of a table that begins after `first` others."""
    missing = [name for name in REQUIRED if name not in table.column_names]
    if missing:
        raise TableError(
            f"the responses have no column {missing[0]!r}. Required: {', '.join(REQUIRED)}. "
            f"Found: {', '.join(table.column_names) or 'none'}."
        )
    modes = _texts(table, "mode")
    styles = _texts(table, "name_style")
    statuses = _texts(table, "status", Status.ANSWERED.value)
    categories = _texts(table, "category")
    for name, values, accepted in (
        ("category", categories, CATEGORIES),
        ("mode", modes, [*Mode]),
        ("name_style", styles, [*NameStyle, None]),
        ("status", statuses, [*Status]),
    ):
        known = [None if value is None else str(value) for value in accepted]
        for value in set(values) - set(known):
            row = first + values.index(value) + 1
            raise TableError(f"row {row}: {unknown_name(name, value, filter(None, known))}")
    details = _texts(table, "status_detail")
    entry_ids, results = _texts(table, "entry_id"), _texts(table, "result_json")
    webs = _texts(table, "web")
    webs = [web if CATEGORIES[name].executes else None for web, name in zip(webs, categories, strict=True)]
    return list(zip(categories, entry_ids, modes, styles, statuses, details, results, webs, strict=True))


def _texts(table: pa.Table, name: str, default: str | None = None) -> list[Any]:
    if name not in table.column_names:
        return list(repeat(default, len(table)))
    column = table.column(name)
    if not (pa.types.is_string(column.type) or pa.types.is_null(column.type)):
        try:
            column = column.cast(pa.string())
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise TableError(f"the column {name!r} must contain text, got {column.type}.") from error
    return [default if value is None else value for value in column.to_pylist()]


def _score(
    rows: Iterable[_Row],
    data: Path,
    rules: Sequence[Rules],
    workers: Workers | None,
    apis_of: ApisOf,
) -> tuple[list[list[_Row]], dict[Rules, list[list[Any]]]]:
    """`rows` in the order of scoring, and the verdict columns in that order by rule set."""
    entries: dict[tuple[str, str], list[_Row]] = {}
    for row in rows:
        entries.setdefault(row[:2], []).append(row)
    shares = list(_shares(entries, 1 + workers.count if workers else 1))
    others: Iterable[dict[Rules, _Verdicts]] = ()
    if workers:
        others = workers.pool.map(_score_share, shares[1:], repeat(data), repeat(rules), repeat(apis_of))
    scored = [_score_share(shares[0], data, rules, apis_of), *others]
    return shares, {
        name: [
            list(chain.from_iterable(column))
            for column in zip(*(share[name] for share in scored), strict=True)
        ]
        for name in rules
    }


def _shares(entries: dict[tuple[str, str], list[_Row]], count: int) -> Iterator[list[_Row]]:
    """The rows in up to `count` parts of about equal work, all rows of an entry in the same part.

    The first part is larger: it is for this process, which starts while the others receive theirs.
    """
    work = {key: len(rows) * _work(key[0]) for key, rows in entries.items()}
    total = sum(work.values())
    first = min(total, (total + (count - 1) * _HEAD_START) // count)
    other = -(-(total - first) // max(1, count - 1))
    wanted, share, done = first, list[_Row](), 0
    for key in sorted(entries):
        share.extend(entries[key])
        done += work[key]
        if done >= wanted:
            yield share
            wanted, share, done = other, [], 0
    if share or not entries:
        yield share


def _work(category: str) -> int:
    """The time to score a row, in units of one row of Python calls."""
    if CATEGORIES[category].check is Check.MULTI_TURN:
        return 8
    return 1 if CATEGORIES[category].language is Language.PYTHON else 4


def _score_share(
    rows: Sequence[_Row], data: Path, rules: Sequence[Rules], apis_of: ApisOf
) -> dict[Rules, _Verdicts]:
    """The verdict columns for rows that are grouped by entry."""
    collecting = gc.isenabled()
    gc.disable()  # scoring creates no reference cycles, so a collection would find nothing
    try:
        return _verdict_columns(rows, data, rules, apis_of)
    finally:
        if collecting:
            gc.enable()


def _verdict_columns(
    rows: Sequence[_Row], data: Path, rules: Sequence[Rules], apis_of: ApisOf
) -> dict[Rules, _Verdicts]:
    wanted: dict[tuple[str, str | None], set[str]] = {}
    for category, entry_id, *_, web in rows:
        wanted.setdefault((category, web), set()).add(entry_id)
    apis = {web: apis_of(web) for category, web in wanted if CATEGORIES[category].executes}
    judges = {
        (category, web): _judges(category, entry_ids, data, apis.get(web, NO_APIS))
        for (category, web), entry_ids in wanted.items()
    }
    verdicts = [_verdicts(judges[row[0], row[-1]][row[1]], row, rules) for row in rows]
    return {name: _columns([row[place] for row in verdicts]) for place, name in enumerate(rules)}


def _columns(verdicts: Sequence[Verdict]) -> _Verdicts:
    names = {status: status.value for status in Status}
    return (
        [verdict.valid for verdict in verdicts],
        [verdict.error_type for verdict in verdicts],
        [verdict.error_message for verdict in verdicts],
        [names[verdict.status] for verdict in verdicts],
        [None if verdict.answer_class is None else verdict.answer_class.value for verdict in verdicts],
        [verdict.unread_call for verdict in verdicts],
    )


def _judges(category: str, entry_ids: set[str], data: Path, apis: Apis) -> dict[str, Judge]:
    path = entries_path(data, category)
    constants = NO_CONSTANTS if CATEGORIES[category].single_turn else read_constants(data)
    judges = {entry.entry_id: Judge(entry, constants, apis) for entry in read_entries(path, entry_ids)}
    unknown = sorted(entry_ids - judges.keys(), key=str)
    if unknown:
        raise TableError(
            f"entry {unknown[0]!r} is not one of {category} in {path}. "
            "Entry ids are those of the release; check the category."
        )
    return judges


_ANSWERED = Status.ANSWERED.value
_MODES = {mode.value: mode for mode in Mode}
_STYLES: dict[str | None, NameStyle | None] = {None: None, **{style.value: style for style in NameStyle}}


def _verdicts(judge: Judge, row: _Row, rules: Sequence[Rules]) -> list[Verdict]:
    _, _, mode_name, style_name, status, detail, result_json, _ = row
    if status != _ANSWERED:
        return judge.unanswered(Status(status), detail, rules)
    return judge.answer_verdicts(result_json, _MODES[mode_name], _STYLES[style_name], rules)
