"""The seal of an archive: the comment of the zip file is the sha256 of all bytes before it.

A changed, missing or added byte is detected before anything else is read. The seal detects damage; it does
not prove where a file comes from. For that, the sha256 of the whole file is published.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from bfcl_pipeline.base.errors import ArchiveError
from bfcl_pipeline.runs.archived.members import CHUNK_BYTES, MAX_FILE_BYTES

_FORM = re.compile(rb"sha256:([0-9a-f]{64})")
SEAL_BYTES = len("sha256:") + 64
UNSEALED = b"sha256:" + b"0" * 64
"""The comment of a zip file that is not sealed yet."""


@dataclass(frozen=True, slots=True)
class Seal:
    """Size and hash of a file with a valid seal."""

    size: int  # bytes of the file
    sha256: str  # of the whole file


def seal(path: Path) -> None:
    """Writes the seal to the end of the zip file at `path`. Raises OSError."""
    with path.open("r+b") as file:
        end = path.stat().st_size - SEAL_BYTES
        digest = _digest(file, end)
        file.seek(end)
        file.write(b"sha256:" + digest.hexdigest().encode())


def check_seal(path: Path, file: BinaryIO) -> Seal:
    """Checks the seal of `file`, which is open at `path`. Raises ArchiveError if it is missing or wrong."""
    size = file.seek(0, 2)
    if size > MAX_FILE_BYTES:
        raise ArchiveError(f"{path}: {size:,} bytes; an archive has at most {MAX_FILE_BYTES:,}.")
    file.seek(max(0, size - SEAL_BYTES))
    written = file.read(SEAL_BYTES)
    form = _FORM.fullmatch(written)
    if form is None:
        raise ArchiveError(
            f"{path}: no seal at its end: it is truncated, was extended, or was not written by "
            "`bfcl-pipeline archive`. Fetch it again."
        )
    digest = _digest(file, size - SEAL_BYTES)
    if digest.hexdigest().encode() != form[1]:
        raise ArchiveError(f"{path}: the seal is broken: at least one byte was changed. Fetch it again.")
    digest.update(written)
    return Seal(size, digest.hexdigest())


def _digest(file: BinaryIO, length: int) -> hashlib._Hash:
    """The hash over the first `length` bytes."""
    digest = hashlib.sha256()
    file.seek(0)
    while length > 0 and (chunk := file.read(min(length, CHUNK_BYTES))):
        digest.update(chunk)
        length -= len(chunk)
    return digest
