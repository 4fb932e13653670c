"""Writing members as one sealed zip file: equal members give equal bytes.

Times, owners and permissions of the files do not matter, nor where they lie. Packed bytes are those of one
release of zlib: another may pack the same members otherwise.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path

from bfcl_pipeline.archive.bounds import (
    MAX_FILE_BYTES,
    MAX_MEMBERS,
    MAX_RATIO,
    MAX_UNPACKED_BYTES,
    SMALL_BYTES,
)
from bfcl_pipeline.archive.members import Member
from bfcl_pipeline.archive.names import clash, refusal
from bfcl_pipeline.archive.seal import UNSEALED, seal
from bfcl_pipeline.errors import ArchiveError
from bfcl_pipeline.tables.files import atomic_path

MODE = 0o100644
"""Of every member: a regular file."""

TOO_MUCH = "more than fits in one archive. Archive runs of fewer models."
"""What is told of a run that is too large."""

_LEVEL = 6  # what zipfile packs with unless told otherwise
_PACKED_ALREADY = (".parquet",)


def write_archive(path: Path, members: Sequence[Member]) -> None:
    """Writes `members`, in this order, to `path`, atomically.

    Raises ArchiveError if they do not fit in an archive or change meanwhile; OSError.
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


def _check(members: Sequence[Member]) -> None:
    for member in members:
        why = refusal(member.name)
        if why is not None:
            raise ArchiveError(f"{member.name!r} cannot be archived: {why}.")
    twins = clash(member.name for member in members)
    if twins is not None:
        raise ArchiveError(f"{twins} would be one file where case does not count. Rename one.")
    size = sum(member.size for member in members)
    if len(members) > MAX_MEMBERS or size > MAX_UNPACKED_BYTES:
        raise ArchiveError(f"{len(members):,} files with {size:,} bytes: {TOO_MUCH}")


def _write(archive: zipfile.ZipFile, member: Member) -> None:
    info = zipfile.ZipInfo(member.name, (1980, 1, 1, 0, 0, 0))
    info.create_system = 3
    info.external_attr = MODE << 16
    info.compress_type = zipfile.ZIP_DEFLATED if _to_be_packed(member) else zipfile.ZIP_STORED
    info.file_size = member.size
    try:
        with archive.open(info, "w") as file:
            for chunk in member.chunks():
                file.write(chunk)
    except (RuntimeError, zipfile.LargeZipFile) as error:
        raise ArchiveError(f"{member.name}: {TOO_MUCH}") from error


def _to_be_packed(member: Member) -> bool:
    """Whether packing is of use, and what comes of it within the bounds."""
    if member.name.endswith(_PACKED_ALREADY):
        return False
    if member.size <= SMALL_BYTES:
        return True
    packer, packed = zlib.compressobj(_LEVEL, zlib.DEFLATED, -15), 0
    for chunk in member.chunks():
        packed += len(packer.compress(chunk))
    return member.size <= MAX_RATIO * (packed + len(packer.flush()))
