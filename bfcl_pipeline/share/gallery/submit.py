"""`submit`: a run as a bundle for others, which has all that they need to show it and to check it.

Covers the order in which the parts are made, and that the directory appears complete or not at all. Equal
runs give equal bundles, byte for byte. The parts themselves: `archive.make`, `exports.every_eval_ever`,
`official.export_results`, `gallery.bundle`.
"""

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bfcl_pipeline.base.errors import ConfigError, SigningError
from bfcl_pipeline.base.files import sync_directory, temporary_folder
from bfcl_pipeline.base.text import Log, plural
from bfcl_pipeline.runs.archived.reading import SealedArchive
from bfcl_pipeline.runs.archived.unpacking import unpack_run
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.share.archive.attestations import SignedArchive, carry_statements, sign_archive
from bfcl_pipeline.share.archive.make import Made, make_archive
from bfcl_pipeline.share.gallery.bundle import (
    ARCHIVE,
    files_of,
    write_exports,
    write_readme,
    write_sums,
)
from bfcl_pipeline.share.signing.signature import SigningOptions, statements_path
from bfcl_pipeline.share.signing.signed_line import check_ready


@dataclass(frozen=True, slots=True)
class SubmitOptions:
    """What a bundle is made of, beside the run."""

    environment: Mapping[str, str]  # whose keys must not be in the bundle
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
        done = _write_exports(run, made, work / "unpacked", bundle, options, log)
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


def _write_exports(
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
