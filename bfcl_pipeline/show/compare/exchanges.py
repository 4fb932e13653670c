"""The exchanges behind the answers of a model, as numbers that are equal where two runs have the same ones.

The latency of an exchange is recorded with its answer, to fractions of a microsecond, so that two exchanges
do not have the same one. The turns and the latencies of a response identify its exchanges, in a run as in
an archive.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.benchmark.tables import read_table, with_types
from bfcl_pipeline.benchmark.tables.schemas import RESPONSES
from bfcl_pipeline.runs.run import Run

NO_EXCHANGE = 0
"""The number of an answer without measured exchanges, as those of embedded models are."""


def exchange_numbers(run: Run, model: str, entries: Sequence[tuple[str, str]]) -> NDArray[np.int64]:
    """A number for the exchanges of each entry: equal ones are the same exchanges.

    Args:
        run: the run; without its responses, no exchange is known.
        model: its model.
        entries: the category and the id of each.

    Raises:
        TableError: its responses cannot be read.
    """
    numbers: dict[tuple[str, str | None], int] = {}
    for category in dict.fromkeys(category for category, _ in entries):
        path = run.responses(model, category)
        if not path.is_file():
            continue
        ids = read_table(path, ["entry_id"]).column("entry_id").to_pylist()
        try:
            steps = with_types(path, read_table(path, ["steps"]), RESPONSES).column("steps").to_pylist()
        except TableError:  # of results that others made
            continue
        for entry_id, exchanges in zip(ids, steps, strict=True):
            made = [(step["turn"], step["latency_seconds"]) for step in exchanges or ()]
            if made and all(latency is not None for _, latency in made):
                numbers[category, entry_id] = hash(tuple(made))
    return np.array([numbers.get(entry, NO_EXCHANGE) for entry in entries], np.int64)
