"""Where the results of a row of kind `results` are, and in which form.

Covers the four forms that `path` may have and the files of one model among them. Only names of files are
looked at, so that the workflow can list the inputs of its steps fast; `jobs.recorded_answers` reads them.
"""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

from bfcl_pipeline.ask.results.result_files import RESULT, FoundResults, find_results
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import unknown_name
from bfcl_pipeline.benchmark.config import Job, model_folder
from bfcl_pipeline.runs.folders import ARCHIVE_SUFFIX

TABLE_SUFFIX = ".parquet"


class ResultForm(StrEnum):
    """What `path` is."""

    OFFICIAL = "official"  # a result folder of the official tool, or that of one model in it
    TABLE = "table"  # one table of responses
    RUN = "run"  # the directory of a run: responses/ and memory/
    ARCHIVE = "archive"  # written by `bfcl-pipeline archive`


def result_form(path: Path) -> ResultForm:
    """The form of the results at `path`. Raises ConfigError if there are none or it has another form."""
    if path.is_dir():
        return ResultForm.RUN if (path / "responses").is_dir() else ResultForm.OFFICIAL
    if not path.is_file():
        raise ConfigError(f"{path}: no such file or directory; correct `path` in the model's row.")
    if path.suffix == ARCHIVE_SUFFIX:
        return ResultForm.ARCHIVE
    if path.suffix == TABLE_SUFFIX:
        return ResultForm.TABLE
    raise ConfigError(
        f"{path}: expected a result folder of the official tool, a table of responses (.parquet), the "
        "directory of a run, or an archive (.crate.zip)."
    )


def official_files(path: Path, model: str) -> FoundResults:
    """The files of `model` in a result folder of the official tool, which may be the folder of one model.

    Raises ConfigError if there are no results, or none of this model.
    """
    own = path / model_folder(model)
    found = find_results(own if own.is_dir() else path)
    by_folder = {file.folder: file.model_dir for file in found.files}
    if own.is_dir() or (len(by_folder) == 1 and not {path, path / RESULT}.isdisjoint(by_folder.values())):
        return found
    if model_folder(model) not in by_folder:
        raise ConfigError(f"{path}: {unknown_name('model', model, by_folder)} Set `model` in its row.")
    return FoundResults(
        [file for file in found.files if file.folder == model_folder(model)], found.not_read
    )


def result_inputs(job: Job) -> list[str]:
    """The files with the answers of a job of kind `results`: a changed one repeats its step.

    Empty for other jobs, for a replay, which takes the answers of the recorded run, and if there is nothing
    at the path, which the step reports. Memory snapshots are not listed: they change with their sessions.
    """
    path = None if job.row.path is None or job.replay else Path(job.row.path)
    if path is None:
        return []
    if not path.is_dir():
        return [str(path)] if path.is_file() else []
    if (path / "responses").is_dir():
        folders = [path / part / model_folder(job.row.model) for part in ("responses", "memory")]
        return _existing([folder / f"{name}.parquet" for folder in folders for name in job.categories])
    try:
        files = official_files(path, job.row.model).files
    except ConfigError:
        return []
    return sorted(str(file.path) for file in files if file.category in job.categories)


def _existing(paths: Sequence[Path]) -> list[str]:
    return [str(path) for path in paths if path.is_file()]
