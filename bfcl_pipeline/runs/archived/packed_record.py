"""Unpacks a web cache from a zip or tar file of an untrusted source, within bounds.

Only members with the names of outcomes and cassettes are written, each below its name in the cache; the
others are counted. A file is refused as a whole if a member leads out of it, is a link or a device, or has
the name of another one, if it holds two web caches, or if it is larger unpacked than a record is.
"""

from __future__ import annotations

import gzip
import io
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path, PurePosixPath
from typing import BinaryIO, TypeAlias, cast

from bfcl_pipeline.base.errors import ArchiveError
from bfcl_pipeline.base.files import open_regular
from bfcl_pipeline.base.text import cut, printable
from bfcl_pipeline.runs.archived.members import (
    CHUNK_BYTES,
    MAX_FILE_BYTES,
    MAX_MEMBERS,
    MAX_NAME_BYTES,
    MAX_RATIO,
    MAX_UNPACKED_BYTES,
    SMALL_BYTES,
)
from bfcl_pipeline.world.web.cache import LARGEST_CASSETTE_BYTES
from bfcl_pipeline.world.web.record_files import NAME

# Source: PKWARE's APPNOTE.TXT 6.3, sections 4.3.15 and 4.3.16.
_END = struct.Struct("<4s4H2LH")
_ZIP64_LOCATOR_BYTES = 20
_LONGEST_COMMENT = 65_535
_LISTED_BYTES = 512  # of a member in the list of members, on average at most
_NAME_PARTS = 3  # of the path of an outcome or cassette

_DAMAGE = (
    zipfile.BadZipFile,
    tarfile.TarError,
    gzip.BadGzipFile,
    zlib.error,
    struct.error,
    EOFError,
    ValueError,
    OverflowError,
    RecursionError,  # of tarfile, on headers about headers
)
_TOO_LARGE = "members that are larger than a record is, or than the file: a bomb, or a truncated file"
_BACK_BYTES = 512  # how far back tarfile reads: no more than a block

Member: TypeAlias = tuple[str, bool, int, Callable[[], BinaryIO]]
"""Name, whether it is a directory, declared size in bytes, and what opens its content."""


class _Refused(Exception):
    """Why a file is refused."""


def unpack_record(file: Path, folder: Path) -> int:
    """Writes the outcomes and cassettes in `file` to the empty directory `folder`.

    Returns how many other files it has. Raises ArchiveError if it is damaged, malformed or too large.
    """
    try:
        with _opened(file) as members:
            return _write(members, folder)
    except _Refused as error:
        raise ArchiveError(f"{file}: refused: {error}.") from error
    except _DAMAGE as error:
        raise ArchiveError(f"{file}: refused: damaged ({error}). Fetch it again.") from error
    except (NotImplementedError, RuntimeError) as error:  # of zipfile: a method, or an encrypted member
        raise ArchiveError(f"{file}: refused: a member that cannot be unpacked ({error}).") from error


def _write(members: Iterator[Member], folder: Path) -> int:
    places: dict[str, str] = {}  # the name in the archive by the name in the cache
    above: set[str] = set()
    others = unpacked = 0
    for number, (name, is_directory, size, opened) in enumerate(members, start=1):
        if number > MAX_MEMBERS:
            raise _Refused(f"more than {MAX_MEMBERS:,} members; split the record")
        parts = _parts(name)
        if is_directory:
            continue
        place = "/".join(parts[-_NAME_PARTS:])
        if not NAME.fullmatch(place):
            others += 1
            continue
        if place in places:
            raise _Refused(f"{_shown(name)} and {_shown(places[place])} are one file of a web cache")
        places[place] = name
        above.add("/".join(parts[:-_NAME_PARTS]))
        if len(above) > 1:
            raise _Refused(f"two web caches, in {' and '.join(_shown(one) for one in sorted(above))}")
        if size > LARGEST_CASSETTE_BYTES:
            raise _Refused(f"{_shown(name)} has more than {LARGEST_CASSETTE_BYTES:,} bytes")
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        with opened() as source, path.open("xb") as out:
            unpacked += _copy(source, out, min(size, MAX_UNPACKED_BYTES - unpacked), name)
    return others


def _copy(source: BinaryIO, out: BinaryIO, most: int, name: str) -> int:
    size = 0
    while chunk := source.read(CHUNK_BYTES):
        size += len(chunk)
        if size > most:
            raise _Refused(f"{_shown(name)} is larger than declared, or the file is too large unpacked")
        out.write(chunk)
    return size


