"""The config of a run as a record: which models answer which entries of which categories.

Covers names, the sample and explicit entry ids. Keys and types are `config.check`; whether an entry
id exists is known only once the release is staged, and said by `bfcl-pipeline generate`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bfcl_pipeline.benchmark import CATEGORIES, Check, category_of, resolve_categories
from bfcl_pipeline.config.model_rows import model_folder, unknown_model
from bfcl_pipeline.config.selection import allocate
from bfcl_pipeline.config.trials import Trial, trial_name
from bfcl_pipeline.config.web import WebChoice
from bfcl_pipeline.errors import ConfigError
from bfcl_pipeline.records import Mode, Rules

LONGEST_COMMAND = 100_000
"""Entry ids of a run, in characters: Linux refuses an argument, and so a shell command, over 128 KiB."""


@dataclass(frozen=True, slots=True)
class Release:
    """The release of the benchmark that is staged."""

    version: str  # of the package bfcl-eval
    sha256: str  # of its wheel, or of the contents of a folder
    source: str | None  # a local wheel or unpacked folder; None: fetched by pip

    @property
    def options(self) -> tuple[str, ...]:
        """The release as options of `bfcl-pipeline stage`."""
        source = () if self.source is None else ("--source", self.source)
        return ("--version", self.version, "--sha256", self.sha256, *source)


@dataclass(frozen=True, slots=True)
class Job:
    """One model asked (a selection of) one category, once."""

    model: str  # name, as in config/models.yaml
    folder: str  # the name of the model or its trial as a file name
    category: str
    sample: int | None  # that many entries of the category; None: all
    seed: int  # of the sample
    entry_ids: tuple[str, ...]  # only these; empty: all
    web: WebChoice | None = None  # what is searched; None where nothing is
    trial: int = 1  # which repetition of the benchmark

    @property
    def name(self) -> str:
        """What tables call the model in this trial."""
        return trial_name(self.model, self.trial)

    @property
    def options(self) -> tuple[str, ...]:
        """Selection, web and trial as options of `bfcl-pipeline generate`; without what says nothing."""
        return generate_options([self])


def generate_options(jobs: Sequence[Job]) -> tuple[str, ...]:
    """What `jobs`, all of one trial of one model, say as options of one `bfcl-pipeline generate`."""
    ids = [entry_id for job in jobs for entry_id in job.entry_ids]
    counted = [(job.category, job.sample) for job in jobs if job.sample is not None and not job.entry_ids]
    trial = jobs[0].trial
    chosen: tuple[str, ...] = ("--trial", str(trial)) if trial > 1 else ()
    chosen += ("--entry-ids", *ids) if ids else ()
    if counted:
        chosen += ("--sample", *(f"{category}={count}" for category, count in counted))
    webs = {job.web for job in jobs if job.web is not None}
    for web in webs:  # one at most: it is the run's
        chosen += web.options
    drawn = counted or any(web.fetch_failures > 0 for web in webs)
    return (*chosen, "--seed", str(jobs[0].seed)) if drawn else chosen


@dataclass(frozen=True, slots=True)
class RunConfig:
    """Everything the workflow needs to know about a run."""

    name: str  # of the run, and of its folder under results/
    jobs: tuple[Job, ...]  # in the order of the config's models, then of the benchmark's categories
    rules: Rules  # whose verdicts the official tables show
    release: Release
    budget: float | None = None  # US dollars that each model may cost in this run; None: no limit
    # The jobs again, by folder and category: the DAG of many models looks them up again and again.
    _found: Mapping[str, Mapping[str, Job]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        found: dict[str, dict[str, Job]] = {}
        for job in self.jobs:
            found.setdefault(job.folder, {})[job.category] = job
        object.__setattr__(self, "_found", found)

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models of the run, each trial by its own."""
        return tuple(dict.fromkeys(job.name for job in self.jobs))

    @property
    def folders(self) -> tuple[str, ...]:
        """Their names as file names."""
        return tuple(self._found)

    def categories_of(self, folder: str) -> tuple[str, ...]:
        """The categories that the model with this file name is asked."""
        return tuple(self._found.get(folder, ()))

    def memory_of(self, folder: str) -> tuple[str, ...]:
        """Those of them with sessions before their questions."""
        return tuple(name for name in self.categories_of(folder) if CATEGORIES[name].prerequisites)

    def jobs_of(self, folder: str) -> tuple[Job, ...]:
        """The jobs of the model with this file name."""
        return tuple(self._found.get(folder, {}).values())

    def model_of(self, folder: str) -> str:
        """The row that describes the model with this file name."""
        return self.jobs_of(folder)[0].model

    def trial_before(self, folder: str) -> str | None:
        """The file name of the trial before this one; None of a first."""
        first = self.jobs_of(folder)[0]
        if first.trial == 1:
            return None
        return model_folder(trial_name(first.model, first.trial - 1))

    def options_of(self, folder: str) -> tuple[str, ...]:
        """What the model with this file name is asked, as options of one `bfcl-pipeline generate`."""
        return generate_options(self.jobs_of(folder))

    def job(self, folder: str, category: str) -> Job:
        """The job of one model and category. Raises ConfigError if the run has none such."""
        found = self._found.get(folder, {}).get(category)
        if found is None:
            raise ConfigError(
                f"run {self.name!r} does not ask {folder!r} {category}; "
                "add them to `models` and `categories`."
            )
        return found


