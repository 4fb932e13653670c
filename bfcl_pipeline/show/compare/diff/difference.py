"""Everything in which two runs differ: what they were made with, and each pair of models; and as files."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bfcl_pipeline.base.differences import Difference
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import Log, unknown_name
from bfcl_pipeline.benchmark.config import trial_of
from bfcl_pipeline.benchmark.records import Json, Rules
from bfcl_pipeline.runs.archived.unpacking import ArchivedRun
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.compare.diff.model_difference import (
    FIRST_DIFFERENCES,
    ModelDifference,
    diff_models,
)
from bfcl_pipeline.show.compare.diff.settings import config_changes, release_changes, software_changes
from bfcl_pipeline.show.compare.tables import write_form


def model_pairs(first: Run, second: Run, chosen: Sequence[str] = ()) -> list[tuple[str, str]]:
    """The names of the models that are compared, in the order of the first run.

    Of two runs of one model each these are its trials, whatever the models are called.

    Args:
        first: the first run.
        second: the second run.
        chosen: NAME, or NAME=OTHER for models with different names; empty: all that both have.

    Raises:
        ConfigError: a run has no such model.
    """
    if chosen:
        return list(dict.fromkeys(_chosen(text, first, second) for text in chosen))
    same = [(name, name) for name in first.models if name in second.models]
    alone = all(len({trial_of(name).model for name in run.models}) == 1 for run in (first, second))
    if same or not alone:
        return same
    by_trial = {trial_of(name).number: name for name in second.models}
    return [(name, by_trial[n]) for name in first.models if (n := trial_of(name).number) in by_trial]


def _chosen(text: str, first: Run, second: Run) -> tuple[str, str]:
    """The models that NAME or NAME=OTHER names; names may contain the sign, too."""
    ways = [(text, text)]
    ways += [(text[:place], text[place + 1 :]) for place, letter in enumerate(text) if letter == "="]
    for way in ways:
        if way[0] in first.models and way[1] in second.models:
            return way
    name, run = (ways[-1][0], first) if ways[-1][0] not in first.models else (ways[-1][1], second)
    raise ConfigError(f"--model {text}: {run.source}: {unknown_name('model', name, run.models)}")


@dataclass(slots=True)
class RunDifference:
    """Two runs."""

    runs: tuple[Run, Run]
    config: list[Difference]
    software: list[Difference] | None  # None: a run directory does not record it
    release: list[Difference]
    entries_not_compared: bool  # the releases differ, and that of one side is not staged
    only_models: tuple[list[str], list[str]]
    models: list[ModelDifference]

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
    ours, theirs = (
        [] if models else [name for name in run.models if name not in {pair[place] for pair in pairs}]
        for place, run in enumerate((first, second))
    )
    release = release_changes(first, second)
    return RunDifference(
        (first, second),
        config_changes(first, second),
        software_changes(first, second),
        release,
        bool(release) and first.data.resolve() == second.data.resolve(),
        (ours, theirs),
        [diff_models(first, second, pair, rules, log) for pair in pairs],
    )


def write_difference(path: Path, found: RunDifference) -> None:
    """Writes the difference in the form of the suffix, atomically; equal ones become equal bytes.

    JSON has everything, a table a row for each entry.
    """
    rows = (row for model in found.models for row in model.entries)
    write_form(path, FIRST_DIFFERENCES, rows, lambda: _document(found))


def _document(found: RunDifference) -> dict[str, Json]:
    return {
        "a": _side(found.runs[0]),
        "b": _side(found.runs[1]),
        "same": not found.differ,
        "settings": _changed(found.config),
        "software": None if found.software is None else _changed(found.software),
        "release": _changed(found.release),
        "models_of_one_side": dict(zip("ab", found.only_models, strict=True)),
        "models": list(map(_model, found.models)),
    }


def _side(run: Run) -> Json:
    if not isinstance(run, ArchivedRun):
        return {"source": run.source.name}
    about = run.metadata
    return {"source": run.source.name, "run": about.run, "ended": about.ended, "commit": about.commit}


def _changed(changed: Iterable[Difference]) -> list[Json]:
    return [{"name": one.path, "a": one.first, "b": one.second} for one in changed]


def _model(model: ModelDifference) -> Json:
    return {
        "a": model.names[0],
        "b": model.names[1],
        "row": _changed(model.row),
        "made_by": _changed(model.made_by),
        "options": _changed(model.options),
        "requests": [side.requests for side in model.derived],
        "conversations_not_derived": [side.not_derived for side in model.derived],
        "entries_of_one_side": {
            name: [one.response.entry_id for one in side if not one.session]
            for name, side in zip("ab", model.only, strict=True)
        },
        "entries": model.entries,
    }
