"""Which answer is shown where none is named in full, and the entries that a model has wrong."""

from collections.abc import Collection, Sequence
from pathlib import Path

from bfcl_pipeline.base.errors import ConfigError, TableError
from bfcl_pipeline.base.text import Log, unknown_name
from bfcl_pipeline.benchmark.config import model_folder, trial_of
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.benchmark.tables import read_table
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.entry.entry_page import (
    ModelRun,
    answered_models,
    choose_run,
    find_entry,
    has_response,
)


def chosen_answer(
    data: Path,
    entry_id: str | None,
    named: tuple[Run | None, str | None],
    runs: Sequence[Run],
    rules: Rules,
    log: Log,
) -> ModelRun | None:
    """The answer that is shown; None if no run or model is named and the newest run suggests none.

    Args:
        data: the staged release.
        entry_id: the entry; None: any that the model has wrong.
        named: the run, by default the newest (with a response of the model); and the model, by default the
            only one of the run.
        runs: all runs, the newest first.
        rules: applied to the answer.
        log: receives what was chosen, and why.

    Raises:
        ConfigError: there is no such entry; or the run has no such model, or several and none is named.
        TableError: no run has a response of the model.
    """
    run, model = named
    if run is None and model is not None and entry_id is not None:
        return ModelRun(choose_run(data, entry_id, model, runs), model, rules, runs)
    newest = run is None
    run = run or next(iter(runs), None)
    if run is None:
        return None
    models = answered_models(run)
    if models and model is not None and model_folder(model) not in models:
        raise ConfigError(f"{run.folder}: {unknown_name('model', model, models)}")
    about, there = f"{run.folder}, the newest run,", ", ".join(models) or "no responses"
    if model is None and len({trial_of(name).model for name in models}) != 1:
        if not newest or entry_id is None:
            raise ConfigError(f"name the model whose answer is shown: -m NAME. {run.folder} has {there}.")
        log(f"{about} has {there}: name one (-m); the entry alone follows.")
        return None
    shown = model or models[0]
    if newest and entry_id is not None and not has_response(run, shown, find_entry(data, entry_id)):
        log(f"{about} has no response of {shown} to it; the entry alone follows.")
        return None
    if newest:
        log(f"{about} has {there}. The entry alone: --truth.")
    return ModelRun(run, shown, rules, runs)


def wrong_entries(answer: ModelRun, categories: Collection[str] = ()) -> list[str]:
    """The ids of the entries that a model has wrong, in benchmark order.

    categories: only theirs; of all if empty. Raises TableError if the answers have no verdicts.
    """
    path = answer.run.verdicts(answer.model)
    if not path.is_file():
        raise TableError(f"{path}: no verdicts. Score the answers first (bfcl-pipeline score).")
    rows = read_table(path, ("category", "entry_id", "rules", "valid")).to_pylist()
    wrong = [row for row in rows if row["rules"] == answer.rules and row["valid"] is False]
    return [
        row["entry_id"]
        for category in CATEGORIES
        for row in wrong
        if row["category"] == category and (not categories or category in categories)
    ]
