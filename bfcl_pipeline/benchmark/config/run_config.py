"""What a run is to do: its settings, and the jobs that generate its responses.

Covers names, the sample and explicit entry ids. Keys and types are checked by `config.check`; whether an
entry id exists is checked by `bfcl-pipeline generate`, as it is known only once the release is staged.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import cut
from bfcl_pipeline.benchmark.config.choices import Groups, comparison_groups
from bfcl_pipeline.benchmark.config.conditions import canary, is_canary, model_row, with_conditions
from bfcl_pipeline.benchmark.config.job import (
    NETWORK_MODES,
    Job,
    JobPaths,
    Selection,
    Shard,
    WebChoice,
)
from bfcl_pipeline.benchmark.config.model_rows import ModelRow, model_folder
from bfcl_pipeline.benchmark.config.run_settings import RunSettings
from bfcl_pipeline.benchmark.config.sampling import divide
from bfcl_pipeline.benchmark.definition import CATEGORIES, Check, category_of, resolve_categories
from bfcl_pipeline.benchmark.records import Mode

LONGEST_COMMAND = 100_000
"""Entry ids of a run, in characters: Linux refuses an argument, and so a shell command, over 128 KiB."""

ENTRY_ID = re.compile(r"[A-Za-z0-9_:&=-]{1,200}")
"""The characters of the release's entry ids."""

MODEL_NAME = re.compile(r"[\w(][\w .:+=()@/~-]{0,148}(?<! )")
"""Names of models, which are names of files, rules and options as well."""

_SHARD_NAME = re.compile(r"@\d+of\d+$")  # what the files of a shard end in

OBSERVED = Path("observed")
"""Where a replay finds the results of the run that it derives again."""

ERRATA_FOLDER = "errata"
"""The folder of a run with copies of the user's own errata."""


