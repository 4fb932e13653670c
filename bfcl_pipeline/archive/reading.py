"""Reading a sealed zip file from anybody: nothing is believed that was not checked.

Only the form that `writing` gives is accepted, to the byte: members one after the other without gaps, plain
files, stored or deflated, without comments, extra fields, encryption or the extensions for large files. Not
built on a general reader of zip files: those accept much more than is written here.
"""

from __future__ import annotations

import stat
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

from bfcl_pipeline.archive.bounds import (
    CHUNK_BYTES,
    MAX_MEMBERS,
    MAX_NAME_BYTES,
    MAX_RATIO,
    MAX_UNPACKED_BYTES,
    SMALL_BYTES,
)
from bfcl_pipeline.archive.names import clash, refusal
from bfcl_pipeline.archive.seal import SEAL_BYTES, Seal, check_seal
from bfcl_pipeline.archive.writing import MODE
from bfcl_pipeline.errors import ArchiveError

_END = struct.Struct("<4s4H2LH")  # end of the central directory
_CENTRAL = struct.Struct("<4s6H3L5H2L")  # one member there
_LOCAL = struct.Struct("<4s5H3L2H")  # one member before its content
_DATE = 0x21  # 1980-01-01
_NEEDED = 20  # version of the format
_UNIX = 3
_UTF8 = 0x800
_STORED, _DEFLATED = 0, 8


class _Header(NamedTuple):
    """What the central directory says of one member; the fields from `needed` to `name_length` stand before
    its content again."""

    magic: bytes
    made_by: int
    needed: int
    flags: int
    method: int
    time: int
    date: int
    crc: int
    packed: int
    size: int
    name_length: int
    extra: int
    comment: int
    disk: int
    inner: int
    attributes: int
    offset: int


@dataclass(frozen=True, slots=True)
class Packed:
    """One member as it lies in the file."""

    name: str
    deflated: bool
    crc: int
    packed: int  # bytes in the file
    size: int  # bytes of its content
    start: int  # where its content begins in the file


