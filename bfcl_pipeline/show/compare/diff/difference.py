"""Everything in which two runs differ: what they were made with, and each pair of models.

Printing and writing it is not covered.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from bfcl_pipeline.base.text import Log
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.runs.archived.unpacking import ArchivedRun
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.compare.diff.model_difference import ModelDifference, diff_models
from bfcl_pipeline.show.compare.diff.pairs import model_pairs
from bfcl_pipeline.show.compare.diff.settings import (
    Changed,
    config_changes,
    release_changes,
    software_changes,
)


@dataclass(slots=True)
class RunDifference:
    """Two runs."""

    runs: tuple[Run, Run]
    config: list[Changed]
    software: list[Changed] | None  # None: a run directory does not record it
    release: list[Changed]
    entries_not_compared: bool  # the releases differ, and that of one side is not staged
    only_models: tuple[list[str], list[str]]
    models: list[ModelDifference] = field(default_factory=list)

    @property
    def differ(self) -> bool:
        """Whether models, entries, answers or verdicts differ."""
        return any(self.only_models) or not self.models or any(model.differ for model in self.models)


def diff_runs(
    first: Run,
    second: Run,
    *,
    models: Sequence[str] = (),
    rules: Rules = Rules.OFFICIAL,
    log: Log = lambda _line: None,
) -> RunDifference:
    """The difference between two runs.

    Args:
        first: the first run.
        second: the second run.
        models: NAME, or NAME=OTHER for models with different names; empty: all that both have.
        rules: of the paired comparison.
        log: receives a line for each step that takes seconds.

    Raises:
        ConfigError: there is no such model.
        TableError: a table cannot be read.
    """
    pairs = model_pairs(first, second, models)
    both = ({pair[0] for pair in pairs}, {pair[1] for pair in pairs})
    alone = [
        [] if models else [name for name in run.models if name not in own]
        for run, own in zip((first, second), both, strict=True)
    ]
    release = release_changes(first, second)
    same_data = first.data.resolve() == second.data.resolve()
    found = RunDifference(
        (first, second),
        config_changes(first, second),
        software_changes(first.metadata, second.metadata)
        if isinstance(first, ArchivedRun) and isinstance(second, ArchivedRun)
        else None,
        release,
        bool(release) and same_data,
        (alone[0], alone[1]),
    )
    for pair in pairs:
        found.models.append(diff_models(first, second, pair, rules, log))
    return found
