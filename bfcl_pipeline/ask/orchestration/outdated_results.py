"""Which results of a run have to be made again, as the run itself shows: on any machine.

Snakemake compares the settings of a step with those that it noted in its own directory, `.snakemake`; where
it has no notes, as of a run that was copied, it takes every result for what is asked. So what a result must
have is compared here with what it has: responses with the entries of the run, verdicts with responses, the
recorded config with this one. Tables and pages follow from these, by the times of files.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bfcl_pipeline.ask.orchestration.finished_results import complete_models, replaced_models
from bfcl_pipeline.ask.orchestration.job_files import job_files
from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.benchmark.config import Job, RunConfig, recorded_files
from bfcl_pipeline.benchmark.config.run_config import ERRATA_FOLDER
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.runs.run import Run


@dataclass(frozen=True, slots=True)
class OutdatedResults:
    """What has to be made again."""

    outputs: frozenset[str] = frozenset()  # one output or more of each step that is to be repeated
    replaced: tuple[Path, ...] = ()  # files of other settings, which must not stay beside the new record
    complete: frozenset[str] = frozenset()  # directory names of models with all responses
    finished: frozenset[str] = frozenset()  # of those that have all verdicts, too


def outdated_results(made: Run, run: RunConfig) -> OutdatedResults:
    """Compares the results of `run` with what its config asks for.

    Args:
        made: the run as it was made before.
        run: the run as it is to be.

    Returns:
        What differs. A step whose outputs do not exist is not listed: Snakemake repeats it anyway.
    """
    replaced = replaced_models(made, run)
    current = complete_models(made, run).difference(replaced)
    verdicts = {name: made.verdicts(name) for name in current}
    same_errata = all(_is_copied(path, made) for path in run.errata)
    scored = [name for name, path in verdicts.items() if same_errata and _scored(path, run.jobs_of(name))]
    repeated = [job for job in run.jobs if job.folder not in current and _has_any(made, job)]
    outputs = {path for job in repeated for path in job_files(job).responses}
    outputs |= {str(path) for name, path in verdicts.items() if name not in scored and path.is_file()}
    if not _is_recorded(made, run):
        outputs.add(str(made.config_file))
    return OutdatedResults(
        frozenset(outputs),
        tuple(path for name in replaced for path in _files_of(made, name)),
        current,
        frozenset(scored),
    )


def repeat_steps(outputs: Collection[str]) -> None:
    """Has Snakemake repeat the steps with one of these outputs, as far as they are needed for what is made.

    With --forcerun they would be made in any case, also where only the staged data are asked for.
    """
    from snakemake.dag import DAG  # loads Snakemake

    create = DAG.__init__

    def forcing(self: Any, *arguments: Any, **named: Any) -> None:
        create(self, *arguments, **named)
        self.forcefiles.update(outputs)

    DAG.__init__ = forcing  # there is no setting for it


def _has_any(made: Run, job: Job) -> bool:
    return any((made.folder / "responses" / job.folder).glob("*.parquet"))


def _files_of(made: Run, model: str) -> list[Path]:
    """The tables from which those of a run are made, of one model."""
    tables = [(made.folder / part / model).glob("*.parquet") for part in ("responses", "memory")]
    shards = (made.folder / "shards").glob(f"{model}@*/*/*.parquet")
    return [*tables[0], *tables[1], *shards, made.verdicts(model)]


def _scored(path: Path, jobs: Sequence[Job]) -> bool:
    """Whether the table of verdicts at `path` is on as many responses as the jobs of its model give."""
    if not path.is_file():
        return False
    from bfcl_pipeline.benchmark.tables import count_rows  # loads pyarrow

    selections = {name: job.selection for job in jobs for name in job.categories}
    responses = sum(selection.size_of(name) for name, selection in selections.items())
    try:
        return count_rows(path) == len(Rules) * responses
    except TableError:
        return False


def _is_copied(path: Path, made: Run) -> bool:
    copy = made.folder / ERRATA_FOLDER / path.name
    return copy.is_file() and copy.read_bytes() == path.read_bytes()


def _is_recorded(made: Run, run: RunConfig) -> bool:
    """Whether the record of the run, if there is one, is of this config."""
    wanted = recorded_files(run)
    found = {name: made.folder / name for name in wanted if (made.folder / name).is_file()}
    return all(path.read_text(encoding="utf-8") == wanted[name] for name, path in found.items())
