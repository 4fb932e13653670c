"""Writing members as one sealed zip file: equal members give equal bytes.

Location, times, owners and permissions of the files do not matter. Another release of zlib may compress the
same members to other bytes. The seal is the comment of the zip file, the sha256 of all bytes before it: a
changed, missing or added byte is detected before anything else is read. It does not prove where a file
comes from; for that, the sha256 of the whole file is published.
"""

import hashlib
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from bfcl_pipeline.base.errors import ArchiveError
from bfcl_pipeline.base.files import atomic_path
from bfcl_pipeline.runs.archived.members import (
    CHUNK_BYTES,
    MAX_FILE_BYTES,
    MAX_MEMBERS,
    MAX_RATIO,
    MAX_UNPACKED_BYTES,
    SMALL_BYTES,
    ArchiveMember,
    name_collision,
    rejection_reason,
)

SEAL_BYTES = len("sha256:") + 64

UNSEALED = b"sha256:" + b"0" * 64
"""The comment of a zip file that is not sealed yet."""

MODE = 0o100644
"""File type and permissions of every member: a regular file."""

TOO_MUCH = "more than fits in one archive. Archive runs of fewer models."
"""The end of the error message for a run that is too large."""

_LEVEL = 6  # the default of zipfile
_COMPRESSED = (".parquet",)  # already, by their format


def write_archive(path: Path, members: Sequence[ArchiveMember]) -> None:
    """Writes `members`, in this order, to `path`, atomically.

    Raises ArchiveError if they do not fit in an archive or change while they are written; OSError.
    """
    _check(members)
    with atomic_path(path) as temporary:
        with zipfile.ZipFile(temporary, "w", allowZip64=False) as archive:
            for member in members:
                _write(archive, member)
            archive.comment = UNSEALED
        if temporary.stat().st_size > MAX_FILE_BYTES:
            raise ArchiveError(f"{path}: {TOO_MUCH}")
        seal(temporary)


def _check(members: Sequence[ArchiveMember]) -> None:
    for member in members:
        reason = rejection_reason(member.name)
        if reason is not None:
            raise ArchiveError(f"{member.name!r} cannot be archived: {reason}.")
    collision = name_collision(member.name for member in members)
    if collision is not None:
        raise ArchiveError(f"{collision} would be one file where case does not count. Rename one.")
    size = sum(member.size for member in members)
    if len(members) > MAX_MEMBERS or size > MAX_UNPACKED_BYTES:
        raise ArchiveError(f"{len(members):,} files with {size:,} bytes: {TOO_MUCH}")


def _write(archive: zipfile.ZipFile, member: ArchiveMember) -> None:
    info = zipfile.ZipInfo(member.name, (1980, 1, 1, 0, 0, 0))
    info.create_system = 3
    info.external_attr = MODE << 16
    info.compress_type = zipfile.ZIP_DEFLATED if _is_compressed(member) else zipfile.ZIP_STORED
    info.file_size = member.size
    try:
        with archive.open(info, "w") as file:
            for chunk in member.chunks():
                file.write(chunk)
    except (RuntimeError, zipfile.LargeZipFile) as error:
        raise ArchiveError(f"{member.name}: {TOO_MUCH}") from error


def _is_compressed(member: ArchiveMember) -> bool:
    """Whether compression saves space and the ratio of sizes is within MAX_RATIO."""
    if member.name.endswith(_COMPRESSED):
        return False
    if member.size <= SMALL_BYTES:
        return True
    packer, packed = zlib.compressobj(_LEVEL, zlib.DEFLATED, -15), 0
    for chunk in member.chunks():
        packed += len(packer.compress(chunk))
    return member.size <= MAX_RATIO * (packed + len(packer.flush()))


def seal(path: Path) -> None:
    """Writes the seal to the end of the zip file at `path`. Raises OSError."""
    with path.open("r+b") as file:
        end = path.stat().st_size - SEAL_BYTES
        digest = digest_of(file, end)
        file.seek(end)
        file.write(b"sha256:" + digest.hexdigest().encode())


def digest_of(file: BinaryIO, length: int) -> "hashlib._Hash":
    """The hash over the first `length` bytes."""
    digest = hashlib.sha256()
    file.seek(0)
    while length > 0 and (chunk := file.read(min(length, CHUNK_BYTES))):
        digest.update(chunk)
        length -= len(chunk)
    return digest
