"""A run that is compared: its directory, or an archive that is unpacked for as long as it is needed."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bfcl_pipeline.ask.jobs.captured import RunPlaces
from bfcl_pipeline.base.errors import ArchiveError, PipelineError, TableError
from bfcl_pipeline.benchmark.config import model_folder
from bfcl_pipeline.benchmark.tables import read_table
from bfcl_pipeline.runs.archived.crate_metadata import CrateMetadata
from bfcl_pipeline.runs.archived.software import find_checkout
from bfcl_pipeline.runs.archived.unpacking import extract_run
from bfcl_pipeline.runs.recorded_run import RecordedRun, read_recorded_run
from bfcl_pipeline.runs.run import Run

ARCHIVE_SUFFIX = ".zip"


@dataclass(frozen=True, slots=True)
class OpenedRun:
    """One of the two runs."""

    source: Path  # as the user named it
    places: RunPlaces
    config: Mapping[str, Any]  # with its defaults; empty if nothing was recorded
    recorded: RecordedRun | None  # None: an imported run, or one without a record; it has no journals
    metadata: CrateMetadata | None  # of an archive
    models: Mapping[str, str]  # the folder of each model by its name, in order

    @property
    def archive(self) -> Path | None:
        """The archive from which the run was unpacked."""
        return None if self.metadata is None else self.source

    def named(self, text: str) -> str:
        """A message without the temporary directory of an archive."""
        if self.metadata is None:
            return text
        return text.replace(str(self.places.cache.parent), str(self.source))


@contextmanager
def opened_run(source: Path, cache: Path, data: Path) -> Iterator[OpenedRun]:
    """The run at `source`, until the block is left.

    Args:
        source: the directory of a run, or an archive (FILE.zip).
        cache: the directory with the journals and the web cache of a run; an archive has its own.
        data: the staged release of the run.

    Raises:
        ArchiveError: the archive is damaged, malformed or too large.
        ConfigError: the config or a row is malformed.
        TableError: a table cannot be read, or the run has no responses.
    """
    if source.suffix != ARCHIVE_SUFFIX:
        yield _run(source, RunPlaces(source, cache, data), None)
        return
    with TemporaryDirectory(prefix="bfcl-diff-") as folder:
        try:
            metadata = extract_run(source, Path(folder))
            places = RunPlaces(Path(folder, "results", metadata.run), Path(folder, "cache"), data)
            opened = _run(source, places, metadata)
        except PipelineError as error:
            text = str(error).replace(folder, str(source))
            raise type(error)(text if str(source) in text else f"{source}: {text}") from error
        try:
            yield opened
        except PipelineError as error:  # the temporary directory no longer exists when it is read
            raise type(error)(opened.named(str(error))) from error


def _run(source: Path, places: RunPlaces, metadata: CrateMetadata | None) -> OpenedRun:
    run = Run(places.folder)
    config = {} if run.config is None else run.config.values
    recorded = None
    if metadata is not None:
        recorded = read_recorded_run(places.folder, find_checkout().schema, metadata.run)
        if (recorded.run.release.version, recorded.run.release.sha256) != metadata.release:
            raise ArchiveError(
                f"{source}: refused: its config names release {recorded.run.release.version}, but its "
                f"metadata {' '.join(metadata.release)}."
            )
    elif run.config is not None and not run.imported:
        recorded = read_recorded_run(places.folder, find_checkout().schema)
    if recorded is not None:
        models = {name: model_folder(name) for name in recorded.run.models}
    else:
        models = _named_in_tables(places.folder)
    return OpenedRun(source, places, config, recorded, metadata, models)


def _named_in_tables(folder: Path) -> dict[str, str]:
    """The models of a run without a record, by the names in their responses."""
    models: dict[str, str] = {}
    for path in sorted((folder / "responses").glob("*/*.parquet")):
        if path.parent.name not in models.values():
            names = read_table(path, ["model"]).column("model").slice(0, 1).to_pylist()
            models[str(names[0]) if names and names[0] else path.parent.name] = path.parent.name
    if not models:
        raise TableError(f"{folder}/responses: no responses. Name the directory of a run, or an archive.")
    return models
