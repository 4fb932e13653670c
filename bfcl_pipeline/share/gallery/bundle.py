"""What a bundle holds beside its archive: names of files, and the exports that follow from the run.

A bundle is a directory with one archive, its statements, the exports of its results, `SHA256SUMS` and a
README. The exports depend on nothing but the run, the staged release and the organization, so that whoever
has the archive can write them again and compare them.
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.files import is_regular, write_text
from bfcl_pipeline.base.text import Log
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.runs.archived.members import file_sha256
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.share.exports.every_eval_ever import write_scores
from bfcl_pipeline.share.exports.run_scores import RunScores, read_run_scores
from bfcl_pipeline.share.official.export_results import export_official

ARCHIVE = ".crate.zip"
"""The end of the name of an archive."""

SUMS = "SHA256SUMS"
README = "README.md"
RECORDS = "every_eval_ever"
RESULTS = "official/result"


def scores_of(run: Run, ended: str) -> RunScores:
    """The scores of a run under official rules, as of its end.

    Args:
        run: the run.
        ended: the end of the run as in the metadata of its archive, ISO 8601.
    """
    scores = read_run_scores(run, Rules.OFFICIAL)
    return replace(scores, made_at=int(datetime.fromisoformat(ended).timestamp()))


def write_records(scores: RunScores, bundle: Path, organization: str, log: Log) -> int:
    """Writes the records of Every Eval Ever; returns their number."""
    return write_scores(scores, bundle / RECORDS, organization, log)


def write_results(run: Run, bundle: Path, log: Log) -> int:
    """Writes the official result folders; returns the number of answers, 0 if they cannot be written."""
    try:
        return export_official(run, bundle / RESULTS, log=log)
    except ConfigError as error:
        log(f"official result folders: left out: {error}")
        return 0


def write_sums(bundle: Path) -> None:
    """Writes the sha256 of every file of a bundle, in the form that `sha256sum --check` reads."""
    lines = [
        f"{file_sha256(path)}  {path.relative_to(bundle).as_posix()}" for path in sorted(files_of(bundle))
    ]
    write_text(bundle / SUMS, "".join(f"{line}\n" for line in lines))


def files_of(bundle: Path) -> Iterator[Path]:
    """The plain files of a bundle."""
    return filter(is_regular, bundle.rglob("*"))