def load_run(
    config: Mapping[str, Any], modes: Mapping[str, Mode], embedded: Collection[str] = ()
) -> RunConfig:
    """The run that a config, checked and with all keys present, describes.

    `modes` gives the mode of every known model. `embedded` names those that answer the same each time:
    they are asked once, whatever the number of trials. Raises ConfigError, with what would be right, if a
    model, category or entry id is unknown or not supported, or if two keys contradict each other.
    """
    models = tuple(dict.fromkeys(config["models"]))
    for name in models:
        if name not in modes:
            raise ConfigError(f"models: {unknown_model(name, modes)}")
    categories = _resolved(config["categories"])
    selection = _by_category(config["entry_ids"], categories) if config["entry_ids"] is not None else None
    if selection is not None and config["sample"] is not None:
        raise ConfigError("sample and entry_ids are both set; leave one of them null.")
    if selection is not None:
        categories = tuple(selection)
    counts = _counts(categories, config["sample"])
    web = WebChoice(config["web"], config["fetch_failures"], config["search_tool"], config["search_engine"])
    trials = [
        Trial(name, number)
        for name in models
        for number in range(1, 1 + (1 if name in embedded else config["trials"]))
    ]
    folders = _folders([trial_name(trial.model, trial.number) for trial in trials])
    jobs = tuple(
        Job(
            trial.model,
            folders[trial_name(trial.model, trial.number)],
            category,
            counts[category],
            config["seed"],
            (selection or {}).get(category, ()),
            web if CATEGORIES[category].check is Check.WEB_SEARCH else None,
            trial.number,
        )
        for trial in trials
        for category in categories
        if counts[category] != 0
        and not (CATEGORIES[category].prompt_only and modes[trial.model] is Mode.FC)
    )
    if not jobs:
        raise ConfigError(
            f"nothing to run: {', '.join(categories)} is asked of prompt-mode models only; "
            "add such a model (without -FC) to `models`, or another category to `categories`."
        )
    release = Release(**config["release"])
    return RunConfig(config["run"], jobs, Rules(config["rules"]), release, config["budget"])


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


def _counts(categories: Sequence[str], sample: int | None) -> dict[str, int | None]:
    if sample is None:
        return dict.fromkeys(categories)
    return dict(allocate({name: CATEGORIES[name].entries for name in categories}, sample))


def _folders(models: Sequence[str]) -> dict[str, str]:
    """The file name of each model. Raises ConfigError if two would share one."""
    folders = {name: model_folder(name) for name in models}
    for name, folder in folders.items():
        twin = next(other for other, its in folders.items() if its == folder)
        if twin != name:
            raise ConfigError(
                f"models: {twin!r} and {name!r} would share the folder {folder!r}; rename one."
            )
    return folders
