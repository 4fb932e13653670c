"""Malicious zip files: built header by header, and sealed as if `archive` had written them."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bfcl_pipeline.runs.archived.writing import UNSEALED, seal

FILE = 0o100644 << 16
LINK = 0o120777 << 16
FOLDER = 0o040755 << 16
DEVICE = 0o060660 << 16
PIPE = 0o010644 << 16
DATE = 0x21


@dataclass(frozen=True, slots=True)
class Part:
    """One member, as declared by its headers; a field that is None is computed from the content."""

    name: str | bytes
    content: bytes = b""
    deflate: bool = False
    attributes: int = FILE
    flags: int | None = None
    method: int | None = None
    date: int = DATE
    extra: bytes = b""
    comment: bytes = b""
    crc: int | None = None
    packed: int | None = None
    size: int | None = None
    offset: int | None = None
    local_name: bytes | None = None
    inner: int = 0
    needed: int = 20


@dataclass(frozen=True, slots=True)
class End:
    """The end of the file; a field that is None is computed from the members."""

    count: int | None = None
    length: int | None = None
    start: int | None = None
    disk: int = 0
    before: bytes = b""  # between the list of members and the end


def build(path: Path, parts: Iterable[Part], end: End | None = None, prefix: bytes = b"") -> Path:
    """Writes a zip file of `parts`, sealed."""
    body, directory, count = bytearray(prefix), bytearray(), 0
    for part in parts:
        local, listed = _headers(part, len(body))
        body += local
        directory += listed
        count += 1
    return finish(path, bytes(body), bytes(directory), count, end or End())


def finish(path: Path, body: bytes, directory: bytes, count: int, end: End) -> Path:
    """Writes members and their list with an end, sealed."""
    number = count if end.count is None else end.count
    length = len(directory) if end.length is None else end.length
    start = len(body) if end.start is None else end.start
    volumes = (end.disk, end.disk)
    tail = struct.pack("<4s4H2LH", b"PK\5\6", *volumes, number, number, length, start, len(UNSEALED))
    path.write_bytes(body + directory + end.before + tail + UNSEALED)
    seal(path)
    return path


def _headers(part: Part, offset: int) -> tuple[bytes, bytes]:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = packer.compress(part.content) + packer.flush() if part.deflate else part.content
    name = part.name.encode() if isinstance(part.name, str) else part.name
    method = (8 if part.deflate else 0) if part.method is None else part.method
    fields = (
        part.needed,
        (0 if name.isascii() else 0x800) if part.flags is None else part.flags,
        method,
        0,
        part.date,
        zlib.crc32(part.content) if part.crc is None else part.crc,
        len(data) if part.packed is None else part.packed,
        len(part.content) if part.size is None else part.size,
        len(name),
        len(part.extra),
    )
    inside = name if part.local_name is None else part.local_name
    local = struct.pack("<4s5H3L2H", b"PK\3\4", *fields) + inside + part.extra + data
    place = offset if part.offset is None else part.offset
    outside = (len(part.comment), 0, part.inner, part.attributes, place)
    listed = struct.pack("<4s6H3L5H2L", b"PK\1\2", 3 << 8 | 20, *fields, *outside)
    return local, listed + name + part.extra + part.comment


def zip64_end(count: int, length: int, start: int) -> bytes:
    """The extension for many members or large files, with its locator."""
    record = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, count, count, length, start)
    return record + struct.pack("<4sLQL", b"PK\6\7", 0, start + length, 1)


def crowd(names: Sequence[str]) -> tuple[bytes, bytes]:
    """Empty members with the given names, and their central directory, each as one byte string."""
    empty = (20, 0, 0, 0, DATE, 0, 0, 0)
    body, directory, offset = [], [], 0
    for name in names:
        raw = name.encode()
        local = struct.pack("<4s5H3L2H", b"PK\3\4", *empty, len(raw), 0) + raw
        directory.append(
            struct.pack("<4s6H3L5H2L", b"PK\1\2", 3 << 8 | 20, *empty, len(raw), 0, 0, 0, 0, FILE, offset)
            + raw
        )
        body.append(local)
        offset += len(local)
    return b"".join(body), b"".join(directory)
