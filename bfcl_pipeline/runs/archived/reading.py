"""Reading the sealed zip file of an untrusted source, within bounds.

Only the form that `archived.writing` produces is accepted: members one after the other without gaps, each
with exactly the two headers that `archive` writes for its name, sizes and checksum. All programs that read
zip files therefore see the same files in it. `zipfile` does not ensure that, although every content is
hashed: a file with a second list of members, contradicting headers or data between members can show other
files to another program than to the one that verified it.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from bfcl_pipeline.base.errors import ArchiveError
from bfcl_pipeline.base.files import named_file, open_regular
from bfcl_pipeline.runs.archived.members import (
    CHUNK_BYTES,
    MAX_FILE_BYTES,
    MAX_MEMBERS,
    MAX_NAME_BYTES,
    MAX_RATIO,
    MAX_UNPACKED_BYTES,
    SMALL_BYTES,
    name_collision,
    rejection_reason,
)
from bfcl_pipeline.runs.archived.writing import MODE, SEAL_BYTES, digest_of

# Source: PKWARE's APPNOTE.TXT 6.3, sections 4.3.7, 4.3.12 and 4.3.16.
_LOCAL = struct.Struct("<4s5H3L2H")  # before the content of a member, followed by its name
_CENTRAL = struct.Struct("<4s6H3L5H2L")  # in the central directory, followed by the name
_END = struct.Struct("<4s4H2LH")  # end of the central directory
_STORED, _DEFLATED = 0, 8
_VERSION, _UNIX = 20, 3
_UTF8 = 0x800  # flag of names that are not ASCII
_DATE = 0x21  # 1980-01-01
_SEAL = re.compile(rb"sha256:([0-9a-f]{64})")
_ZIP64 = 0xFFFFFFFF  # as a size, a reference to an extra field


@dataclass(frozen=True, slots=True)
class Seal:
    """Size and hash of a file with a valid seal."""

    size: int  # bytes of the file
    sha256: str  # of the whole file


def check_seal(path: Path, file: BinaryIO) -> Seal:
    """Checks the seal of `file`, which is open at `path`. Raises ArchiveError if it is missing or wrong."""
    size = file.seek(0, 2)
    if size > MAX_FILE_BYTES:
        raise ArchiveError(f"{path}: {size:,} bytes; an archive has at most {MAX_FILE_BYTES:,}.")
    file.seek(max(0, size - SEAL_BYTES))
    written = file.read(SEAL_BYTES)
    form = _SEAL.fullmatch(written)
    if form is None:
        raise ArchiveError(
            f"{path}: no seal at its end: it is truncated, was extended, or was not written by "
            "`bfcl-pipeline archive`. Fetch it again."
        )
    digest = digest_of(file, size - SEAL_BYTES)
    if digest.hexdigest().encode() != form[1]:
        raise ArchiveError(f"{path}: the seal is broken: at least one byte was changed. Fetch it again.")
    digest.update(written)
    return Seal(size, digest.hexdigest())


@dataclass(frozen=True, slots=True)
class Packed:
    """One member as it is stored in the file."""

    name: str
    deflated: bool
    crc: int
    packed: int  # bytes in the file
    size: int  # bytes of its content
    start: int  # offset of its content in the file


class SealedArchive:
    """An archive with a valid seal and structure. The contents of its members are not checked here."""

    def __init__(self, path: Path) -> None:
        """Raises ArchiveError if it cannot be read, is damaged, or is not as `archive` writes it."""
        self.path = path
        try:
            self._file = open_regular(named_file(path))
        except FileNotFoundError as error:
            raise ArchiveError(f"{path}: no such file.") from error
        except (OSError, ValueError) as error:
            raise ArchiveError(f"{path}: cannot be read ({error}).") from error
        try:
            self.seal: Seal = check_seal(path, self._file)
            self.members: dict[str, Packed] = {member.name: member for member in self._members()}
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> SealedArchive:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def chunks(self, name: str) -> Iterator[bytes]:
        """The content of a member, in pieces. Raises ArchiveError if size or checksum are wrong."""
        member = self.members[name]
        size, crc = 0, 0
        for chunk in self._inflated(member) if member.deflated else self._stored(member):
            size += len(chunk)
            if size > member.size:
                raise self._refused(name, "its content is larger than its header declares")
            crc = zlib.crc32(chunk, crc)
            yield chunk
        if size != member.size or crc != member.crc:
            raise self._refused(name, "its content has another size or checksum than its header declares")

    def _stored(self, member: Packed) -> Iterator[bytes]:
        self._file.seek(member.start)
        left = member.packed
        while left > 0 and (chunk := self._file.read(min(left, CHUNK_BYTES))):
            left -= len(chunk)
            yield chunk

    def _inflated(self, member: Packed) -> Iterator[bytes]:
        unpacker = zlib.decompressobj(-15)
        try:
            for chunk in self._stored(member):
                yield unpacker.decompress(chunk, CHUNK_BYTES)
                while unpacker.unconsumed_tail:
                    yield unpacker.decompress(unpacker.unconsumed_tail, CHUNK_BYTES)
            while rest := unpacker.decompress(b"", CHUNK_BYTES):
                yield rest
        except zlib.error as error:
            raise self._refused(member.name, f"its content cannot be unpacked ({error})") from error
        if not unpacker.eof or unpacker.unused_data:
            raise self._refused(member.name, "its packed content ends too early or too late")

    def _members(self) -> list[Packed]:
        """All members; their headers and contents fill the file up to the central directory."""
        directory, count, start = self._directory()
        members: list[Packed] = []
        place = offset = unpacked = 0
        for _ in range(count):
            member, place = self._member(directory, place, offset)
            offset = member.start + member.packed
            unpacked += member.size
            if unpacked > MAX_UNPACKED_BYTES:
                raise self._refused(member.name, f"more than {MAX_UNPACKED_BYTES:,} bytes unpacked in all")
            members.append(member)
        if place != len(directory) or offset != start:
            raise self._refused(None, "bytes that belong to no member")
        if len({member.name for member in members}) != len(members):
            raise self._refused(None, "a duplicate name")
        collision = name_collision(member.name for member in members)
        if collision is not None:
            raise self._refused(None, f"{collision}, which are one file where case does not count")
        return members

    def _directory(self) -> tuple[bytes, int, int]:
        """The central directory, the number of its members, and its offset."""
        end = self.seal.size - SEAL_BYTES - _END.size
        written = self._read(max(0, end), _END.size)
        if end < 0 or written[:4] != b"PK\5\6":
            raise self._refused(None, "not a zip file")
        count, length, start = _END.unpack(written)[4:7]
        if written != _END.pack(b"PK\5\6", 0, 0, count, count, length, start, SEAL_BYTES):
            raise self._refused(None, "an end of the zip file that `archive` does not write")
        if count > MAX_MEMBERS:
            raise self._refused(None, f"{count:,} members; an archive has at most {MAX_MEMBERS:,}")
        if length > count * (_CENTRAL.size + MAX_NAME_BYTES):
            raise self._refused(None, "a list of members that is too long")
        if start + length != end:
            raise self._refused(None, "bytes that belong to no member")
        return self._read(start, length), count, start

    def _member(self, directory: bytes, place: int, offset: int) -> tuple[Packed, int]:
        """The member listed at `place`, which must be stored at `offset`; and the place of the next one."""
        if place + _CENTRAL.size > len(directory):
            raise self._refused(None, "a list of members that is truncated")
        method, _, _, crc, packed, size, name_length = _CENTRAL.unpack_from(directory, place)[4:11]
        raw = directory[place + _CENTRAL.size :][:name_length]
        name = self._name(raw)
        deflated = method == _DEFLATED
        local, listed = _headers(raw, deflated, crc, packed, size, offset)
        if directory[place : place + len(listed)] != listed or self._read(offset, len(local)) != local:
            raise self._refused(name, "a header that `archive` does not write")
        if _ZIP64 in (packed, size) or (not deflated and packed != size):
            raise self._refused(name, "sizes that contradict each other, or of the zip64 format")
        if size > SMALL_BYTES and size > MAX_RATIO * packed:
            raise self._refused(name, f"{size:,} bytes packed into {packed:,}: a zip bomb")
        start = offset + len(local)
        if start + packed > self.seal.size:
            raise self._refused(name, "more content than the file has")
        return Packed(name, deflated, crc, packed, size, start), place + len(listed)

    def _name(self, raw: bytes) -> str:
        try:
            name = raw.decode()
        except UnicodeDecodeError as error:
            raise self._refused(None, "a name that is not UTF-8") from error
        reason = rejection_reason(name)
        if reason is not None:
            raise self._refused(name, reason)
        return name

    def _read(self, offset: int, length: int) -> bytes:
        self._file.seek(offset)
        return self._file.read(length)

    def _refused(self, name: str | None, what: str) -> ArchiveError:
        where = f"{self.path}" if name is None else f"{self.path}, member {_shown(name)}"
        return ArchiveError(f"{where}: refused: {what}. Nothing was unpacked.")


def _headers(
    raw: bytes, deflated: bool, crc: int, packed: int, size: int, offset: int
) -> tuple[bytes, bytes]:
    """The local header and the entry of the central directory that `archive` writes for a member."""
    flags = 0 if raw.isascii() else _UTF8
    method = _DEFLATED if deflated else _STORED
    shared = (_VERSION, flags, method, 0, _DATE, crc, packed, size, len(raw), 0)
    local = _LOCAL.pack(b"PK\3\4", *shared) + raw
    made_by = _UNIX << 8 | _VERSION
    return local, _CENTRAL.pack(b"PK\1\2", made_by, *shared, 0, 0, 0, MODE << 16, offset) + raw


def _shown(name: str) -> str:
    text = repr(name)
    return text if len(text) <= 120 else f"{text[:117]}..."
