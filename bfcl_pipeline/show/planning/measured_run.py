"""What a finished run says about the next one: tokens and seconds by category."""

from collections.abc import Iterable

import pyarrow as pa

from bfcl_pipeline.ask.jobs.effort import PUBLISHED, Consumption, EntryFigures, completed_figures
from bfcl_pipeline.benchmark.tables import read_table
from bfcl_pipeline.runs.run import Run

_KEYS = ("model", "category", "part", "entries")
_FIGURES = ("exchanges", "input_tokens", "output_tokens", "entry_mean_seconds")


def consumption(model: str, runs: Iterable[Run]) -> Consumption:
    """What `model` used in the first of the runs that recorded its tokens, completed as published.

    Raises:
        TableError: the table of a run cannot be read.
    """
    for run in runs:
        path = run.table("usage")
        if path.is_file():
            used = _consumption(model, read_table(path, [*_KEYS, *_FIGURES]), run.folder.name)
            if used is not None:
                return completed_figures(used)
    return PUBLISHED


def _consumption(model: str, usage: pa.Table, run: str) -> Consumption | None:
    parts: dict[str, dict[str, EntryFigures]] = {"entries": {}, "sessions": {}}
    for row in usage.to_pylist():
        count, name = row["entries"], row["category"]
        known = (PUBLISHED.entries if row["part"] == "entries" else PUBLISHED.sessions).get(name)
        if (
            row["model"] == model
            and count
            and known
            and None not in (row["input_tokens"], row["output_tokens"])
        ):
            seconds = row["entry_mean_seconds"]
            parts[row["part"]][name] = EntryFigures(
                input_tokens=row["input_tokens"] / count,
                output_tokens=row["output_tokens"] / count,
                requests=row["exchanges"] / count,
                seconds=known.seconds if seconds is None else seconds,
                measured=count,
            )
    if not parts["entries"]:
        return None
    return Consumption(parts["entries"], parts["sessions"], f"measured in run {run}")
