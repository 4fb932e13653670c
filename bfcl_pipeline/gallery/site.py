"""`gallery`: a static site of many archives, each verified, which any web server or none can serve.

Covers the files of the site: pages, copies of the archives, reports that were derived again, and what was
found, from which a second run makes the site without verifying again. The same archives, code and release
give the same bytes.
"""

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bfcl_pipeline.archive.attestations import AttestationOptions
from bfcl_pipeline.archive.members import file_sha256
from bfcl_pipeline.errors import ConfigError
from bfcl_pipeline.exports.run_scores import safe_name
from bfcl_pipeline.files import atomic_path, write_text
from bfcl_pipeline.gallery.collect import REPORT
from bfcl_pipeline.gallery.find import Found, find_archives
from bfcl_pipeline.gallery.pages import (
    COMPARE,
    ENTRIES,
    INDEX,
    archive_page,
    compare_page,
    entries_page,
    index_page,
)
from bfcl_pipeline.gallery.record import ArchiveRecord
from bfcl_pipeline.gallery.standings import standings
from bfcl_pipeline.gallery.tables import page_of
from bfcl_pipeline.gallery.verified import Verifier
from bfcl_pipeline.signing.statement_file import statements_path
from bfcl_pipeline.text import Log

KEPT = ".verified"
"""The directory in a site with what was found of each archive."""

ARCHIVES, REPORTS = "archives", "reports"

_ID = "[0-9a-f]" * 16
"""Matches what names of pages and directories have of the sha256 of an archive."""


@dataclass(frozen=True, slots=True)
class GalleryOptions:
    """How a site is made."""

    data: Path  # the staged release
    cores: int
    kept: Path | None = None  # directory with what was found of each archive; None: in the site
    title: str = "BFCL V4: runs that anybody can check"
    attestation: AttestationOptions = field(default_factory=AttestationOptions)  # whose statements count


@dataclass(frozen=True, slots=True)
class Gallery:
    """The site that was written."""

    index: Path
    archives: Sequence[ArchiveRecord]
    files: int
    size: int  # bytes, without what was kept


def make_gallery(
    places: Sequence[Path], out: Path, options: GalleryOptions, log: Log, step_log: Log
) -> Gallery:
    """Writes the site.

    Args:
        places: bundles, folders of bundles or of archives, or archives.
        out: the directory of the site: a new or empty one, or a site that is made again.
        options: how it is made.
        log: receives a line for each archive.
        step_log: receives the steps of each derivation.

    Raises:
        ConfigError: there is no archive, or `out` has files of something else.
        StagingError: a step of the verification cannot be made.
    """
    if out.exists() and not out.is_dir():
        raise ConfigError(f"{out}: not a directory. Name another one with --out.")
    if out.is_dir() and any(out.iterdir()) and not (out / KEPT).is_dir():
        raise ConfigError(f"{out}: has files of something else. Remove it, or name another with --out.")
    found = find_archives(places, log)
    (out / KEPT).mkdir(parents=True, exist_ok=True)
    kept = options.kept or out / KEPT
    verifier = Verifier(kept, options.data, options.cores, log, step_log, options.attestation)
    archives = verifier.records(found)
    written = set(_write(found, archives, verifier, out, options.title))
    _remove_others(out, written)
    return Gallery(
        out / INDEX, archives, len(written), sum((out / name).stat().st_size for name in written)
    )


def _write(
    found: Sequence[Found], archives: Sequence[ArchiveRecord], verifier: Verifier, out: Path, title: str
) -> Iterator[str]:
    """Writes all files, the index last; yields their names."""
    for one, archive in zip(found, archives, strict=True):
        yield _copy(one.file, out, _download(archive), archive.sha256)
        if one.statements is not None:
            yield _copy(one.statements, out, _statements(archive), archive.statements)
        for name, sha256 in (archive.derived.report if archive.derived else {}).items():
            kept = verifier.report_folder(archive.sha256) / name
            yield _copy(kept, out, f"{_report_folder(archive)}/{name}", sha256)
    yield from write_pages(archives, out, title)


def write_pages(archives: Sequence[ArchiveRecord], out: Path, title: str) -> Iterator[str]:
    """Writes the pages of a site, the index last; yields their names."""
    reports = {
        archive.sha256: f"{_report_folder(archive)}/{REPORT}"
        for archive in archives
        if archive.derived and REPORT in archive.derived.report
    }
    for archive in archives:
        page = archive_page(archive, title, _download(archive), reports.get(archive.sha256))
        write_text(out / page_of(archive), page)
        yield page_of(archive)
    tables = standings(archives)
    for name, text in (
        (ENTRIES, entries_page(tables, reports, title)),
        (COMPARE, compare_page(tables, reports, title)),
        (INDEX, index_page(archives, tables, title)),
    ):
        write_text(out / name, text)
        yield name


def _download(archive: ArchiveRecord) -> str:
    """The place of an archive in the site; its own name is that of a file, which may be from anybody."""
    return f"{ARCHIVES}/{archive.sha256[:16]}/{safe_name(archive.name)}"


def _statements(archive: ArchiveRecord) -> str:
    return statements_path(Path(_download(archive))).as_posix()


def _report_folder(archive: ArchiveRecord) -> str:
    return f"{REPORTS}/{archive.sha256[:16]}"


def _copy(source: Path, out: Path, name: str, sha256: str) -> str:
    """Copies a file into the site, unless it is there; returns its name."""
    target = out / name
    if not (target.is_file() and file_sha256(target) == sha256):
        with atomic_path(target) as temporary:
            shutil.copyfile(source, temporary)
            if file_sha256(temporary) != sha256:
                raise ConfigError(f"{source}: changed while the site was made. Make it again.")
    return name


def _remove_others(out: Path, written: set[str]) -> None:
    """Removes pages, archives and reports of archives that are no longer in the site, and nothing else."""
    old = [*out.glob(f"archive-{_ID}.html")]
    folders = [*out.glob(f"{ARCHIVES}/{_ID}"), *out.glob(f"{REPORTS}/{_ID}")]
    old += [path for folder in folders for path in folder.rglob("*")]
    for path in old:
        if path.is_file() and path.relative_to(out).as_posix() not in written:
            path.unlink()
    for folder in sorted([*folders, *(path for path in old if path.is_dir())], reverse=True):
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
