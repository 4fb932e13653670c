"""Everything in which two runs differ: what they were made with, and each pair of models that is compared.

Printing and writing it is not covered.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import Log, unknown_name
from bfcl_pipeline.benchmark.config import trial_of
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.runs.archived.unpacking import ArchivedRun
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.compare.diff.model_difference import ModelDifference, diff_models
from bfcl_pipeline.show.compare.diff.settings import (
    Changed,
    config_changes,
    release_changes,
    software_changes,
)


def model_pairs(first: Run, second: Run, chosen: Sequence[str] = ()) -> list[tuple[str, str]]:
    """The names of the models that are compared, in the order of the first run.

    Args:
        first: the first run.
        second: the second run.
        chosen: NAME, or NAME=OTHER for models with different names; empty: all that both have.

    Raises:
        ConfigError: a run has no such model.
    """
    return _chosen(chosen, first, second) if chosen else _paired(list(first.models), list(second.models))


def _paired(first: Sequence[str], second: Sequence[str]) -> list[tuple[str, str]]:
    """Models of the same name; of two runs of one model each, its trials, whatever they are called."""
    same = [(name, name) for name in first if name in second]
    if (
        same
        or len({trial_of(name).model for name in first}) * len({trial_of(name).model for name in second})
        != 1
    ):
        return same
    by_trial = {trial_of(name).number: name for name in second}
    return [(name, by_trial[n]) for name in first if (n := trial_of(name).number) in by_trial]


def _chosen(texts: Iterable[str], first: Run, second: Run) -> list[tuple[str, str]]:
    pairs = []
    for text in texts:
        parts = text.split("=")  # names may contain it
        ways = [("=".join(parts[:place]), "=".join(parts[place:])) for place in range(1, len(parts))]
        ways = [(text, text), *ways]
        known = [way for way in ways if way[0] in first.models and way[1] in second.models]
        if not known:
            name, run = (ways[-1][0], first) if ways[-1][0] not in first.models else (ways[-1][1], second)
            raise ConfigError(f"--model {text}: {run.source}: {unknown_name('model', name, run.models)}")
        pairs.append(known[0])
    return list(dict.fromkeys(pairs))


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
