"""What a run has finished already, and whether a config would replace it.

Covers the comparison of a request with `results/<run>/config.yaml` and `models.yaml`, made before anything
starts. Allowed is what only adds to the finished responses (more models, trials, categories or entry ids, a
larger sample), and what no response depends on (budget, rules, prices, display names, limits, images). A
model without any answer has nothing to replace. Everything else would replace or drop finished responses.
"""

import csv
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from bfcl_pipeline.base.errors import ArchiveError, ConfigError, TableError
from bfcl_pipeline.benchmark.config import (
    Job,
    ModelRow,
    RunConfig,
    RunSample,
    WebChoice,
    model_folder,
)
from bfcl_pipeline.benchmark.config.choices import JournalChoice
from bfcl_pipeline.benchmark.config.run_record import ENTRY_KEYS, WEB_KEYS
from bfcl_pipeline.benchmark.records import Json, Status
from bfcl_pipeline.runs.run import Run

SHOWN = 3
"""Names that a message lists; of more it gives the number."""

_LONGEST_VALUE = 60  # characters of a value in a message


def complete_models(made: Run, run: RunConfig) -> frozenset[str]:
    """The directory names of models that have responses to all entries of `run`, none to be retried.

    Follows from the tables of responses alone. A smaller selection of the same draw is part of a larger
    one, so that the number of responses shows which of them a table has.
    """
    return frozenset(folder for folder in run.folders if _complete(made, run, folder))


def _complete(made: Run, run: RunConfig, folder: str) -> bool:
    jobs = _by_category(run.jobs_of(folder))
    return all(_has_responses(made, folder, category, job) for category, job in jobs.items())


def _has_responses(made: Run, folder: str, category: str, job: Job) -> bool:
    path = made.responses(folder, category)
    if not path.is_file():
        return False
    from bfcl_pipeline.benchmark.tables import count_matching  # loads pyarrow

    try:
        rows, failed = count_matching(path, "status", Status.INFRASTRUCTURE_ERROR)
        sessions = made.sessions(folder, category)
        if sessions.is_file():
            failed += count_matching(sessions, "status", Status.INFRASTRUCTURE_ERROR)[1]
    except TableError:
        return False
    return rows == job.selection.size_of(category) and (job.recorded or not failed)


def _has_answers(made: Run, folder: str) -> bool:
    """Whether the model with this directory name has answers, or responses that were never counted."""
    if not any((made.folder / "responses" / folder).glob("*.parquet")):
        return False
    statuses = _statuses(made, folder)
    return not statuses or Status.ANSWERED.value in statuses


def _statuses(made: Run, folder: str) -> set[str]:
    """The statuses of the model's entries in the table `coverage`; empty if it is not there."""
    try:
        with made.csv_table("coverage").open(encoding="utf-8", newline="") as lines:
            return {row["status"] for row in csv.DictReader(lines) if model_folder(row["model"]) == folder}
    except (OSError, KeyError, ValueError, csv.Error):
        return set()


def check_recorded(made: Run, config: Mapping[str, Any], run: RunConfig) -> None:
    """Checks that a config adds to the finished responses of its run, and replaces none.

    Args:
        made: the run as it was made before.
        config: the config, complete and checked; with `overwrite` or `replay` everything is allowed.
        run: the run that it describes.

    Raises:
        ConfigError: states what differs, and what to choose.
    """
    if config["overwrite"] or config["replay"] or not made.config_file.is_file():
        return
    remedy = (
        "Choose another name (--run NAME), or replace it (--overwrite); to Snakemake, --config run=NAME or "
        "overwrite=true."
    )
    try:
        found = list(_differences(made, config, run))
    except (ConfigError, ArchiveError) as error:
        raise ConfigError(
            f"run {run.name!r} has results, and its recorded config cannot be compared with this one "
            f"({error}). {remedy}"
        ) from error
    if found:
        raise ConfigError(f"run {run.name!r} was made with other settings: {'; '.join(found)}. {remedy}")


def replaced_models(made: Run, config: Mapping[str, Any], run: RunConfig) -> list[str]:
    """The directory names of models of `run` whose responses were made with other settings, by the record.

    Those are refused by `check_recorded`, unless the config has `overwrite` or the models have no answers.
    All models if the record cannot be compared; none if there is none.
    """
    if not made.config_file.is_file():
        return []
    try:
        before = made.recorded
    except (ConfigError, ArchiveError):
        return list(run.folders)
    if made.values["release"]["sha256"] != config["release"]["sha256"]:
        return list(run.folders)
    both = [folder for folder in run.folders if folder in before.folders]
    return [name for name in both if not _adds(before.jobs_of(name), run.jobs_of(name))]


