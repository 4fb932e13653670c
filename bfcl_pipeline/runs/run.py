"""A recorded run: what it evaluated, with which rows of models, and where its tables are.

Covers the folder of a run that was generated here, imported, or that has nothing but tables. Nothing is
read before it is asked for, and each file once.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from bfcl_pipeline.benchmark.config.journal_choice import JournalChoice
from bfcl_pipeline.benchmark.config.model_rows import ModelRow, load_models, model_folder
from bfcl_pipeline.benchmark.config.run_config import ERRATA_FOLDER
from bfcl_pipeline.benchmark.config.run_settings import RunSettings, read_settings
from bfcl_pipeline.benchmark.config.sampling import SampleBy
from bfcl_pipeline.benchmark.config.shown_entries import ShownEntries
from bfcl_pipeline.benchmark.definition.categories import release_sizes
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.runs.folders import CONFIG, run_folder


@dataclass(frozen=True)
class Run:
    """A run that was made. Its config and its rows raise ConfigError if they cannot be read."""

    folder: Path  # results/<name>, or elsewhere

    @cached_property
    def config(self) -> RunSettings | None:
        """What its config says; None if it recorded none."""
        try:
            return read_settings(self.folder / CONFIG)
        except FileNotFoundError:
            return None

    @cached_property
    def rows(self) -> Mapping[str, ModelRow]:
        """The rows of its models by name; empty if it recorded none."""
        return load_models(self.models_file) if self.models_file.is_file() else {}

    @property
    def models_file(self) -> Path:
        """The file with its rows, which may be missing."""
        return self.folder / "models.yaml"

    @property
    def name(self) -> str:
        """Its name: as recorded, else that of its folder."""
        return self.folder.resolve().name if self.config is None else self.config.run

    @property
    def imported(self) -> bool:
        """Whether its answers were imported: it has no journals."""
        return self.config is not None and self.config.imported is not None

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

    def journals(self, cache: Path) -> Path:
        """The directory of its journals, one directory for each model; `cache` has the shared ones."""
        own = self.config is not None and self.config.journal is JournalChoice.RUN
        return (self.folder if own else cache) / "exchanges"

    def responses(self, model: str, category: str) -> Path:
        """The table of the responses of a model, which may be missing."""
        return self.folder / "responses" / model_folder(model) / f"{category}.parquet"

    def sessions(self, model: str, category: str) -> Path:
        """The table of the memory sessions of a model, which may be missing."""
        return self.folder / "memory" / model_folder(model) / f"{category}.parquet"

    def verdicts(self, model: str) -> Path:
        """The table of the verdicts on a model, which may be missing."""
        return self.folder / "verdicts" / f"{model_folder(model)}.parquet"

    def table(self, name: str) -> Path:
        """One of its tables, which may be missing."""
        return self.folder / "tables" / f"{name}.parquet"

    def csv_table(self, name: str) -> Path:
        """The same table as CSV, which the standard library reads."""
        return self.folder / "tables" / f"{name}.csv"


def open_run(source: str | Path) -> Run:
    """The run in a folder, or with a name: that in results/<name>.

    Raises ConfigError, with the runs that exist, if there is none.
    """
    return Run(run_folder(Path(source)))
