"""What a finished run says about the next one: verdicts by entry, tokens and seconds by category."""

from collections.abc import Iterable, Mapping

import pyarrow as pa

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.definition.clusters import cluster_of
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.benchmark.tables import read_table
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.planning import PUBLISHED, Consumption, EntryFigures, EntryValue

Verdicts = Mapping[str, tuple[str, bool]]
"""The category and the verdict of each entry that has one, by its id."""

_COLUMNS = ("model", "category", "entry_id", "rules", "valid")
_USAGE = (
    "model",
    "category",
    "part",
    "entries",
    "exchanges",
    "input_tokens",
    "output_tokens",
    "entry_mean_seconds",
)


def read_verdicts(run: Run, rules: Rules) -> dict[str, Verdicts]:
    """The verdicts of every model of a run on the categories that count, by the model's name.

    Raises:
        TableError: the run has no verdict under `rules`, or a table cannot be read.
    """
    scored = {name for name, category in CATEGORIES.items() if category.scored}
    found: dict[str, dict[str, tuple[str, bool]]] = {}
    for path in sorted((run.folder / "verdicts").glob("*.parquet")):
        table = read_table(path, _COLUMNS)
        columns = [table[name].to_pylist() for name in _COLUMNS]
        for model, category, entry_id, of_rules, valid in zip(*columns, strict=True):
            if of_rules == rules and valid is not None and category in scored:
                found.setdefault(model or path.stem, {})[entry_id] = (category, valid)
    if not found:
        raise TableError(
            f"{run.folder}/verdicts: no verdict under {rules.value} rules. Score the run, or name another."
        )
    return dict(found)


def outcomes(verdicts: Verdicts) -> list[EntryValue]:
    """The verdicts of one model."""
    return [
        EntryValue(category, cluster_of(category, entry_id), float(valid))
        for entry_id, (category, valid) in verdicts.items()
    ]


def paired_differences(first: Verdicts, second: Verdicts) -> list[EntryValue]:
    """The differences of two models on the entries that both have a verdict on."""
    return [
        EntryValue(category, cluster_of(category, entry_id), float(valid) - float(second[entry_id][1]))
        for entry_id, (category, valid) in first.items()
        if entry_id in second
    ]


def consumption(model: str, runs: Iterable[Run]) -> Consumption | None:
    """What `model` used in the first of the runs that recorded its tokens; None if none did.

    Raises:
        TableError: the table of a run cannot be read.
    """
    for run in runs:
        path = run.table("usage")
        if path.is_file():
            used = _consumption(model, read_table(path, _USAGE), run.folder.name)
            if used is not None:
                return used
    return None


def _consumption(model: str, usage: pa.Table, run: str) -> Consumption | None:
    parts: dict[str, dict[str, EntryFigures]] = {"entries": {}, "sessions": {}}
    for row in usage.to_pylist():
        count, name = row["entries"], row["category"]
        if row["model"] != model or not count:
            continue
        if row["input_tokens"] is None or row["output_tokens"] is None:
            continue
        known = PUBLISHED.entries if row["part"] == "entries" else PUBLISHED.sessions
        seconds = row["entry_mean_seconds"]
        if name not in known:
            continue
        parts[row["part"]][name] = EntryFigures(
            input_tokens=row["input_tokens"] / count,
            output_tokens=row["output_tokens"] / count,
            requests=row["exchanges"] / count,
            seconds=known[name].seconds if seconds is None else seconds,
            measured=count,
        )
    if not parts["entries"]:
        return None
    return Consumption(parts["entries"], parts["sessions"], f"measured in run {run}")