def _adds(before: tuple[Job, ...], now: tuple[Job, ...]) -> bool:
    """Whether the responses of jobs are among those of later ones of the same model."""
    old, new = _by_category(before), _by_category(now)
    return not any(_row_differences(before[0].row, now[0].row)) and all(
        _includes(new[name], old[name], name) and _web(new[name]) == _web(old[name])
        for name in old
        if name in new
    )


def _differences(made: Run, config: Mapping[str, Any], run: RunConfig) -> Iterator[str]:
    """What would replace or drop finished responses, or mix them with those of other runs, in words."""
    before, earlier = made.recorded, made.values
    if earlier["journal"] != config["journal"] and any(job.remote for job in before.jobs):
        how = "--fresh" if earlier["journal"] == JournalChoice.RUN else "no --fresh"
        yield f"journal: {_changed(earlier['journal'], config['journal'])} ({how} continues it)"
    finished = [folder for folder in before.folders if _has_answers(made, folder)]
    if not finished:
        return
    if earlier["release"]["sha256"] != config["release"]["sha256"]:
        yield f"release.sha256: {_changed(earlier['release']['sha256'], config['release']['sha256'])}"
    removed = [before.job_of(folder).name for folder in finished if folder not in run.folders]
    kept = [folder for folder in finished if folder in run.folders]
    pairs = [(_by_category(before.jobs_of(name)), _by_category(run.jobs_of(name))) for name in kept]
    fewer = [
        category
        for old, new in pairs
        for category in old
        if category not in new or not _includes(new[category], old[category], category)
    ]
    searched = any(_web(old[name]) != _web(new[name]) for old, new in pairs for name in old if name in new)
    keys = [
        key
        for key, matters in {
            **dict.fromkeys(WEB_KEYS, searched),
            **dict.fromkeys(ENTRY_KEYS, bool(fewer)),
        }.items()
        if (matters or (key == "seed" and searched)) and earlier[key] != config[key]
    ]
    for key in keys:
        yield f"{key}: {_changed(_setting(key, earlier[key]), _setting(key, config[key]))}"
    if fewer and not set(keys) & set(ENTRY_KEYS):
        dropped = [name for name in fewer if not any(name in new for _, new in pairs)]
        if dropped:
            yield f"categories: {_names(dropped)} removed"
        else:
            yield (
                f"sample: {RunSample.of(config['sample'])} over other categories leaves fewer entries of "
                f"{_names(fewer)} (a larger sample keeps them)"
            )
    yield from chain.from_iterable(
        _row_differences(before.job_of(name).row, run.jobs_of(name)[0].row) for name in kept
    )
    if removed:
        yield f"models: {_names(removed)} removed"


def _by_category(jobs: tuple[Job, ...]) -> dict[str, Job]:
    return {category: job for job in jobs for category in job.categories}


def _includes(new: Job, old: Job, category: str) -> bool:
    """Whether a job runs all entries of `category` that an earlier one ran."""
    now, then = new.selection, old.selection
    if now.entry_ids:
        return bool(then.entry_ids) and set(then.entry_ids) <= set(now.entry_ids)
    if category not in now.sample:
        return True
    same_draw = category in then.sample and now.seed == then.seed
    return same_draw and then.sample[category] <= now.sample[category]


def _web(job: Job) -> tuple[WebChoice, int]:
    """What the web tools of a job return; a seed counts if fetches are made to fail."""
    return job.web.deciding, job.selection.seed if job.web.fetch_failures else 0


def _row_differences(old: ModelRow, new: ModelRow) -> Iterator[str]:
    """The values of a row on which answers depend and that changed."""
    then: Mapping[str, Json] = {"mode": old.mode.value, "prompting": old.prompting, **old.asked}
    now: Mapping[str, Json] = {"mode": new.mode.value, "prompting": new.prompting, **new.asked}
    if old.kind == new.kind == "vllm" and old.prompting != new.prompting:
        changed = _changed(old.prompting, new.prompting)
        kept = f"prompting: {old.prompting}" + (f", family: {old.family}" if old.family else "")
        yield f"{new.name}: prompting {changed} (kept by `{kept}` in its row)"
        return  # the other differences follow from it
    for key in {**then, **now}:
        yield from (f"{new.name}: {what}" for what in _value_differences(key, then.get(key), now.get(key)))


def _value_differences(key: str, old: Json, new: Json) -> Iterator[str]:
    """What differs between two values; of mappings, only the keys that differ."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for inner in {**old, **new}:
            yield from _value_differences(f"{key}.{inner}", old.get(inner), new.get(inner))
    elif old != new:
        yield f"{key} {_changed(old, new)}"


def _setting(key: str, value: object) -> object:
    """A value of the config, a sample in words."""
    return RunSample.of(value) if key == "sample" else value


def _changed(old: object, new: object) -> str:
    return f"{_value(old)} -> {_value(new)}"


def _value(value: object) -> str:
    text = "null" if value is None else str(value)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}..."


def _names(names: list[str]) -> str:
    names = list(dict.fromkeys(names))
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more
