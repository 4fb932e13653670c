"""Puts outcome files of another record into a web cache, byte for byte.

An outcome is added as a recorder adds it: its cassette first, then the outcome, which is linked to its
final name and never overwrites. It is replaced in one step, after the new cassette is there; the old
cassette is deleted last. A reader therefore sees one whole outcome or the other, and what a killed process
leaves is at most a cassette that no outcome names.
"""

import hashlib
from pathlib import Path

from bfcl_pipeline.base.errors import WebError
from bfcl_pipeline.base.files import atomic_path, sync_directory, write_once
from bfcl_pipeline.world.web.cache import WebCache
from bfcl_pipeline.world.web.record_files import OutcomeFile


def add_outcome(cache: WebCache, file: OutcomeFile) -> bool:
    """Adds an outcome with its cassette. Returns False, with nothing changed, if its key has one by now.

    Raises WebError if the files changed since they were read, or the cassette cannot be placed.
    """
    content = _unchanged(file.path, file.sha256)
    path = cache.path(file.key)
    path.parent.mkdir(parents=True, exist_ok=True)
    placed = _place_cassette(path, file)
    if write_once(path, content, _siblings(path)):
        return True
    there = cache.read(path)
    if placed is not None and (there is None or there.cassette != placed.name):
        placed.unlink(missing_ok=True)
    return False


def replace_outcome(cache: WebCache, file: OutcomeFile, ours: OutcomeFile) -> None:
    """Puts an outcome and its cassette in the place of `ours`, in one step.

    Raises WebError if the files changed since they were read, or the cassette cannot be placed.
    """
    content = _unchanged(file.path, file.sha256)
    path = cache.path(file.key)
    _place_cassette(path, file)
    with atomic_path(path) as temporary:
        temporary.write_bytes(content)
    sync_directory(path.parent)
    if ours.cassette is not None and (file.cassette is None or ours.cassette.name != file.cassette.name):
        ours.cassette.unlink(missing_ok=True)


def add_cassette(cache: WebCache, file: OutcomeFile) -> bool:
    """Adds the cassette of an outcome that `cache` has already. Returns whether it was missing."""
    return _place_cassette(cache.path(file.key), file) is not None


def check_cassette_name(target: Path, file: OutcomeFile) -> None:
    """Raises WebError if `target`, where the cassette of `file` belongs, has another content."""
    try:
        there = hashlib.sha256(target.read_bytes()).hexdigest()
    except FileNotFoundError:
        return
    if there != file.cassette_sha256:
        raise WebError(
            f"{target}: exists with another content than the cassette of the same name that is imported. "
            "Delete it if no outcome names it, then import again."
        )


def _place_cassette(path: Path, file: OutcomeFile) -> Path | None:
    """Writes the cassette beside `path`; returns its path, or None if there is none to write."""
    if file.cassette is None or file.cassette_sha256 is None:
        return None
    content = _unchanged(file.cassette, file.cassette_sha256)
    target = path.with_name(file.cassette.name)
    if write_once(target, content, _siblings(target)):
        return target
    check_cassette_name(target, file)
    return None


def _unchanged(path: Path, sha256: str) -> bytes:
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != sha256:
        raise WebError(f"{path}: changed while it was imported. Leave the record alone and import again.")
    return content


def _siblings(path: Path) -> str:
    """A glob pattern of the temporary files of writers of the same outcome."""
    return f".{path.name.partition('.')[0]}.*.tmp"
