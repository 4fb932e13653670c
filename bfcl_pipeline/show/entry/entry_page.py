"""One entry as a page for a terminal: alone with its truth, or with the answer of a model and its verdict.

Covers finding the entry in the staged release and the answer in a run, which answer is shown where none is
named in full, and the entries that a model has wrong.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bfcl_pipeline.ask.jobs.captured import tokenizer_of, written_steps
from bfcl_pipeline.base.errors import ConfigError, PipelineError, TableError
from bfcl_pipeline.base.text import Log, did_you_mean, unknown_name
from bfcl_pipeline.benchmark.config import model_folder, trial_of
from bfcl_pipeline.benchmark.definition import CATEGORIES, category_of
from bfcl_pipeline.benchmark.records import Entry, Mode, Response, Rules
from bfcl_pipeline.benchmark.tables import entries_path, read_entries, read_responses, read_table
from bfcl_pipeline.judge.own_errata import using_errata
from bfcl_pipeline.judge.scoring import NO_APIS, Judge
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.entry.records import put_answer_record, put_entry_record
from bfcl_pipeline.show.entry.terminal_page import TerminalPage
from bfcl_pipeline.show.playback.conditions import Conditions, default_conditions, read_conditions
from bfcl_pipeline.show.transcripts.answer import answer_record
from bfcl_pipeline.show.transcripts.entry import entry_record, has_memory
from bfcl_pipeline.show.transcripts.memory import SessionMemories
from bfcl_pipeline.show.transcripts.parts import TERMINAL
from bfcl_pipeline.show.transcripts.reasons import reasons_of, with_reasons

MOST_RUNS = 10
"""The most runs that an error message lists."""


@dataclass(frozen=True, slots=True)
class ModelRun:
    """One model in one run."""

    run: Run  # has responses/, and may have memory/
    model: str
    rules: Rules  # applied to the answer
    others: Sequence[Run] = ()  # to name those that have the entry
    tokenizer: Path | None = None  # reads the recorded tokens; None: that of the model, if it is here


def print_entry(
    data: Path,
    entry_id: str,
    run: ModelRun | None,
    rules: Rules = Rules.OFFICIAL,
    cache: Path = Path("cache"),
) -> None:
    """Prints an entry, its truth and its errata; with `run`, the model's answer and its verdict as well.

    The errata are the shipped ones; with `run`, also those of the run's own.

    Args:
        data: the staged release.
        entry_id: an id of the release, or its part before the first colon (format_sensitivity_7).
        rules: whose truth is shown without `run`, which has its own.
        cache: has the outcomes of searches and fetches, and the embeddings, of runs on this machine.

    Raises:
        ConfigError: there is no such entry; the message has similar ids.
        TableError: the release is not staged, or the run has no answer to the entry.
    """
    page, entry = TerminalPage(), find_entry(data, entry_id)
    if run is None:
        conditions = default_conditions(data, cache)
        with using_errata((), data):
            put_entry_record(page, entry_record(entry, conditions, rules, TERMINAL))
        return
    with using_errata(run.run.errata, data):
        _put_answer(page, entry, run, read_conditions(run.run))


def _put_answer(page: TerminalPage, entry: Entry, run: ModelRun, conditions: Conditions) -> None:
    memories = None
    if has_memory(entry):
        memories = SessionMemories(run.run, run.model, entry.category).around(entry)
    found = find_response(run, entry)
    response = replace(found or Response(entry.entry_id, entry.category, Mode.FC, None), model=run.model)
    apis = conditions.apis(response.web) if CATEGORIES[entry.category].executes else NO_APIS
    judge = Judge(entry, conditions.constants, apis)
    verdicts = {} if entry.prerequisite else {name: judge.verdict(response, name) for name in Rules}
    written = _written(run, entry)
    answer = answer_record(entry, response, verdicts, conditions, memories, run.rules, TERMINAL, written)
    put_answer_record(
        page,
        entry_record(entry, conditions, run.rules, TERMINAL),
        with_reasons(answer, reasons_of(run.run, run.model, entry.category)),
        None if found is None else str(run.run.folder),
        run.rules,
    )


def _written(run: ModelRun, entry: Entry) -> list[str]:
    """What the model wrote in each step, as far as the journal of the run has it."""
    decode = tokenizer_of(run.run.rows.get(trial_of(run.model).model), run.tokenizer)
    try:
        steps = written_steps(run.run, run.model, decode, entry).get(entry.entry_id, [])
    except PipelineError:  # the page is complete without it
        return []
    unread = "({} tokens; --tokenizer DIR names the tokenizer that reads them)"
    return [step.text or (unread.format(len(step.tokens)) if step.tokens else "") for step in steps]


def find_entry(data: Path, entry_id: str) -> Entry:
    """The entry with an id, or with an id that starts with it and a colon. Raises as `print_entry` does."""
    paths = (entries_path(data, category) for category in CATEGORIES)
    staged = [name for path in paths if path.is_file() for name in _ids(path)]
    matches = [name for name in staged if entry_id in (name, name.partition(":")[0])]
    if matches:
        return read_entries(entries_path(data, category_of(matches[0])), matches)[0]
    if not staged:
        raise TableError(
            f"{data}/entries: no entries. Stage the benchmark first: bfcl-pipeline stage --data {data}"
        )
    category = entry_id.rpartition("_")[0]
    if category in CATEGORIES and not entries_path(data, category).is_file():
        raise TableError(
            f"{entries_path(data, category)}: no such table. Stage the benchmark again: "
            f"bfcl-pipeline stage --data {data}"
        )
    meant = did_you_mean(entry_id, staged, 3)
    raise ConfigError(
        f"{data}/entries has no entry {entry_id!r}.{meant} Ids are those of the release, for example "
        "simple_python_3 or multi_turn_base_12."
    )


def has_response(run: Run, model: str, entry: Entry) -> bool:
    """Whether a model has a response to an entry in a run. Raises TableError if its table is damaged."""
    path = _table(run, model, entry)
    return path.is_file() and entry.entry_id in _ids(path)


def _table(run: Run, model: str, entry: Entry) -> Path:
    return (run.sessions if entry.prerequisite else run.responses)(model, entry.category)


def answered_models(run: Run) -> list[str]:
    """The directory names of the models that a run has responses of, in order."""
    return sorted(path.name for path in (run.folder / "responses").glob("*") if path.is_dir())


def find_response(run: ModelRun, entry: Entry) -> Response | None:
    """The model's response to the entry, or its part of a session; None if that is not recorded.

    Raises TableError, with the runs that have one, if there is no response.
    """
    path = _table(run.run, run.model, entry)
    # A row of a session has the columns that a response must have; its memory is read separately.
    responses = read_responses(path, {entry.entry_id}) if path.is_file() else []
    if responses or entry.prerequisite:
        return responses[-1] if responses else None
    runs = [run.run, *(other for other in run.others if other.folder != run.run.folder)]
    raise TableError(
        f"{path}: no response of {run.model!r} to {entry.entry_id}."
        f"{_runs_with_response(runs, entry, run.model)}"
    )


def _runs_with_response(runs: Iterable[Run], entry: Entry, model: str) -> str:
    """After a text: the name that is probably meant, and the runs with a response to the entry."""
    models = {
        run.folder: [name for name in answered_models(run) if has_response(run, name, entry)]
        for run in runs
    }
    found = [f"{folder} ({', '.join(names)})" for folder, names in models.items() if names]
    if not found:
        return " No run has one: the entry may be outside their samples; list it in `entry_ids` of a run."
    more = f" and {len(found) - MOST_RUNS:,} more" if len(found) > MOST_RUNS else ""
    meant = did_you_mean(model, {name for names in models.values() for name in names})
    return f"{meant} Runs that have one: {'; '.join(found[:MOST_RUNS])}{more}."


def _ids(path: Path) -> list[str]:
    """The entry ids of a table."""
    return [str(entry_id) for entry_id in read_table(path, ["entry_id"]).column("entry_id").to_pylist()]


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
        entry = find_entry(data, entry_id)
        found = next((one for one in runs if has_response(one, model, entry)), None)
        if found is None:
            there = _runs_with_response(runs, entry, model)
            raise TableError(f"no run has a response of {model!r} to {entry.entry_id}.{there}")
        return ModelRun(found, model, rules, runs)
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
