"""The files that go into an archive: where each comes from, its size and its hash."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bfcl_pipeline.archive.bounds import CHUNK_BYTES
from bfcl_pipeline.errors import ArchiveError


@dataclass(frozen=True, slots=True)
class Member:
    """One file of an archive."""

    name: str  # its path there
    source: Path | bytes  # a file, or the content itself
    size: int  # bytes
    sha256: str

    def chunks(self) -> Iterator[bytes]:
        """The content. Raises ArchiveError if it is no longer what it was."""
        digest, size = hashlib.sha256(), 0
        for chunk in content(self.source):
            digest.update(chunk)
            size += len(chunk)
            yield chunk
        if (size, digest.hexdigest()) != (self.size, self.sha256):
            raise ArchiveError(
                f"{self.source!s}: changed while it was archived. End what writes it, repeat."
            )


def member(name: str, source: Path | bytes) -> Member:
    """`source` under `name`, read once. Raises OSError."""
    digest, size = hashlib.sha256(), 0
    for chunk in content(source):
        digest.update(chunk)
        size += len(chunk)
    return Member(name, source, size, digest.hexdigest())


def content(source: Path | bytes) -> Iterator[bytes]:
    """What a file or a text holds, in pieces."""
    if isinstance(source, bytes):
        yield source
        return
    with source.open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            yield chunk
