"""The files of an archive: their names, the most that they may have, their content and its hash.

Names are those of the files of a run: a relative path with `/` between its parts, which means the same file
on every file system.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator
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


def has_sha256(path: Path, sha256: str) -> bool:
    """Whether there is a plain file with these bytes."""
    return path.is_file() and file_sha256(path) == sha256


def _chunks(source: Path | bytes) -> Iterator[bytes]:
    if isinstance(source, bytes):
        yield source
        return
    with source.open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            yield chunk


METADATA = "ro-crate-metadata.json"
"""The first member: it describes all others."""

PREVIEW = "ro-crate-preview.html"
"""A page about the archive for a person."""

_PATTERNS = (
    f"{re.escape(METADATA)}|{re.escape(PREVIEW)}",
    r"README\.md|LICENSE|Snakefile|requirements\.lock",
    r"workflow/.+",
    r"results/[^/]+/(?:config\.yaml|models\.yaml|report\.html|blame\.csv|blame_answers\.csv)",
    r"results/[^/]+/(?:responses|memory|verdicts|tables|logs|benchmarks)/.+",
    r"results/[^/]+/errata/[^/]+\.yaml",
    r"results/[^/]+/report/[a-z0-9]+\.js",
    r"results/[^/]+/figures/[a-z_]+\.(?:svg|png|md)",
    r"(?:cache|results/[^/]+)/exchanges/[^/]+/exchanges(?:\.[0-9]+)?\.jsonl",
    r"(?:cache|results/[^/]+)/exchanges/[^/]+/provenance/[0-9a-f]{64}\.json",
    r"cache/web/(?P<a>[0-9a-f]{2})/(?P<b>[0-9a-f]{2})/(?P=a)(?P=b)[0-9a-f]{60}(?:\.json|\.[0-9a-f]{12}\.yaml)",
    r"cache/encoder\.vectors",
    r"snakemake/jobs\.jsonl|snakemake/log/[^/]+\.log",
)
_ALLOWED = [re.compile(pattern) for pattern in _PATTERNS]
_MAX_PART_BYTES = 255


def rejection_reason(name: str) -> str | None:
    """Why a member may not have this name; None if it may."""
    parts = name.split("/")
    if name.startswith(("/", "\\")) or re.match(r"[A-Za-z]:[\\/]", name):
        return "an absolute path"
    if ".." in parts:
        return "a path that leads out of the archive"
    if "\\" in name:
        return "a backslash in its name"
    if "" in parts or "." in parts:
        return "an empty part in its name"
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in name):
        return "a control character in its name"
    if "{" in name or "}" in name:
        return "a brace in its name, which Snakemake would interpret"
    if len(name.encode()) > MAX_NAME_BYTES or any(len(part.encode()) > _MAX_PART_BYTES for part in parts):
        return "a name that is too long"
    if not any(pattern.fullmatch(name) for pattern in _ALLOWED):
        return "not a file that the archive of a run contains"
    return None


def name_collision(names: Iterable[str]) -> str | None:
    """Two names that are one file on some file system, for example one that ignores case; or None."""
    spellings: dict[str, str] = {}  # each path, by its normalized form
    files: set[str] = set()
    folders: set[str] = set()
    for name in names:
        path = ""
        parts = name.split("/")
        for depth, part in enumerate(parts):
            path = f"{path}/{part}" if path else part
            normalized = unicodedata.normalize("NFC", path).casefold()
            other = spellings.setdefault(normalized, path)
            last = depth == len(parts) - 1
            if (
                other != path
                or (last and normalized in files | folders)
                or (not last and normalized in files)
            ):
                return f"{other!r} and {name!r}"
            (files if last else folders).add(normalized)
    return None