@dataclass(frozen=True, slots=True)
class RunConfig:
    """Everything the workflow needs to know about a run.

    A model has one job for all its categories: the requests to an API then share one limit, one budget and
    one journal, and an embedded model loads its libraries once. A model for which the run starts several
    servers has one job for each of them.
    """

    settings: RunSettings
    jobs: tuple[Job, ...]  # by model in the order of the config, then by trial, category and shard
    comparisons: Groups = ()  # models that are compared: the others of a group with its first
    # The jobs again, by folder: the DAG of many models looks them up again and again.
    _by_folder: Mapping[str, tuple[Job, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        by_folder: dict[str, list[Job]] = {}
        for job in self.jobs:
            by_folder.setdefault(job.folder, []).append(job)
        object.__setattr__(self, "_by_folder", {name: tuple(jobs) for name, jobs in by_folder.items()})

    @property
    def name(self) -> str:
        """Of the run, and of its folder under results/."""
        return self.settings.run

    @property
    def errata(self) -> tuple[Path, ...]:
        """Files of the user's own errata; of a replay, the copies of the run."""
        files = map(Path, self.settings.errata)
        copies = OBSERVED / ERRATA_FOLDER
        return tuple(copies / file.name if self.settings.replay else file for file in files)

    @property
    def web(self) -> WebChoice:
        """The web of the run, as its config says; of each job, what of it concerns the job."""
        return self.settings.web or WebChoice()

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models in tables, one for each trial."""
        return tuple(jobs[0].name for jobs in self._by_folder.values())

    @property
    def folders(self) -> tuple[str, ...]:
        """The names of `models` as file names."""
        return tuple(self._by_folder)

    @property
    def categories(self) -> list[str]:
        """The categories of any job, sorted."""
        return sorted({category for job in self.jobs for category in job.categories})

    def categories_of(self, folder: str) -> tuple[str, ...]:
        """The categories of one model, in the benchmark's order."""
        return tuple(dict.fromkeys(name for job in self.jobs_of(folder) for name in job.categories))

    @property
    def remote(self) -> list[str]:
        """The file names of the models behind an API."""
        return [folder for folder in self.folders if self.job_of(folder).remote]

    @property
    def given(self) -> list[str]:
        """The file names of the models of kind `results`, whose answers are in no journal."""
        return [folder for folder in self.folders if self.job_of(folder).recorded]

    @property
    def needs_encoder(self) -> bool:
        """Whether a category needs the sentence encoder."""
        asked = {name for job in self.jobs if not job.recorded for name in job.categories}
        return any(CATEGORIES[category].needs_encoder for category in asked)

    def memory_of(self, folder: str) -> tuple[str, ...]:
        """The categories of one model that have memory sessions before their questions."""
        return tuple(name for name in self.categories_of(folder) if CATEGORIES[name].prerequisites)

    def job_of(self, folder: str) -> Job:
        """The first job of one model, with its row and its trial. Raises as `jobs_of`."""
        return self.jobs_of(folder)[0]

    def jobs_of(self, folder: str) -> tuple[Job, ...]:
        """The jobs of one model. Raises ConfigError if the run has no model with this file name."""
        if folder not in self._by_folder:
            raise ConfigError(f"run {self.name!r} has no model {folder!r}; add it to `models`.")
        return self._by_folder[folder]


def load_run(config: Mapping[str, Any], rows: Mapping[str, ModelRow]) -> RunConfig:
    """The run that a config, checked and with all keys present, describes.

    rows: every known model, by name. Models that are embedded or of kind results have one trial.
    Raises ConfigError, with what would be right, if a model, category or entry id is unknown or not
    supported, or if two keys contradict each other.
    """
    settings = RunSettings.of(config)
    try:
        names = settings.models
        if settings.conditions:
            names = tuple(with_conditions(names, rows, settings.conditions))
        asked = {name: model_row(rows, name) for name in names}
    except ConfigError as error:
        raise ConfigError(f"models: {error}") from error
    if settings.conditions and (settings.trials > 1 or names == settings.models):
        raise ConfigError(
            "conditions need a model that is asked through an API, and trials: 1 (`again` is the second)."
        )
    chosen = _resolved(settings.categories)
    # A sample is drawn from what is asked: nothing is drawn from a category that no model runs.
    categories = tuple(name for name in chosen if any(_runs(row, name) for row in asked.values()))
    entry_ids = {}
    if settings.entry_ids is not None:
        if settings.sample is not None:
            raise ConfigError("sample and entry_ids are both set; leave one of them null.")
        entry_ids = _by_category(settings.entry_ids, chosen)
        categories = tuple(entry_ids)
    sample = {} if settings.sample is None else divide(settings.sample, categories)
    categories = tuple(name for name in categories if sample.get(name) != 0)
    jobs = tuple(
        job for row in asked.values() for job in _jobs(settings, row, categories, sample, entry_ids)
    )
    if not jobs:
        raise ConfigError(
            f"nothing to run: {', '.join(categories or chosen)} runs with prompt-mode models only; "
            "add such a model (without -FC) to `models`, or another category to `categories`."
        )
    names = tuple(dict.fromkeys(job.name for job in jobs))
    check_folders(names)
    return RunConfig(settings, jobs, comparison_groups(settings.compare, names))


def _jobs(
    settings: RunSettings,
    row: ModelRow,
    categories: Sequence[str],
    sample: Mapping[str, int],
    entry_ids: Mapping[str, Sequence[str]],
) -> Iterable[Job]:
    """The jobs of one model."""
    names = [name for name in categories if _runs(row, name)]
    if is_canary(row.name):
        of_ids = {name: len(ids) for name, ids in entry_ids.items() if name in names}
        few = canary(of_ids or {name: sample.get(name, CATEGORIES[name].entries) for name in names})
        names, sample = [*few], {} if of_ids else few
        entry_ids = {name: entry_ids[name][: few[name]] for name in few if of_ids}
    if not names:
        return
    web = settings.web or WebChoice()
    if web.mode not in NETWORK_MODES:
        web = web.deciding
    paths = JobPaths(observed=OBSERVED if settings.replay else None)
    job = Job(
        row=row,
        categories=tuple(names),
        run=settings.run,
        replay=settings.replay,
        web=web,
        paths=paths,
    )
    job = _selecting(job, settings.seed, sample, entry_ids)
    if not job.remote:
        yield job
        return
    served = row.served and not job.replay
    shards = row.vllm.shards if served else 1
    job = replace(job, budget=settings.budget, wait_for_lease=not job.replay)
    journals = Path(settings.journal.member(job.run))
    for trial in range(1, 1 + settings.trials):
        for number in range(1, 1 + shards):
            selection = replace(job.selection, shard=Shard(number, shards))
            one = replace(job, trial=trial, selection=selection)
            endpoint = Path(f"results/{job.run}/servers/{one.file_name}.json") if served else None
            yield replace(one, paths=replace(paths, journals=journals, endpoint=endpoint))


def _runs(row: ModelRow, category: str) -> bool:
    """Whether the model of `row` is asked the entries of `category`."""
    return row.mode is not Mode.FC or not CATEGORIES[category].prompt_only


def _selecting(
    job: Job, seed: int, sample: Mapping[str, int], entry_ids: Mapping[str, Sequence[str]]
) -> Job:
    """`job` with what concerns its categories alone: a change of anything else does not repeat it."""
    categories = [CATEGORIES[name] for name in job.categories]
    searches = any(one.check is Check.WEB_SEARCH for one in categories)
    web = job.web if searches and not job.recorded else WebChoice()
    if any(one.executes for one in categories) and (not searches or job.recorded):
        # Scoring executes the calls, also those of given answers; nothing else concerns them.
        asked = job.web
        web = WebChoice(mode=asked.mode, cache=asked.cache, proxy=asked.proxy, pause=asked.pause)
    counts = {name: sample[name] for name in job.categories if name in sample}
    ids = tuple(entry_id for name in job.categories for entry_id in entry_ids.get(name, ()))
    drawn = seed if counts or web.fetch_failures else 0
    return replace(job, web=web, selection=Selection(sample=counts, seed=drawn, entry_ids=ids))


def _resolved(names: Iterable[str]) -> tuple[str, ...]:
    """The categories that `names` stand for."""
    try:
        return resolve_categories(names)
    except ConfigError as error:
        raise ConfigError(f"categories: {error}") from error


def _by_category(entry_ids: Sequence[str], categories: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """`entry_ids` by the category that each names, in the benchmark's order."""
    found: dict[str, list[str]] = {name: [] for name in categories}
    for entry_id in dict.fromkeys(entry_ids):
        if ENTRY_ID.fullmatch(entry_id) is None:
            raise ConfigError(
                f"entry_ids: {cut(entry_id, 100)!r} is not an entry id; expected a category and a number, "
                "for example simple_python_3."
            )
        try:
            category = category_of(entry_id)
        except ConfigError as error:
            raise ConfigError(f"entry_ids: {error}") from error
        if category not in found:
            raise ConfigError(
                f"entry_ids: {entry_id!r} is of {category}, which `categories` leaves out; add it there."
            )
        found[category].append(entry_id)
    if sum(map(len, entry_ids)) > LONGEST_COMMAND:
        raise ConfigError(
            f"entry_ids: {len(entry_ids)} ids are too many for one command; "
            "use `sample`, or split them into several runs."
        )
    return {category: tuple(ids) for category, ids in found.items() if ids}


def check_folders(models: Iterable[str]) -> None:
    """Raises ConfigError if a name cannot be that of a folder, or two models would share one."""
    model_of: dict[str, str] = {}
    for name in models:
        if MODEL_NAME.fullmatch(name) is None or _SHARD_NAME.search(name):
            raise ConfigError(
                f"models: {cut(name, 100)!r} would name files: letters, digits, spaces inside and "
                ". _ - ~ / : + = ( ) @ are allowed, at most 150; rename its row."
            )
        folder = model_folder(name)
        other = model_of.setdefault(folder, name)
        if other != name:
            raise ConfigError(
                f"models: {other!r} and {name!r} would share the folder {folder!r}; rename one."
            )
