"""A run as a bundle for others, which has all that they need to show it and to check it.

A bundle is a directory with one archive, its statements, the exports of its results, `SHA256SUMS` and a
README. The exports depend on nothing but the run, the staged release and the organization, so that whoever
has the archive can write them again and compare them. Equal runs give equal bundles, byte for byte, and a
bundle appears complete or not at all.
"""

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from bfcl_pipeline.base.errors import ConfigError, SigningError
from bfcl_pipeline.base.files import is_regular, sync_directory, temporary_folder, write_text
from bfcl_pipeline.base.markup import escape_markdown, markdown
from bfcl_pipeline.base.text import Log, plural
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.runs.archived.members import file_sha256
from bfcl_pipeline.runs.archived.reading import SealedArchive
from bfcl_pipeline.runs.archived.unpacking import ArchivedRun, unpack_run
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.share.archive.attestations import SignedArchive, carry_statements, sign_archive
from bfcl_pipeline.share.archive.make import Made, make_archive
from bfcl_pipeline.share.exports.every_eval_ever import write_scores
from bfcl_pipeline.share.exports.run_scores import read_run_scores
from bfcl_pipeline.share.exports.v4_table import text_table
from bfcl_pipeline.share.official.export_results import export_official
from bfcl_pipeline.share.signing.signature import SigningOptions, statements_path
from bfcl_pipeline.share.signing.signed_line import check_ready
from bfcl_pipeline.show.report.page.assets import environment
from bfcl_pipeline.show.report.v4_table import read_v4_table

ARCHIVE = ".crate.zip"
"""The end of the name of an archive."""

SUMS = "SHA256SUMS"
README = "README.md"
RECORDS = "every_eval_ever"
RESULTS = "official/result"

TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True, slots=True)
class SubmitOptions:
    """What a bundle is made of, beside the run."""

    environment: Mapping[str, str]  # variables; the API keys in them must not be in the bundle
    allowed: Collection[str] = ()  # fingerprints of findings that are not secrets
    authors: Sequence[str] = ()  # of the run, each as `Name` or `Name <ORCID>`
    organization: str = "unknown"  # that made the run, as records of Every Eval Ever name it
    signing: SigningOptions | None = None  # how to sign the archive; None: not at all


@dataclass(frozen=True, slots=True)
class Submitted:
    """The bundle that was written."""

    folder: Path
    archive: Made
    carried: str  # in words, signatures of the archive in results/ that are in the bundle or left out
    signed: SignedArchive | None
    records: int  # of Every Eval Ever, one for each model
    answers: int  # in official result folders
    files: int


def submit(run: Run, out: Path, options: SubmitOptions, log: Log) -> Submitted:
    """Writes the bundle of a run.

    Args:
        run: the run, in results/<run>.
        out: the directory of the bundle; it must not exist, or be empty.
        options: what the bundle is made of.
        log: receives what the exports leave out.

    Raises:
        ConfigError: `out` has files.
        ArchiveError: the run is not complete, contains a secret or is too large; nothing is written.
        SigningError: the archive could not be signed; nothing is written.
        PipelineError: a file of the run is damaged.
    """
    _check_new(out)
    if options.signing is not None:
        check_ready(options.signing)
    with temporary_folder(out) as work:
        bundle = work / "bundle"
        bundle.mkdir()
        made = make_archive(
            run,
            bundle / f"{run.folder.name}{ARCHIVE}",
            environment=options.environment,
            allowed=options.allowed,
            authors=options.authors,
        )
        carried = _carried(run, made)
        signed = None if options.signing is None else sign_archive(made.path, options.signing)
        done = _write_rest(run, made, work / "unpacked", bundle, options, log)
        for path in files_of(bundle):
            with path.open("rb") as written:
                os.fsync(written.fileno())
        try:
            bundle.replace(out)
        except OSError:
            _check_new(out)  # another process wrote it meanwhile
            raise
    sync_directory(out.parent)
    return Submitted(out, made, carried, signed, *done)


def _carried(run: Run, made: Made) -> str:
    """Takes over the signatures of results/<run>.crate.zip; says so, or why not; empty if it has none."""
    signed = run.folder.with_name(made.path.name)
    try:
        count = carry_statements(signed, made.path, made.sha256)
    except SigningError:
        return (
            f"{statements_path(signed).name}: left out, it is of another archive. Write the archive again, "
            "with the same --author, and sign it; or sign here: --sign KEY."
        )
    return f"{plural(count, 'signature', 'signatures')} of {signed.name}: in the bundle" if count else ""


def _check_new(out: Path) -> None:
    if out.is_symlink() or (out.exists() and (not out.is_dir() or any(out.iterdir()))):
        raise ConfigError(f"{out}: already exists. Remove it, or name another directory with --out.")


def _write_rest(
    own: Run, made: Made, folder: Path, bundle: Path, options: SubmitOptions, log: Log
) -> tuple[int, int, int]:
    """Writes all but the archive; returns the numbers of records, answers and files.

    The exports are those of the archived run, as the directory of a run may have files of earlier configs.
    folder: a new directory for the archived run.
    """
    left_out: list[str] = []

    def told(line: str) -> None:
        line = line.replace(f"{bundle}/", "").replace(str(run.folder), run.folder.name)
        log(line)
        if "left out" in line or "not comparable" in line:
            left_out.append(line)

    with SealedArchive(made.path) as archive:
        run = unpack_run(archive, folder, own.data)
    records, answers = write_exports(run, bundle, options.organization, told)
    write_readme(bundle, run, made, answers, left_out)
    write_sums(bundle)
    return records, answers, sum(1 for _ in files_of(bundle))


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
