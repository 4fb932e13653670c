"""The tables of a run, read back from disk as rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from bfcl_pipeline.errors import TableError
from bfcl_pipeline.records import Rules
from bfcl_pipeline.report.agentic_columns import AGENTIC_TABLES
from bfcl_pipeline.report.columns import TABLES, TRIAL_TABLES
from bfcl_pipeline.report.web_label import mark
from bfcl_pipeline.tables import read_table

Row: TypeAlias = dict[str, Any]
"""One row of a table by column; the columns are in `report.columns`."""


@dataclass(frozen=True, slots=True)
class RunTables:
    """Every table of a run, those that tell the rules cut down to one rule set."""

    rules: Rules  # whose verdicts these are
    leaderboard: Sequence[Row]  # in the order of ranks
    categories: Sequence[Row]
    error_types: Sequence[Row]
    formats: Sequence[Row]
    flips: Sequence[Row]  # the table `rules`: official against corrected
    coverage: Sequence[Row]
    usage: Sequence[Row]
    trials: Sequence[Row] = ()  # this and the following: empty where the run has no such table
    memory_domains: Sequence[Row] = ()
    memory_use: Sequence[Row] = ()
    web_hops: Sequence[Row] = ()
    web_failures: Sequence[Row] = ()

    @property
    def models(self) -> list[str]:
        """Names of the models in the order of ranks."""
        return [row["model"] for row in self.leaderboard]

    def category_titles(self) -> Mapping[tuple[str, str], str]:
        """Each category's name by model and name, marked where the web was not the real one."""
        return {
            (row["model"], row["category"]): row["category"] + mark(row["web"]) for row in self.categories
        }


def by_model(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """The rows of each model, in their order."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row["model"], []).append(row)
    return found


def read_run_tables(run_dir: Path, rules: Rules) -> RunTables:
    """The tables under `run_dir`/tables. Raises TableError if one is missing or has nothing of `rules`."""
    folder = run_dir / "tables"
    if not folder.is_dir():
        raise TableError(
            f"{folder}: no such folder. Make the tables first (bfcl-pipeline aggregate {run_dir})."
        )
    rows: dict[str, list[Row]] = {
        name: read_table(folder / f"{name}.parquet", schema.names).to_pylist()
        for name, schema in TABLES.items()
    }
    rows |= {
        name: _if_there(folder / f"{name}.parquet", schema.names)
        for name, schema in {**TRIAL_TABLES, **AGENTIC_TABLES}.items()
    }
    leaderboard = _under(rules, rows["leaderboard"])
    if not leaderboard:
        raise TableError(
            f"{folder}/leaderboard.parquet: no model was judged under {rules.value} rules. "
            f"Score with --rules {rules.value}, or ask for the other rules."
        )
    return RunTables(
        rules=rules,
        leaderboard=leaderboard,
        categories=_under(rules, rows["categories"]),
        error_types=_under(rules, rows["error_types"]),
        formats=_under(rules, rows["formats"]),
        flips=rows["rules"],
        coverage=rows["coverage"],
        usage=rows["usage"],
        trials=_under(rules, rows["trials"]),
        memory_domains=_under(rules, rows["memory_domains"]),
        memory_use=rows["memory_use"],
        web_hops=_under(rules, rows["web_hops"]),
        web_failures=_under(rules, rows["web_failures"]),
    )


def _if_there(path: Path, columns: Sequence[str]) -> list[Row]:
    found: list[Row] = read_table(path, columns).to_pylist() if path.is_file() else []
    return found


def _under(rules: Rules, rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row["rules"] == rules.value]
