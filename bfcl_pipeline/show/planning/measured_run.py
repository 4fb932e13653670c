"""What a finished run says about the next one: verdicts by entry, tokens and seconds by category."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import pyarrow as pa

from bfcl_pipeline.ask.jobs.effort import PUBLISHED, Consumption, EntryFigures, completed_figures
from bfcl_pipeline.base.errors import ConfigError, TableError
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.definition.clusters import cluster_of
from bfcl_pipeline.benchmark.definition.scatter import Scatter, assumed_scatter
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.benchmark.tables import read_table
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.planning.plan import Goal
from bfcl_pipeline.show.planning.samples import shares_of, whole
from bfcl_pipeline.show.planning.scatter import ASSUMED, EntryValue, complete_scatter, measure_scatter

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


def measured_scatter(goal: Goal, run: Run, rules: Rules, models: Sequence[str]) -> tuple[Scatter, str]:
    """How the verdicts of a run scatter, on the models or pairs of models with the widest interval.

    Args:
        goal: what is planned for.
        run: the run.
        rules: of the verdicts.
        models: those that count, if the run has enough of them; else all of it do.

    Returns:
        The scatter, completed with what is assumed, and where it comes from.

    Raises:
        ConfigError: a difference is planned for, and the run has one model.
        TableError: as `read_verdicts`.
    """
    verdicts = read_verdicts(run, rules)
    wanted = 2 if goal.difference else 1
    if len(verdicts) < wanted:
        raise ConfigError(
            f"{run.folder}: a difference needs verdicts of two models; it has {', '.join(verdicts)}."
        )
    named = [name for name in dict.fromkeys(models) if name in verdicts]
    chosen = named if len(named) >= wanted else list(verdicts)
    usual, shares = assumed_scatter(goal.difference), shares_of(goal.score)
    found = {
        " - ".join(names): measure_scatter(_values(*(verdicts[name] for name in names)))
        for names in combinations(chosen, wanted)
    }
    widest = max(
        found,
        key=lambda name: whole(shares, complete_scatter(found[name], usual), goal.difference).half_width,
    )
    lacks = [name for name in shares if name not in found[widest].variance]
    basis = f"measured in {run.folder}, {rules.value} rules, on {widest}"
    basis += " (the widest of several)" if len(found) > 1 else ""
    basis += f"; {', '.join(lacks)}: {ASSUMED}" if lacks else ""
    return complete_scatter(found[widest], usual), basis


def _values(first: Verdicts, second: Verdicts | None = None) -> list[EntryValue]:
    """The verdicts of one model, or the differences of two on the entries that both have a verdict on."""
    return [
        EntryValue(
            category,
            cluster_of(category, entry_id),
            float(valid) - (0.0 if second is None else float(second[entry_id][1])),
        )
        for entry_id, (category, valid) in first.items()
        if second is None or entry_id in second
    ]


def consumption(model: str, runs: Iterable[Run]) -> Consumption:
    """What `model` used in the first of the runs that recorded its tokens, completed as published.

    Raises:
        TableError: the table of a run cannot be read.
    """
    for run in runs:
        path = run.table("usage")
        if path.is_file():
            used = _consumption(model, read_table(path, _USAGE), run.folder.name)
            if used is not None:
                return completed_figures(used)
    return PUBLISHED


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
