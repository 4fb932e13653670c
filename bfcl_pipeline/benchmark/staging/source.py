"""The release as bytes by name, from a wheel or an unpacked folder, verified before it is read.

Covers the hash check and reading in place; nothing is unpacked to disk. The other modules of this package
interpret the files.
"""

import base64
import csv
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bfcl_pipeline.benchmark.definition import release
from bfcl_pipeline.benchmark.staging.fetch import (
    check_sha256,
    missing,
    read_bounded,
    read_members,
    sha256_of,
)
from bfcl_pipeline.benchmark.staging.release_files import PACKAGE, RELEASE_FILES

MAX_WHEEL_BYTES = 64 * 2**20  # the pinned wheel has 2 MB
_MAX_FILE_BYTES = 32 * 2**20  # the largest file staging reads has 2 MB


@dataclass(frozen=True, slots=True)
class Release:
    """The files of the release that staging reads."""

    origin: str  # the wheel or folder, for messages
    files: Mapping[str, bytes]  # content by name in the wheel


def read_wheel(path: Path, content: bytes, sha256: str) -> Release:
    """The release in the wheel with `content`, which was read from `path`.

    Raises HashMismatch before the wheel is opened, MalformedRelease if it is not a readable wheel or a file
    is missing.
    """
    _verify(path, sha256_of(content), sha256)
    return Release(str(path), read_members(path, content, RELEASE_FILES, _MAX_FILE_BYTES))


def read_folder(folder: Path, sha256: str) -> Release:
    """The release unpacked in `folder`, which is the package folder or contains it.

    The files are verified together: their `contents_sha256` must be `sha256`; if that is the hash of the
    pinned wheel, they must have the contents of the pinned wheel. Raises HashMismatch, or MalformedRelease
    if a file is missing.
    """
    package = folder.resolve()
    root = package.parent if package.name == PACKAGE else package
    files = {name: _file(root, name) for name in RELEASE_FILES}
    expected = release.CONTENTS_SHA256 if sha256 == release.SHA256 else sha256
    altered = _altered(root, files)
    _verify(folder / altered[0] if altered else folder, contents_sha256(files), expected)
    return Release(str(folder), files)


def contents_sha256(files: Mapping[str, bytes]) -> str:
    """One hash over names and contents: of the lines `<sha256>  <name>`, as sha256sum writes them."""
    lines = (f"{sha256_of(files[name])}  {name}\n" for name in sorted(files))
    return sha256_of("".join(lines).encode())


def _verify(where: Path, got: str, expected: str) -> None:
    advice = "Fetch it again; for another release, give its version and its sha256."
    check_sha256(where, got, expected, "the pinned release", advice)


def _altered(root: Path, files: Mapping[str, bytes]) -> list[str]:
    """The files that differ from the wheel's RECORD, if there is one beside the package.

    Used only to name a file in an error message, as RECORD is not pinned.
    """
    recorded: dict[str, str] = {}
    for path in sorted(root.glob(f"{PACKAGE}-*.dist-info/RECORD")):
        lines = read_bounded(path, _MAX_FILE_BYTES).decode("utf-8", "replace").splitlines()
        recorded.update((row[0], row[1]) for row in csv.reader(lines) if len(row) > 1)
    return [name for name in files if name in recorded and recorded[name] != _record_hash(files[name])]


def _record_hash(content: bytes) -> str:
    """The hash of `content` in the form of RECORD files."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest())
    return f"sha256={digest.rstrip(b'=').decode()}"


def _file(root: Path, name: str) -> bytes:
    path = root / name
    if not path.is_file():
        raise missing(path)
    return read_bounded(path, _MAX_FILE_BYTES)
