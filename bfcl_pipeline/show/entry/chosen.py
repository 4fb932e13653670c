"""Which answer is shown where none is named in full, and the entries that a model has wrong."""

from collections.abc import Collection, Sequence
from pathlib import Path

import pyarrow.compute as pc

from bfcl_pipeline.base.errors import ConfigError, TableError
from bfcl_pipeline.base.text import Log, unknown_name
from bfcl_pipeline.benchmark.config import model_folder, trial_of
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.benchmark.tables import read_table, with_types
from bfcl_pipeline.benchmark.tables.schemas import VERDICTS
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.entry.entry_page import ModelRun, choose_run, find_entry, has_response


def answered_models(run: Run) -> list[str]:
    """The directory names of the models that a run has responses of, in order."""
    return sorted(path.name for path in (run.folder / "responses").glob("*") if path.is_dir())


def only_model(run: Run) -> str | None:
    """The only model of a run, of several trials the first; None if it has others, or none."""
    models = answered_models(run)
    return models[0] if len({trial_of(name).model for name in models}) == 1 else None


def chosen_answer(
    data: Path, entry_id: str | None, run: Run | None, model: str | None, runs: Sequence[Run], rules: Rules
) -> ModelRun | None:
    """The model and the run whose answer is shown; None if neither is named and nothing suggests them.

    Args:
        data: the staged release.
        entry_id: the entry; None: any that the model has wrong.
        run: the run; None: the newest with a response of the model, without a model the newest.
        model: the model; None: the only one of the run.
        runs: all runs, the newest first.
        rules: applied to the answer.

    Raises:
        ConfigError: the run has no such model, or has several and none is named; or there is no such entry.
        TableError: no run has an answer of the model.
    """
    if run is None and model is None:
        only = only_model(runs[0]) if runs else None
        if only is None or (
            entry_id is not None and not has_response(runs[0], only, find_entry(data, entry_id))
        ):
            return None
        return ModelRun(runs[0], only, rules, runs)
    if run is None and model is not None:
        if entry_id is not None:
            return ModelRun(choose_run(data, entry_id, model, runs), model, rules, runs)
        run = next((each for each in runs if each.verdicts(model).is_file()), None)
        if run is None:
            known = {name for each in runs for name in answered_models(each)}
            raise TableError(f"no run has verdicts: {unknown_name('model', model, sorted(known))}")
    assert run is not None  # noqa: S101  # a model alone has its run by now
    models = answered_models(run)
    if model is None and (model := only_model(run)) is None:
        named = ", ".join(models) or "no responses"
        raise ConfigError(f"name the model whose answer is shown: -m NAME. {run.folder} has {named}.")
    if models and model_folder(model) not in models:
        raise ConfigError(f"{run.folder}: {unknown_name('model', model, models)}")
    return ModelRun(run, model, rules, runs)


def wrong_entries(answer: ModelRun, categories: Collection[str] = ()) -> list[str]:
    """The ids of the entries that a model has wrong, in benchmark order.

    categories: only theirs; of all if empty. Raises TableError if the answers have no verdicts.
    """
    path = answer.run.verdicts(answer.model)
    if not path.is_file():
        raise TableError(f"{path}: no verdicts. Score the answers first (bfcl-pipeline score).")
    columns = ("category", "entry_id", "rules", "valid")
    table = with_types(path, read_table(path, columns), VERDICTS)
    wrong = pc.and_(pc.equal(table["rules"], answer.rules.value), pc.invert(table["valid"]))
    found = table.filter(wrong).select(["category", "entry_id"]).to_pylist()
    order = {name: place for place, name in enumerate(CATEGORIES)}
    kept = [row for row in found if not categories or row["category"] in categories]
    return [row["entry_id"] for row in sorted(kept, key=lambda row: order.get(row["category"], len(order)))]


def report_choice(answer: ModelRun | None, runs: Sequence[Run], log: Log) -> None:
    """Reports which answer is shown though none was named; or how to name one of the newest run."""
    if answer is not None:
        log(f"{answer.run.folder} is the newest run, {answer.model} its only model. Without it: --truth.")
    elif runs and (models := answered_models(runs[0])):
        which = "has no response to it" if only_model(runs[0]) else f"has {', '.join(models)}: name one"
        log(f"{runs[0].folder}, the newest run, {which} (-m); the entry alone follows.")
