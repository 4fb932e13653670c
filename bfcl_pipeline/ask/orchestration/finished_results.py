"""What a run has finished already, and whether a config would replace it.

Covers the comparison of a request with `results/<run>/config.yaml` and `models.yaml`, made before anything
starts. Allowed is what only adds to the finished responses (more models, trials, categories or entry ids, a
larger sample), and what no response depends on (budget, rules, prices, display names, limits, images). A
model without any answer has nothing to replace. Everything else would replace or drop finished responses.
"""

import csv
from collections.abc import Iterator

from bfcl_pipeline.base.differences import differences
from bfcl_pipeline.base.errors import ArchiveError, ConfigError, TableError
from bfcl_pipeline.base.text import cut
from bfcl_pipeline.benchmark.config import (
    Job,
    ModelRow,
    RunConfig,
    WebChoice,
    model_folder,
)
from bfcl_pipeline.benchmark.config.choices import JournalChoice
from bfcl_pipeline.benchmark.config.run_settings import keys_deciding
from bfcl_pipeline.benchmark.records import Status
from bfcl_pipeline.runs.run import Run

SHOWN = 3
"""Names that a message lists; of more it gives the number."""

_LONGEST_VALUE = 60  # characters of a value in a message


def complete_models(made: Run, run: RunConfig) -> frozenset[str]:
    """The directory names of models that have responses to all entries of `run`, none to be retried.

    Follows from the tables of responses alone. A smaller selection of the same draw is part of a larger
    one, so that the number of responses shows which of them a table has.
    """
    by_folder = {folder: _by_category(run.jobs_of(folder)) for folder in run.folders}
    return frozenset(
        folder
        for folder, jobs in by_folder.items()
        if all(_has_responses(made, folder, category, job) for category, job in jobs.items())
    )


def _has_responses(made: Run, folder: str, category: str, job: Job) -> bool:
    path, sessions = made.responses(folder, category), made.sessions(folder, category)
    if not path.is_file():
        return False
    from bfcl_pipeline.benchmark.tables import count_matching  # loads pyarrow

    try:
        rows, failed = count_matching(path, "status", Status.INFRASTRUCTURE_ERROR)
        if sessions.is_file():
            failed += count_matching(sessions, "status", Status.INFRASTRUCTURE_ERROR)[1]
    except TableError:
        return False
    return rows == job.selection.size_of(category) and (job.recorded or not failed)


def _has_answers(made: Run, folder: str) -> bool:
    """Whether the model with this directory name has answers, or responses that were never counted."""
    if not any((made.folder / "responses" / folder).glob("*.parquet")):
        return False
    try:
        with made.csv_table("coverage").open(encoding="utf-8", newline="") as lines:
            rows = [row for row in csv.DictReader(lines) if model_folder(row["model"]) == folder]
            statuses = {row["status"] for row in rows}
    except (OSError, KeyError, ValueError, csv.Error):
        return True
    return not statuses or Status.ANSWERED.value in statuses


def check_recorded(made: Run, run: RunConfig) -> None:
    """Checks that a config adds to the finished responses of its run, and replaces none.

    Args:
        made: the run as it was made before.
        run: the run as it is to be; with `overwrite` or `replay` everything is allowed.

    Raises:
        ConfigError: states what differs, and what to choose.
    """
    if run.settings.overwrite or run.settings.replay or not made.config_file.is_file():
        return
    remedy = (
        "Choose another name (--run NAME), or replace it (--overwrite); to Snakemake, --config run=NAME or "
        "overwrite=true."
    )
    try:
        found = list(_differences(made.recorded, run, made))
    except (ConfigError, ArchiveError) as error:
        raise ConfigError(
            f"run {run.name!r} has results, and its recorded config cannot be compared with this one "
            f"({error}). {remedy}"
        ) from error
    if found:
        raise ConfigError(f"run {run.name!r} was made with other settings: {'; '.join(found)}. {remedy}")


def replaced_models(made: Run, run: RunConfig) -> list[str]:
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
    if before.settings.release.sha256 != run.settings.release.sha256:
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


def _differences(before: RunConfig, run: RunConfig, made: Run) -> Iterator[str]:
    """What would replace or drop finished responses, or mix them with those of other runs, in words."""
    then, now = before.settings, run.settings
    if then.journal is not now.journal and any(job.remote for job in before.jobs):
        how = "--fresh" if then.journal is JournalChoice.RUN else "no --fresh"
        yield f"journal: {_changed(then.journal, now.journal)} ({how} continues it)"
    finished = [folder for folder in before.folders if _has_answers(made, folder)]
    if not finished:
        return
    if then.release.sha256 != now.release.sha256:
        yield f"release.sha256: {_changed(then.release.sha256, now.release.sha256)}"
    kept = [folder for folder in finished if folder in run.folders]
    pairs = [(_by_category(before.jobs_of(name)), _by_category(run.jobs_of(name))) for name in kept]
    fewer = [
        category
        for old, new in pairs
        for category in old
        if category not in new or not _includes(new[category], old[category], category)
    ]
    searched = any(_web(old[name]) != _web(new[name]) for old, new in pairs for name in old if name in new)
    of_entries = keys_deciding("entries")
    keys = [*(keys_deciding("web") if searched else ()), *(of_entries if fewer else ())]
    keys += [*(["seed"] * searched), *keys_deciding("all")]
    changed = [key for key in dict.fromkeys(keys) if then.values[key] != now.values[key]]
    for key in changed:
        yield f"{key}: {_changed(then.shown_value(key), now.shown_value(key))}"
    dropped = [name for name in fewer if not any(name in new for _, new in pairs)]
    if fewer and set(changed).isdisjoint(of_entries):
        yield (
            f"categories: {_names(dropped)} removed"
            if dropped
            else f"sample: {now.sample} over other categories leaves fewer entries of "
            f"{_names(fewer)} (a larger sample keeps them)"
        )
    for name in kept:
        yield from _row_differences(before.job_of(name).row, run.jobs_of(name)[0].row)
    if removed := [before.job_of(folder).name for folder in finished if folder not in run.folders]:
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
    if old.kind == new.kind == "vllm" and old.prompting != new.prompting:
        changed = _changed(old.prompting, new.prompting)
        kept = f"prompting: {old.prompting}" + (f", family: {old.family}" if old.family else "")
        yield f"{new.name}: prompting {changed} (kept by `{kept}` in its row)"
        return  # the other differences follow from it
    for one in differences(old.deciding, new.deciding, strict=False, missing=None):
        yield f"{new.name}: {one.path} {_changed(one.first, one.second)}"


def _changed(*values: object) -> str:
    """Two values; null for none."""
    return " -> ".join("null" if value is None else cut(str(value), _LONGEST_VALUE) for value in values)


def _names(names: list[str]) -> str:
    names = list(dict.fromkeys(names))
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more
