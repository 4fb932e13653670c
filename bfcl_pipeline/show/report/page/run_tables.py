"""The tables of a run, read back from disk as rows."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.benchmark.tables import read_table
from bfcl_pipeline.benchmark.tables.comparisons import COMPARISON_TABLES
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.runs.web_label import mark
from bfcl_pipeline.show.report.sample_note import sample_note
from bfcl_pipeline.show.report.tables.agentic_columns import AGENTIC_TABLES
from bfcl_pipeline.show.report.tables.columns import TABLES, UNANSWERED_TABLES
from bfcl_pipeline.show.report.tables.executable_columns import EXECUTABLE_TABLES
from bfcl_pipeline.show.report.tables.memory_columns import MEMORY_TABLES
from bfcl_pipeline.show.report.tables.published import PUBLISHED_TABLES
from bfcl_pipeline.show.report.tables.trial_columns import TRIAL_TABLES
from bfcl_pipeline.show.report.tables.view_columns import VIEW_TABLES

Row: TypeAlias = dict[str, Any]
"""One row of a table by column; the columns are in `report.tables.columns`."""


@dataclass(frozen=True, slots=True)
class RunTables:
    """Every table of a run; of tables with a column `rules`, the rows of one rule set but for two."""

    rules: Rules  # that rule set
    leaderboard: Sequence[Row]  # in the order of ranks
    all_rules: Sequence[Row]  # the table `leaderboard` under every rule set
    ceilings: Sequence[Row]  # under every rule set; empty if the run has no such table
    categories: Sequence[Row]
    error_types: Sequence[Row]
    formats: Sequence[Row]
    rules_compared: Sequence[Row]  # the table `rules`
    coverage: Sequence[Row]
    usage: Sequence[Row]
    sample: str  # the mark of a run on a part of the entries; empty: on all
    unanswered: Sequence[Row]  # models without any answer; empty if there are none
    trials: Sequence[Row]  # this and the following: empty if the run has no such table
    pass_k: Sequence[Row]
    flaky: Sequence[Row]
    memory_domains: Sequence[Row]
    memory_use: Sequence[Row]
    memory_failures: Sequence[Row]
    memory_parts: Sequence[Row]
    memory_patterns: Sequence[Row]
    memory_backends: Sequence[Row]
    executable: Sequence[Row]
    web_hops: Sequence[Row]
    web_failures: Sequence[Row]
    web_questions: Sequence[Row]  # empty if the run has no such table
    errata: Sequence[Row]
    own_errata: Sequence[Row]
    irrelevance: Sequence[Row]
    answers: Sequence[Row]
    unread_calls: Sequence[Row]
    intervals: Sequence[Row]
    published: Sequence[Row]  # scores published elsewhere, highest overall first
    comparisons: Sequence[Row]
    flips: Sequence[Row]

    def category_titles(self) -> dict[tuple[str, str], str]:
        """The name of each category by model and name, marked if its web is not the real one."""
        return {
            (row["model"], row["category"]): row["category"] + mark(row["web"]) for row in self.categories
        }


def by_model(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """The rows of each model, in their order."""
    grouped: dict[str, list[Row]] = {}
    for row in rows:
        grouped.setdefault(row["model"], []).append(row)
    return grouped


def model_lines(tables: RunTables, rows: Iterable[Row]) -> Iterator[tuple[Row, list[Row]]]:
    """The leaderboard row of each model, in the order of ranks, with those of `rows` of one category."""
    of_model = by_model(rows)
    for model in tables.leaderboard:
        of_category: dict[str, list[Row]] = {}
        for row in of_model.get(model["model"], ()):
            of_category.setdefault(row["category"], []).append(row)
        for own in of_category.values():
            yield model, own


def read_run_tables(run: Run, rules: Rules) -> RunTables:
    """The tables of a run. Raises TableError if one is missing or has no row of `rules`."""
    folder = run.folder / "tables"
    if not folder.is_dir():
        raise TableError(
            f"{folder}: no such directory. Make the tables first (bfcl-pipeline aggregate {run.folder})."
        )
    optional = {
        **TRIAL_TABLES,
        **UNANSWERED_TABLES,
        **EXECUTABLE_TABLES,
        **AGENTIC_TABLES,
        **MEMORY_TABLES,
        **VIEW_TABLES,
        **PUBLISHED_TABLES,
        **COMPARISON_TABLES,
    }
    there = TABLES | {name: one for name, one in optional.items() if (folder / f"{name}.parquet").is_file()}
    every: dict[str, list[Row]] = {name: [] for name in optional}
    try:
        for name, schema in there.items():
            every[name] = read_table(folder / f"{name}.parquet", schema.names).to_pylist()
    except TableError as error:
        raise TableError(
            f"{error} Make the tables again (bfcl-pipeline aggregate {run.folder})."
        ) from error
    rows = {
        name: [row for row in table if row.get("rules", rules.value) == rules.value]
        for name, table in every.items()
    }
    rows |= {"all_rules": every["leaderboard"], "ceilings": every["ceilings"]}
    if not rows["leaderboard"]:
        raise TableError(
            f"{folder}/leaderboard.parquet: no model has verdicts under {rules.value} rules. "
            "Choose other rules, or score the run again (config/README.md)."
        )
    entries = ((row["category"], row["entries"], row["release_entries"]) for row in rows["categories"])
    sample = sample_note(entries, run)
    return RunTables(rules=rules, rules_compared=rows.pop("rules"), sample=sample, **rows)
