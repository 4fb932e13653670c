"""The tables of a run, read back from disk as rows."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.benchmark.config import RunSettings
from bfcl_pipeline.benchmark.definition import GROUPS, V4_CATEGORIES, release
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.benchmark.tables import read_table
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.runs.web_label import mark
from bfcl_pipeline.show.report.notes import blame_rows, sample_note
from bfcl_pipeline.show.report.tables.all_tables import TABLES
from bfcl_pipeline.show.report.tables.memory_questions import MEMORY_QUESTIONS
from bfcl_pipeline.show.report.tables.spec import Row as Row


@dataclass(frozen=True, slots=True)
class RunTables:
    """Every table of a run by name; of tables with a column `rules`, the rows of one rule set.

    A table that the run does not have is empty. The leaderboard is in the order of ranks.
    """

    rules: Rules  # that rule set
    rows: Mapping[str, Sequence[Row]]  # of that rule set: `tables[name]`
    every: Mapping[str, Sequence[Row]]  # under every rule set
    sample: str = ""  # the mark of a run on a part of the entries, or on corrected ones; empty: on all
    config: RunSettings | None = (
        None  # what the run recorded; None: nothing, or the tables are of many runs
    )

    @property
    def release(self) -> str:
        """The version of the benchmark's release; the pinned one's if no config was recorded."""
        return release.VERSION if self.config is None else self.config.release.version

    @property
    def benchmark(self) -> str:
        """The name of the benchmark."""
        return release.benchmark_name(self.release)

    def __getitem__(self, name: str) -> Sequence[Row]:
        return self.rows[name]

    def category_titles(self) -> dict[tuple[str, str], str]:
        """The name of each category by model and name, marked if its web is not the real one."""
        return {
            (row["model"], row["category"]): row["category"] + mark(row["web"])
            for row in self["categories"]
        }


def by_model(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """The rows of each model, in their order."""
    grouped: dict[str, list[Row]] = {}
    for row in rows:
        grouped.setdefault(row["model"], []).append(row)
    return grouped


def row_with(rows: Iterable[Row], **values: object) -> Row | None:
    """The first row with these values by column; None without one."""
    return next((row for row in rows if all(row[name] == value for name, value in values.items())), None)


def model_rows(tables: RunTables, rows: Iterable[Row]) -> Iterator[tuple[Row, Row]]:
    """The leaderboard row of each model, in the order of ranks, with each one of `rows`."""
    of_model = by_model(rows)
    return ((model, row) for model in tables["leaderboard"] for row in of_model.get(model["model"], ()))


def model_lines(tables: RunTables, rows: Iterable[Row]) -> Iterator[tuple[Row, list[Row]]]:
    """The leaderboard row of each model, in the order of ranks, with those of `rows` of one category."""
    grouped: dict[tuple[str, str], tuple[Row, list[Row]]] = {}
    for model, row in model_rows(tables, rows):
        grouped.setdefault((row["model"], row["category"]), (model, []))[1].append(row)
    yield from grouped.values()


def read_run_tables(run: Run, rules: Rules) -> RunTables:
    """The tables of a run. Raises TableError if one is missing or has no row of `rules`."""
    folder = run.folder / "tables"
    if not folder.is_dir():
        raise TableError(
            f"{folder}: no such directory. Make the tables first (bfcl-pipeline aggregate {run.folder})."
        )
    every: dict[str, list[Row]] = {name: [] for name in TABLES}
    try:
        for name, table in TABLES.items():
            path = folder / f"{name}.parquet"
            if table is not MEMORY_QUESTIONS and (
                table.always or path.is_file()
            ):  # of many rows, not shown
                every[name] = read_table(path, table.schema.names).to_pylist()
    except TableError as error:
        raise TableError(
            f"{error} Make the tables again (bfcl-pipeline aggregate {run.folder})."
        ) from error
    every["blame"], every["blame_answers"] = blame_rows(run)
    rows = {
        name: [row for row in table if row.get("rules", rules.value) == rules.value]
        for name, table in every.items()
    }
    if not rows["leaderboard"]:
        raise TableError(
            f"{folder}/leaderboard.parquet: no model has verdicts under {rules.value} rules. "
            "Choose other rules, or score the run again (config/README.md)."
        )
    entries = ((row["category"], row["entries"], row["release_entries"]) for row in rows["categories"])
    return RunTables(rules, rows, every, sample_note(entries, run), run.config)


def joined_tables(runs: Mapping[str, RunTables]) -> RunTables:
    """The tables of several runs as those of one, with the highest overall first. runs: by label.

    Models that occur in several runs have the label of theirs in their names. Of one rule set alone.
    """
    models = Counter(row["model"] for tables in runs.values() for row in tables["leaderboard"])

    def labelled(label: str, row: Row) -> Row:
        names = [name for name in ("model", "first", "second") if models[row.get(name)] > 1]
        names += ["display_name"] if "model" in names and "display_name" in row else []
        return row | {name: f"{label}:{row[name]}" for name in names} | {"run": ", ".join(runs)}

    def joined(name: str) -> Sequence[Row]:
        found = [labelled(label, row) for label, tables in runs.items() for row in tables[name]]
        if name == "published":  # several runs may have the same
            return [row for place, row in enumerate(found) if row not in found[:place]]
        return sorted(found, key=_rank) if name == "leaderboard" else found

    samples = {tables.sample for tables in runs.values()}
    sample = samples.pop() if len(samples) == 1 else "runs of different entries"
    first = next(iter(runs.values()))
    return replace(first, rows={name: joined(name) for name in TABLES}, every={}, sample=sample)


def _rank(row: Row) -> float:
    """Orders models by their overall, those without one last."""
    return 1.0 if row["overall"] is None else -row["overall"]


def shown_categories(tables: RunTables) -> tuple[str, ...]:
    """The categories of V4, then those of V1's executable ones that were asked in the run."""
    asked = {row["category"] for row in tables["categories"]}
    return (*V4_CATEGORIES, *(name for name in GROUPS["executable"] if name in asked))
