"""The files that are written to an archive: their source, size and hash; and the limits of archives."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bfcl_pipeline.base.errors import ArchiveError

MAX_FILE_BYTES = 2**32 - 2**20
"""Size of an archive; below it, a zip file does not need the zip64 extensions."""

MAX_MEMBERS = 65_000
"""Number of members; without zip64, a zip file has 16 bits for it."""

MAX_UNPACKED_BYTES = 16 * 2**30
"""Unpacked size of all members together."""

MAX_RATIO = 100
"""Largest ratio of unpacked to packed size of a member that is larger than SMALL_BYTES."""

SMALL_BYTES = 64 * 2**10

MAX_NAME_BYTES = 1024
"""Length of a member's name in UTF-8; each part of the path may have 255, as on most file systems."""

METADATA_BYTES = 256 * 2**10
"""Size of the metadata, plus METADATA_BYTES_EACH for each member, and at most METADATA_BYTES_MOST."""

METADATA_BYTES_EACH = 1536

METADATA_BYTES_MOST = 48 * 2**20

MAX_VECTORS = 65_000
"""Embeddings of texts in vector memories; they are one member, which is loaded into memory."""

CHUNK_BYTES = 2**20
"""Bytes that are read at once."""


@dataclass(frozen=True, slots=True)
class ArchiveMember:
    """One file of an archive."""

    name: str  # its path in the archive
    source: Path | bytes  # a file, or the content itself
    size: int  # bytes
    sha256: str

    def chunks(self) -> Iterator[bytes]:
        """The content. Raises ArchiveError if it changed since it was hashed."""
        digest, size = hashlib.sha256(), 0
        for chunk in _chunks(self.source):
            digest.update(chunk)
            size += len(chunk)
            yield chunk
        if (size, digest.hexdigest()) != (self.size, self.sha256):
            raise ArchiveError(
                f"{self.source!s}: changed while it was archived. Stop the program that writes it, then "
                "archive the run again."
            )


def member(name: str, source: Path | bytes) -> ArchiveMember:
    """`source` as the member `name`; reads it once. Raises OSError."""
    digest, size = hashlib.sha256(), 0
    for chunk in _chunks(source):
        digest.update(chunk)
        size += len(chunk)
    return ArchiveMember(name, source, size, digest.hexdigest())


def file_sha256(path: Path) -> str:
    """The sha256 of a file, in hexadecimal. Raises OSError."""
    return member("", path).sha256


def _chunks(source: Path | bytes) -> Iterator[bytes]:
    if isinstance(source, bytes):
        yield source
        return
    with source.open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            yield chunk