class SealedArchive:
    """An archive whose seal and structure are right. What its members say is not checked here."""

    def __init__(self, path: Path) -> None:
        """Raises ArchiveError if it cannot be read, is damaged, or has another form than we write."""
        self.path = path
        try:
            if not path.is_file():
                raise ArchiveError(f"{path}: no such file.")
            self._file = path.open("rb")
        except OSError as error:
            raise ArchiveError(f"{path}: cannot be read ({error}).") from error
        try:
            self.seal: Seal = check_seal(path, self._file)
            self.members: dict[str, Packed] = {one.name: one for one in self._members()}
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> SealedArchive:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def chunks(self, name: str) -> Iterator[bytes]:
        """The content of a member, in pieces. Raises ArchiveError if it is not what was declared."""
        member = self.members[name]
        size, crc = 0, 0
        for chunk in self._inflated(member) if member.deflated else self._stored(member):
            size += len(chunk)
            if size > member.size:
                raise self._refused(name, "its content is larger than it says")
            crc = zlib.crc32(chunk, crc)
            yield chunk
        if size != member.size or crc != member.crc:
            raise self._refused(name, "its content is not what it says")

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
            raise self._refused(member.name, "its content does not end where it says")

    def _members(self) -> list[Packed]:
        """All members, of which each is checked and which together fill the file."""
        directory, count, start = self._directory()
        members: list[Packed] = []
        place = offset = unpacked = 0
        for _ in range(count):
            member, place = self._member(directory, place, offset)
            offset = member.start + member.packed
            unpacked += member.size
            if unpacked > MAX_UNPACKED_BYTES:
                raise self._refused(
                    member.name, f"more than {MAX_UNPACKED_BYTES:,} bytes unpacked, with it"
                )
            members.append(member)
        if place != len(directory) or offset != start:
            raise self._refused(None, "bytes that belong to no member")
        if len({member.name for member in members}) != len(members):
            raise self._refused(None, "a name twice")
        twins = clash(member.name for member in members)
        if twins is not None:
            raise self._refused(None, f"{twins}, which are one file where case does not count")
        return members

    def _directory(self) -> tuple[bytes, int, int]:
        """The central directory, the number of its members, and where it starts."""
        end = self.seal.size - SEAL_BYTES - _END.size
        if end < 0:
            raise self._refused(None, "no zip file")
        self._file.seek(end)
        magic, disk, first_disk, here, count, length, start, comment = _END.unpack(
            self._file.read(_END.size)
        )
        if magic != b"PK\5\6" or comment != SEAL_BYTES:
            raise self._refused(None, "no zip file")
        if 0xFFFF in (disk, first_disk, here, count) or 0xFFFFFFFF in (length, start):
            raise self._refused(None, "the extensions for large zip files, which no archive needs")
        if disk or first_disk or here != count:
            raise self._refused(None, "several volumes")
        if count > MAX_MEMBERS:
            raise self._refused(None, f"{count:,} members; no archive has more than {MAX_MEMBERS:,}")
        if length > count * (_CENTRAL.size + MAX_NAME_BYTES):
            raise self._refused(None, "a list of members that is too long")
        if start + length != end:
            raise self._refused(None, "bytes that belong to no member")
        self._file.seek(start)
        return self._file.read(length), count, start

    def _member(self, directory: bytes, place: int, offset: int) -> tuple[Packed, int]:
        """The member listed at `place`, which must lie at `offset`; and where the next is listed."""
        if place + _CENTRAL.size > len(directory):
            raise self._refused(None, "a list of members that is cut off")
        header = _Header(*_CENTRAL.unpack_from(directory, place))
        place += _CENTRAL.size
        raw = directory[place : place + header.name_length]
        if header.magic != b"PK\1\2" or len(raw) != header.name_length:
            raise self._refused(None, "a list of members that is cut off")
        name = self._name(raw, header.flags)
        problem = _type_problem(header) or _size_problem(header) or _other_problem(header, offset)
        if problem is not None:
            raise self._refused(name, problem)
        self._file.seek(offset)
        local = self._file.read(_LOCAL.size + header.name_length)
        if local != _LOCAL.pack(b"PK\3\4", *header[2:11], 0) + raw:
            raise self._refused(name, "two headers that contradict each other")
        start = offset + len(local)
        if start + header.packed > self.seal.size:
            raise self._refused(name, "more content than the file has")
        deflated = header.method == _DEFLATED
        packed = Packed(name, deflated, header.crc, header.packed, header.size, start)
        return packed, place + header.name_length

    def _name(self, raw: bytes, flags: int) -> str:
        try:
            name = raw.decode("utf-8" if flags & _UTF8 else "ascii")
        except UnicodeDecodeError as error:
            raise self._refused(None, "a name that is no text") from error
        why = refusal(name)
        if why is not None:
            raise self._refused(name, why)
        return name

    def _refused(self, name: str | None, what: str) -> ArchiveError:
        where = f"{self.path}" if name is None else f"{self.path}, member {_shown(name)}"
        return ArchiveError(f"{where}: refused: {what}. Nothing was unpacked.")


def _shown(name: str) -> str:
    text = repr(name)
    return text if len(text) <= 120 else f"{text[:117]}..."


def _type_problem(header: _Header) -> str | None:
    """What a member is, if it is no plain file of ours."""
    mode = header.attributes >> 16
    if header.attributes == MODE << 16 and header.made_by >> 8 == _UNIX:
        return None
    if stat.S_ISLNK(mode):
        return "a link"
    if stat.S_ISDIR(mode) or header.attributes & 0x10:
        return "a folder"
    if stat.S_ISREG(mode):
        return "permissions that `archive` does not give"
    return "a device or another thing that is no plain file"


def _size_problem(header: _Header) -> str | None:
    if header.method not in (_STORED, _DEFLATED):
        return "packed by a method that `archive` does not use"
    if 0xFFFFFFFF in (header.packed, header.size):
        return "the extensions for large zip files, which no archive needs"
    if header.method == _STORED and header.packed != header.size:
        return "two sizes that contradict each other"
    if header.size > SMALL_BYTES and header.size > MAX_RATIO * header.packed:
        return f"{header.size:,} bytes packed into {header.packed:,}: a bomb"
    return None


def _other_problem(header: _Header, offset: int) -> str | None:
    if header.flags & 1:
        return "encryption"
    if header.extra or header.comment:
        return "extra fields or a comment, which `archive` does not write"
    if header.flags & ~_UTF8 or header.disk or header.inner or header.needed != _NEEDED:
        return "a header that `archive` does not write"
    if (header.time, header.date) != (0, _DATE):
        return "a time that `archive` does not write"
    if header.offset != offset:
        return "a place that another member has, or none"
    return None
