"""`gallery`: a static site of many archives, each verified, which any web server or none can serve.

Covers the files of the site: pages, copies of the archives, reports that were derived again. The same
archives, code and release give the same bytes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.files import write_text
from bfcl_pipeline.base.text import Log
from bfcl_pipeline.share.gallery.collect import REPORT
from bfcl_pipeline.share.gallery.find import find_archives
from bfcl_pipeline.share.gallery.pages import (
    COMPARE,
    ENTRIES,
    INDEX,
    archive_page,
    compare_page,
    entries_page,
    index_page,
)
from bfcl_pipeline.share.gallery.record import ARCHIVES, REPORTS, ArchiveRecord
from bfcl_pipeline.share.gallery.standings import standings
from bfcl_pipeline.share.gallery.tables import has_page, page_of
from bfcl_pipeline.share.gallery.verified import GalleryOptions, Verifier

_ID = "[0-9a-f]" * 16
"""Matches what names of pages and directories have of the sha256 of an archive."""


@dataclass(frozen=True, slots=True)
class Gallery:
    """The site that was written."""

    index: Path
    archives: Sequence[ArchiveRecord]
    files: int
    size: int  # bytes


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
    folders = [out / ARCHIVES, out / REPORTS]
    if out.is_dir() and any(out.iterdir()) and not all(folder.is_dir() for folder in folders):
        raise ConfigError(f"{out}: has files of something else. Remove it, or name another with --out.")
    found = find_archives(places, log)
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
    archives = Verifier(options, out, log, step_log).records(found)
    written = {name for archive in filter(has_page, archives) for name in archive.files}
    written |= set(write_pages(archives, out, options.title))
    _remove_others(out, written)
    return Gallery(
        out / INDEX, archives, len(written), sum((out / name).stat().st_size for name in written)
    )


def write_pages(archives: Sequence[ArchiveRecord], out: Path, title: str) -> Iterator[str]:
    """Writes the pages of a site, the index last; yields their names."""
    reports = {
        archive.sha256: f"{archive.report_folder}/{REPORT}"
        for archive in archives
        if archive.derived and REPORT in archive.derived.report
    }
    for archive in filter(has_page, archives):
        page = archive_page(archive, title, reports.get(archive.sha256))
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


def _remove_others(out: Path, written: set[str]) -> None:
    """Removes pages, archives and reports of archives that are no longer in the site, and nothing else."""
    old = [*out.glob(f"archive-{_ID}.html")]
    folders = [*out.glob(f"{ARCHIVES}/{_ID}*"), *out.glob(f"{REPORTS}/{_ID}")]
    old += folders + [path for folder in folders for path in folder.rglob("*")]
    for path in old:
        if path.is_file() and path.relative_to(out).as_posix() not in written:
            path.unlink()
    for folder in sorted((path for path in old if path.is_dir()), reverse=True):
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
