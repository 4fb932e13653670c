"""The Python API: what the command line does, as typed functions.

`bfcl_pipeline` re-exports these names and loads them on first use. docs/python.md shows each one; its
examples are tests. Paths are relative to the current directory, as on the command line.
"""

import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import polars as pl
import pyarrow as pa

from bfcl_pipeline.ask.generation import Completed
from bfcl_pipeline.ask.generation import responses as scored_responses
from bfcl_pipeline.ask.jobs.run import run_job
from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.benchmark.config import (
    Job,
    ModelRow,
    RunSample,
    SampleBy,
    Selection,
    WebChoice,
    divide,
    load_models,
    model_row,
)
from bfcl_pipeline.benchmark.definition import resolve_categories
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.benchmark.tables import responses_table
from bfcl_pipeline.judge.judging import score_table
from bfcl_pipeline.judge.own_errata import using_errata
from bfcl_pipeline.runs.archived.findings import Verification
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.world.web.apis import ApisByMode

if TYPE_CHECKING:
    from bfcl_pipeline.share.archive.replay import ReplayResult

__all__ = [
    "Job",
    "Selection",
    "WebChoice",
    "load_model",
    "read_tables",
    "replay",
    "response_frame",
    "run_job",
    "sample_by_weight",
    "score",
    "verify",
]

PathLike: TypeAlias = str | Path


def load_model(name: str, models: PathLike | Iterable[PathLike] | None = None) -> ModelRow:
    """The row of one model.

    Args:
        name: as in the models file, or of a model of the leaderboard.
        models: the models files; `official_models.yaml` in the same directory is read, too. None: those of
            `models_file` in config/config.yaml, else config/models.yaml and config/my_models.yaml.

    Raises:
        ConfigError: the file is malformed, or has no such model; the message names similar ones.
    """
    return model_row(load_models(models), name)


def sample_by_weight(entries: int, categories: Iterable[str]) -> dict[str, int]:
    """The entries of each category in a sample by weight, for `Selection(sample=...)`.

    More are of the categories that decide the overall score and on which verdicts scatter most, as with
    `sample: {entries: N, by: weight}` in a config. Categories that do not count in it have none.

    Args:
        entries: of all categories together.
        categories: names of categories or of groups, such as `live`.

    Raises:
        ConfigError: a name is unknown, or none of the categories counts in the overall score.
    """
    return divide(RunSample(entries, SampleBy.WEIGHT), resolve_categories(categories))


def response_frame(completed: Iterable[Completed]) -> pl.DataFrame:
    """The responses of a job as a frame, one row per scored entry; memory sessions are left out.

    The columns are those of the tables under results/<run>/responses (`tables.schemas.RESPONSES`).
    """
    return pl.DataFrame(responses_table(scored_responses(completed)))


def score(
    responses: pl.DataFrame | pa.Table,
    rules: str | Rules = Rules.OFFICIAL,
    data: PathLike = "data",
    cache: PathLike = "cache",
    errata: Iterable[PathLike] = (),
) -> pl.DataFrame:
    """The responses with their verdicts, in the same row order.

    Args:
        responses: with the columns `entry_id, category, mode, result_json`, and optionally `model, run,
            name_style, status, web`.
        rules: the rule set: `official`, `corrected` or `verified`.
        data: the staged data.
        cache: the directory with `web/`, the recorded answers of web APIs for executed calls.
        errata: files of your own errata, which the rules `verified` use beside the shipped ones.

    Returns:
        The columns of `responses`, then `valid` (null where there is no answer), `error_type`,
        `error_message`, `status`, `answer_class` and `unread_call`.

    Raises:
        TableError: a column is missing, or a row cannot be scored; the message names it.
        ConfigError, ErrataError: a file of `errata` cannot be read or does not fit the release.
    """
    table = responses.to_arrow() if isinstance(responses, pl.DataFrame) else responses
    apis = ApisByMode(Path(data), Path(cache, "web"))
    with using_errata([*map(Path, errata)], Path(data)):
        return pl.DataFrame(score_table(table, Path(data), Rules(rules), None, apis))


def read_tables(run: PathLike) -> dict[str, pl.DataFrame]:
    """The tables of a run by name: `leaderboard`, `categories`, `error_types`, ... (docs/tables.md).

    Args:
        run: the run's directory, results/<run>.

    Raises:
        TableError: the run has no tables.
    """
    files = sorted(Path(run, "tables").glob("*.parquet"))
    if not files:
        raise TableError(f"{run}: no tables. Make them first: bfcl-pipeline aggregate {run}")
    return {file.stem: pl.read_parquet(file) for file in files}


def replay(
    run: PathLike, *, data: PathLike = "data", cache: PathLike = "cache", cores: int = 1
) -> "ReplayResult":
    """Derives a run again, offline, from its config, journals and web cache, and compares every byte.

    Args:
        run: the run's directory, results/<run>.
        data: the staged data.
        cache: has the journals in `exchanges` and the web cache in `web`.
        cores: processor cores.

    Returns:
        The number of compared files, and the differences: empty if all files are identical.

    Raises:
        PipelineError: something that the run needs is missing, or a step failed.
    """
    from bfcl_pipeline.share.archive.replay import replay as replay_run  # a wing

    with tempfile.TemporaryDirectory(prefix="bfcl-replay-") as folder:
        return replay_run(
            Run(Path(run), Path(cache), Path(data)),
            work=Path(folder, "work"),
            cores=cores,
            log=_ignore,
        )


def verify(
    archive: PathLike, *, data: PathLike = "data", cores: int = 1, log: Callable[[str], None] = print
) -> Verification:
    """Checks the archive of a run and derives its results again.

    Args:
        archive: a file of `bfcl-pipeline archive`, from anybody.
        data: the staged data.
        cores: processor cores.
        log: receives a line for each thing that was, or could not be, verified.

    Returns:
        `COMPLETE`, `DIFFERS` or `INCOMPLETE`.

    Raises:
        ArchiveError: the archive is damaged or malformed.
    """
    from bfcl_pipeline.share.archive.verify import verify_archive as verify_archive  # a wing

    done = verify_archive(Path(archive), data=Path(data), cores=cores, log=log, step_log=_ignore)
    return done.verification


def _ignore(line: str) -> None:
    """Drops a line of progress."""
