"""Fetched files as bytes: bounded in size, compared with a pinned hash, read from a wheel in place.

A member is asked for by its whole name, so no name that an archive gives is ever a path here.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterable
from pathlib import Path

from bfcl_pipeline.errors import HashMismatch, MalformedRelease, StagingError


def verify(where: Path, got: str, expected: str, what: str, advice: str) -> None:
    """Raises HashMismatch if the two hashes differ. `what` should be at `where`; `advice`: what to do."""
    if got != expected.lower():
        raise HashMismatch(f"{where}: not {what}: expected sha256 {expected}, got {got}. {advice}")


def read_bounded(path: Path, limit: int) -> bytes:
    """The content of the file at `path`; a StagingError if it cannot be read or is over `limit` bytes."""
    try:
        with path.open("rb") as file:
            content = file.read(limit + 1)
    except OSError as error:
        raise StagingError(
            f"{path}: cannot be read ({error.strerror}). Check `source`, or leave it out to fetch the "
            "wheel from the package index."
        ) from error
    if len(content) > limit:
        raise MalformedRelease(f"{path}: more than {limit} bytes; no such file is so large.")
    return content


def read_members(path: Path, content: bytes, names: Iterable[str], limit: int) -> dict[str, bytes]:
    """The members `names` of the wheel with `content`, which came from `path`, by name.

    Raises MalformedRelease if it is no readable archive, or a member is missing or over `limit` bytes.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return {name: _member(path, archive, name, limit) for name in names}
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise MalformedRelease(
            f"{path}: not a readable wheel ({error}). Fetch it again, or check the file."
        ) from error


def missing(path: Path) -> MalformedRelease:
    """The error for a file that is not there."""
    return MalformedRelease(f"{path}: missing. Check that `source` is the pinned wheel, or its content.")


def _member(path: Path, archive: zipfile.ZipFile, name: str, limit: int) -> bytes:
    try:
        info = archive.getinfo(name)
    except KeyError:
        raise missing(path / name) from None
    # The declared size may lie, so the read itself is bounded too.
    with archive.open(info) as member:
        content = member.read(limit + 1)
    if len(content) > limit:
        raise MalformedRelease(f"{path / name}: more than {limit} bytes; no file of it is so large.")
    return content