def _parts(name: str) -> list[str]:
    """The parts of a member's name, without a leading `./`. Raises _Refused."""
    raw = name.encode("utf-8", "surrogatepass")
    if len(raw) > MAX_NAME_BYTES or not name.isprintable() or "\\" in name or ":" in name.split("/")[0]:
        raise _Refused(f"the name {_shown(name)}, which is not a path on every system")
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        raise _Refused(f"{_shown(name)}, a path that leads out of the archive")
    return list(path.parts)


@contextmanager
def _opened(file: Path) -> Iterator[Iterator[Member]]:
    with open_regular(file, MAX_FILE_BYTES) as raw, ExitStack() as stack:
        size = raw.seek(0, 2)
        raw.seek(0)
        start = raw.read(2)
        raw.seek(0)
        if start == b"PK":
            _check_end(raw, size)
            raw.seek(0)
            yield _zip_members(stack.enter_context(zipfile.ZipFile(raw)))
            return
        packed = start == b"\x1f\x8b"
        stream = stack.enter_context(gzip.GzipFile(fileobj=raw)) if packed else raw
        bounded = _Bounded(cast("BinaryIO", stream), max(SMALL_BYTES, MAX_RATIO * size) if packed else size)
        source = cast("BinaryIO", bounded)
        yield _tar_members(stack.enter_context(tarfile.TarFile(fileobj=source, errorlevel=1)))


def _check_end(raw: BinaryIO, size: int) -> None:
    """Refuses a zip file with too long a list of members, which `zipfile` would load."""
    tail_bytes = min(size, _END.size + _LONGEST_COMMENT + _ZIP64_LOCATOR_BYTES)
    raw.seek(size - tail_bytes)
    tail = raw.read(tail_bytes)
    place = tail.rfind(b"PK\5\6")
    if place < 0 or place + _END.size > len(tail):
        raise _Refused("a zip file without an end")
    count, length = _END.unpack_from(tail, place)[4:6]
    if b"PK\6\7" in tail[max(0, place - _ZIP64_LOCATOR_BYTES) : place]:
        raise _Refused("a zip file with the zip64 extensions; split the record, or pack it as tar.gz")
    if length > SMALL_BYTES + min(count, MAX_MEMBERS) * _LISTED_BYTES:
        raise _Refused("a list of members that is too long")


def _zip_members(archive: zipfile.ZipFile) -> Iterator[Member]:
    for info in archive.infolist():
        mode = info.external_attr >> 16
        if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
            raise _Refused(f"{_shown(info.filename)} is a link or a device")
        if info.file_size > SMALL_BYTES and info.file_size > MAX_RATIO * info.compress_size:
            raise _Refused(
                f"{_shown(info.filename)} has {info.file_size:,} bytes packed into {info.compress_size:,}: "
                "a zip bomb"
            )
        yield (
            info.orig_filename,
            info.is_dir(),
            info.file_size,
            lambda info=info: cast("BinaryIO", archive.open(info)),  # type: ignore[misc]
        )


def _tar_members(archive: tarfile.TarFile) -> Iterator[Member]:
    for info in archive:
        is_file = info.type in (tarfile.REGTYPE, tarfile.AREGTYPE) and info.sparse is None
        if not (info.isdir() or is_file) or info.size < 0:
            raise _Refused(f"{_shown(info.name)} is a link, a device or a sparse file")
        yield (
            info.name,
            info.isdir(),
            info.size,
            lambda info=info: cast("BinaryIO", archive.extractfile(info)),  # type: ignore[misc]
        )


class _Bounded(io.RawIOBase):
    """A stream that ends with _Refused after `most` bytes, and never reads a large piece at once."""

    def __init__(self, stream: BinaryIO, most: int) -> None:
        self._stream = stream
        self._most = min(most, MAX_UNPACKED_BYTES)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._stream.tell()

    def seek(self, offset: int, whence: int = 0) -> int:
        if whence != 0 or not self._stream.tell() - _BACK_BYTES <= offset <= self._most:
            raise _Refused(_TOO_LARGE)
        return self._stream.seek(offset)

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= min(LARGEST_CASSETTE_BYTES, self._most + CHUNK_BYTES - self._stream.tell()):
            raise _Refused(_TOO_LARGE)
        return self._stream.read(size)


def _shown(name: str) -> str:
    return repr(printable(cut(name, 120)))
