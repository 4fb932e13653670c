"""A recorded run: what it evaluated, with which rows of models, and where its files are.

Covers the folder of a run that was generated here, imported, unpacked from an archive, or that has nothing
but tables. It may come from elsewhere: sizes and nesting of its config and rows are limited, and only keys
that the schemas define are accepted. Nothing is read before it is asked for, and each file once.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bfcl_pipeline.base.errors import ArchiveError, ConfigError, TableError
from bfcl_pipeline.base.yaml_reader import read_yaml_file
from bfcl_pipeline.benchmark.config.choices import JournalChoice, ShownEntries
from bfcl_pipeline.benchmark.config.model_rows import ModelRow, load_models, model_folder
from bfcl_pipeline.benchmark.config.run_config import ERRATA_FOLDER, RunConfig, load_run
from bfcl_pipeline.benchmark.config.run_settings import RunSettings, read_settings
from bfcl_pipeline.benchmark.config.sampling import SampleBy
from bfcl_pipeline.benchmark.definition import release
from bfcl_pipeline.benchmark.definition.categories import release_sizes
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.runs.archived.members import MAX_MEMBERS
from bfcl_pipeline.runs.folders import CONFIG, run_folder
from bfcl_pipeline.runs.provenance import TEMPLATE_BESIDE_LOG

if TYPE_CHECKING:
    from bfcl_pipeline.runs.making import Making

CACHE = Path("cache")
"""What the runs of a project share, relative to it."""

BLAME, BLAMED_ANSWERS = "blame.csv", "blame_answers.csv"
"""What `blame` writes to a run and its page shows: causes, and answers that a server decided."""

DATA = Path("data")
"""The staged release, relative to it."""


@dataclass(frozen=True)
class Run:
    """A run that was made. Its config and its rows raise ConfigError if they cannot be read."""

    folder: Path  # results/<name>, or elsewhere
    cache: Path = CACHE  # has exchanges/ (the shared journals), web/ and encoder/
    data: Path = DATA  # the staged release of the benchmark

    @cached_property
    def config(self) -> RunSettings | None:
        """What its config says; None if it recorded none."""
        try:
            return read_settings(self.config_file)
        except FileNotFoundError:
            return None

    @property
    def release_version(self) -> str:
        """The version of the benchmark's release; the pinned one's if it recorded no config."""
        return release.VERSION if self.config is None else self.config.release.version

    @property
    def benchmark(self) -> str:
        """The benchmark whose scores it has, for people."""
        return release.benchmark_name(self.release_version)

    @property
    def values(self) -> Mapping[str, Any]:
        """Its config by key; empty if it recorded none."""
        return {} if self.config is None else self.config.values

    @cached_property
    def rows(self) -> Mapping[str, ModelRow]:
        """The rows of its models by name; empty if it recorded none."""
        return load_models(self.models_file) if self.models_file.is_file() else {}

    @cached_property
    def recorded(self) -> RunConfig:
        """The jobs that it carried out.

        Raises:
            ArchiveError: it did not record its config and its rows, or its answers were imported.
            ConfigError: they lack a key, or contradict each other.
        """
        for file in (self.config_file, self.models_file):
            if not file.is_file():
                raise ArchiveError(
                    f"{file}: no such file; the run did not record its config and models. Name the "
                    "directory of a run (results/<run>), or run `snakemake` again, which writes the file."
                )
        read_yaml_file(self.models_file)  # nothing that only people write
        config = self.config
        assert config is not None  # noqa: S101  # its file is there
        if config.imported is not None:
            raise ArchiveError(
                f"{self.folder}: this run was imported ({config.imported:.80}). It has no journals, "
                "so it cannot be replayed, archived or verified; publish the imported files instead."
            )
        if config.trials * len(config.models) > MAX_MEMBERS:
            raise ConfigError(f"{self.config_file}: more models and trials than an archive can contain.")
        try:
            return load_run(config.values, self.rows)
        except ConfigError as error:
            raise ConfigError(f"{self.config_file}: {error}") from error

    def making(self, folder: str) -> "Making | None":
        """What made the answers of the model with this directory name; None if nothing records it.

        Read once. Raises JournalError or ProvenanceError if a journal or a record is damaged.
        """
        if folder not in self._makings:
            from bfcl_pipeline.runs.making import making_in_run  # loads pyarrow

            self._makings[folder] = making_in_run(self, folder)
        return self._makings[folder]

    @cached_property
    def _makings(self) -> dict[str, "Making | None"]:
        return {}

    @cached_property
    def models(self) -> Mapping[str, str]:
        """The folder of each of its models, by the name of the model, in order.

        Of a run without recorded jobs, by the names in its responses. Raises TableError if it has none.
        """
        if self.generated:
            return {name: model_folder(name) for name in self.recorded.models}
        from bfcl_pipeline.benchmark.tables import read_table  # loads pyarrow

        models: dict[str, str] = {}
        for path in sorted((self.folder / "responses").glob("*/*.parquet")):
            if path.parent.name not in models.values():
                names = read_table(path, ["model"]).column("model").slice(0, 1).to_pylist()
                models[str(names[0]) if names and names[0] else path.parent.name] = path.parent.name
        if not models:
            raise TableError(
                f"{self.folder}/responses: no responses. Name the directory of a run, or an archive."
            )
        return models

    @property
    def config_file(self) -> Path:
        """The file with its config, which may be missing."""
        return self.folder / CONFIG

    @property
    def models_file(self) -> Path:
        """The file with its rows, which may be missing."""
        return self.folder / "models.yaml"

    @property
    def name(self) -> str:
        """Its name: as recorded, else that of its folder."""
        return self.folder.resolve().name if self.config is None else self.config.run

    def check_name(self) -> None:
        """Raises ConfigError if its config is that of a run with another name than its folder."""
        if self.config is not None and self.config.run != self.folder.name:
            raise ConfigError(
                f"{self.config_file}: it is the config of the run {self.config.run!r}, not of "
                f"{self.folder.name!r}."
            )

    @property
    def source(self) -> Path:
        """The path by which it was opened."""
        return self.folder

    def name_source(self, text: str) -> str:
        """A message about the run, with the path by which it was opened."""
        return text

    @property
    def imported(self) -> bool:
        """Whether its answers were imported: it has no journals."""
        return self.config is not None and self.config.imported is not None

    @property
    def generated(self) -> bool:
        """Whether it recorded the jobs that made its answers."""
        return self.config is not None and not self.imported

    @property
    def rules(self) -> Rules:
        """The rule set of its official tables."""
        return Rules.OFFICIAL if self.config is None else self.config.rules

    @property
    def shown(self) -> ShownEntries:
        """The entries whose conversations its page has."""
        return ShownEntries.WRONG if self.config is None else self.config.shown

    @property
    def errata(self) -> list[Path]:
        """The files of the user's own errata, as copied to its folder."""
        names = () if self.config is None else self.config.errata
        return [self.folder / ERRATA_FOLDER / Path(name).name for name in names]

    @property
    def sizes_in_means(self) -> Mapping[str, int] | None:
        """The entries by which means by size weight categories: the release's if its sample is by weight.

        The entries that such a sample draws of a category are not in proportion to its size. None: the
        scored entries count, as in the official tool.
        """
        sample = None if self.config is None else self.config.sample
        return release_sizes() if sample is not None and sample.by is SampleBy.WEIGHT else None

    @property
    def journals(self) -> Path:
        """The directory of its journals, one directory for each model."""
        own = self.config is not None and self.config.journal is JournalChoice.RUN
        return (self.folder if own else self.cache) / "exchanges"

    @property
    def journals_member(self) -> str:
        """The same directory in an archive."""
        choice = JournalChoice.SHARED if self.config is None else self.config.journal
        return str(choice.member(self.name))

    def responses(self, model: str, category: str) -> Path:
        """The table of the responses of a model, which may be missing."""
        return self.folder / "responses" / model_folder(model) / f"{category}.parquet"

    def sessions(self, model: str, category: str) -> Path:
        """The table of the memory sessions of a model, which may be missing."""
        return self.folder / "memory" / model_folder(model) / f"{category}.parquet"

    def template_note(self, folder: str) -> Path:
        """The file with the chat template that a model's tokenizer had, which may be missing.

        folder: the directory name of the model; each of its shards may have a note.
        """
        logs = self.folder / "logs/generate"
        of_shards = sorted(logs.glob(f"{escape(folder)}@*{TEMPLATE_BESIDE_LOG}"))
        return next(iter(of_shards), logs / f"{folder}{TEMPLATE_BESIDE_LOG}")

    def verdicts(self, model: str) -> Path:
        """The table of the verdicts on a model, which may be missing."""
        return self.folder / "verdicts" / f"{model_folder(model)}.parquet"

    def table(self, name: str) -> Path:
        """One of its tables, which may be missing."""
        return self.folder / "tables" / f"{name}.parquet"

    def csv_table(self, name: str) -> Path:
        """The same table as CSV, which the standard library reads."""
        return self.folder / "tables" / f"{name}.csv"


def open_run(source: str | Path, cache: Path = CACHE, data: Path = DATA, *, absolute: bool = False) -> Run:
    """The run in a folder, or with a name: that in results/<name>. Of archives: `archived.unpacking`.

    absolute: name its folder by an absolute path, in which a link to a run keeps its own name.

    Raises ConfigError, with the runs that exist, if there is none.
    """
    folder = run_folder(Path(source))
    return Run(Path(os.path.abspath(folder)) if absolute else folder, cache, data)  # noqa: PTH100  # keeps links


def run_labels(runs: Sequence[Run]) -> list[str]:
    """A label of each of several runs: the names of their folders, or where two are equal, the paths."""
    names = [run.folder.name for run in runs]
    return names if len(set(names)) == len(names) else [str(run.source) for run in runs]
