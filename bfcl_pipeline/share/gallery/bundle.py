"""What a bundle holds beside its archive: names of files, its README, and the exports of the run.

A bundle is a directory with one archive, its statements, the exports of its results, `SHA256SUMS` and a
README. The exports depend on nothing but the run, the staged release and the organization, so that whoever
has the archive can write them again and compare them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.files import is_regular, write_text
from bfcl_pipeline.base.markup import escape_markdown, markdown
from bfcl_pipeline.base.text import Log
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.runs.archived.members import file_sha256
from bfcl_pipeline.runs.archived.unpacking import ArchivedRun
from bfcl_pipeline.share.archive.make import Made
from bfcl_pipeline.share.exports.every_eval_ever import write_scores
from bfcl_pipeline.share.exports.run_scores import read_run_scores
from bfcl_pipeline.share.exports.v4_table import text_table
from bfcl_pipeline.share.official.export_results import export_official
from bfcl_pipeline.show.report.page.assets import environment
from bfcl_pipeline.show.report.v4_table import read_v4_table

ARCHIVE = ".crate.zip"
"""The end of the name of an archive."""

SUMS = "SHA256SUMS"
README = "README.md"
RECORDS = "every_eval_ever"
RESULTS = "official/result"

TEMPLATES = Path(__file__).parent / "templates"


def write_readme(bundle: Path, run: ArchivedRun, made: Made, answers: int, left_out: Sequence[str]) -> None:
    """Writes README.md: what the bundle is, its scores, how to verify it, what is and is not proved.

    Args:
        bundle: the directory.
        run: as archived.
        made: the archive.
        answers: in official result folders; 0: the bundle has none.
        left_out: what the exports do not have, a sentence each.
    """
    about = run.metadata
    template = environment(TEMPLATES).overlay(autoescape=False).get_template(f"{README}.j2")
    text = template.render(
        run=escape_markdown(about.run),
        ended=about.ended,
        version=about.versions["bfcl-pipeline"],
        release=" ".join(about.release),
        commit=about.commit + (" with local changes" if about.changed else ""),
        archive=made.path.name,
        sha256=made.sha256,
        records=RECORDS,
        results=RESULTS,
        sums=SUMS,
        answers=answers,
        scores=markdown(text_table(read_v4_table(run, Rules.OFFICIAL), about.run)),
        left_out=list(map(escape_markdown, left_out)),
    )
    write_text(bundle / README, text)


def write_exports(run: ArchivedRun, bundle: Path, organization: str, log: Log) -> tuple[int, int]:
    """Writes the scores under official rules as of the end of a run, and its answers.

    Returns:
        The numbers of records of Every Eval Ever, and of answers in official result folders: 0 if they
        cannot be written.
    """
    made_at = int(datetime.fromisoformat(run.metadata.ended).timestamp())
    scores = replace(read_run_scores(run, Rules.OFFICIAL), made_at=made_at)
    records = write_scores(scores, bundle / RECORDS, organization, log)
    try:
        return records, export_official(run, bundle / RESULTS, log=log)
    except ConfigError as error:
        log(f"official result folders: left out: {error}")
        return records, 0


def write_sums(bundle: Path) -> None:
    """Writes the sha256 of every file of a bundle, in the form that `sha256sum --check` reads."""
    lines = [
        f"{file_sha256(path)}  {path.relative_to(bundle).as_posix()}" for path in sorted(files_of(bundle))
    ]
    write_text(bundle / SUMS, "".join(f"{line}\n" for line in lines))


def files_of(bundle: Path) -> Iterator[Path]:
    """The plain files of a bundle."""
    return filter(is_regular, bundle.rglob("*"))
