"""The release as bytes by name, from a wheel or an unpacked folder, verified before it is read.

Covers downloads with pip, bounds on sizes, and the pinned hash. A wheel is data here: it is neither
installed nor imported nor unpacked. Its members are read by their whole names, so that names in an archive
are never used as paths. The other modules of this package interpret the files.
"""

import base64
import csv
import hashlib
import io
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from bfcl_pipeline.base.errors import HashMismatch, MalformedRelease, StagingError
from bfcl_pipeline.base.files import named_file, read_regular
from bfcl_pipeline.base.text import line_of
from bfcl_pipeline.benchmark.definition import release
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
    files = {name: read_present(root / name, _MAX_FILE_BYTES) for name in RELEASE_FILES}
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


def download_wheel(distribution: str, version: str, wheel: str) -> bytes:
    """The file `wheel` of a version of `distribution`, downloaded with pip and its configuration.

    The caller checks the hash. Raises StagingError with the last line of pip.
    """
    requirement = f"{distribution}=={version}"
    advice = f"Without an index, name a copy: --source {wheel}"
    with tempfile.TemporaryDirectory(prefix="bfcl-pipeline-") as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-input"]
        command += ["--disable-pip-version-check", "--no-deps", "--only-binary=:all:"]
        command += ["--dest", folder, requirement]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        if done.returncode != 0:
            said = done.stderr.strip().rpartition("\n")[2].removeprefix("ERROR: ")
            raise StagingError(f"pip: {line_of(said or f'exit status {done.returncode}')}.\n{advice}")
        path = Path(folder) / wheel
        if not path.is_file():
            got = ", ".join(sorted(file.name for file in Path(folder).iterdir())) or "nothing"
            raise StagingError(f"pip downloaded {got} for {requirement}, expected {wheel}.\n{advice}")
        return path.read_bytes()


def sha256_of(content: bytes) -> str:
    """The sha256 of `content`, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def check_sha256(where: Path, got: str, expected: str, what: str, advice: str) -> None:
    """Raises HashMismatch if two hashes differ. `what` is expected at `where`; `advice`: what to do."""
    if got != expected.lower():
        raise HashMismatch(f"{where}: not {what}: expected sha256 {expected}, got {got}. {advice}")


def read_bounded(path: Path, limit: int) -> bytes:
    """The content of a file. Raises StagingError if it cannot be read or has more than `limit` bytes."""
    try:
        return read_regular(named_file(path), limit)
    except OSError as error:
        raise StagingError(
            f"{path}: cannot be read ({error.strerror}). Check `source`, or leave it out to fetch the "
            "wheel from the package index."
        ) from error
    except ValueError as error:
        raise MalformedRelease(f"{path}: {error}.") from error


def read_members(path: Path, content: bytes, names: Iterable[str], limit: int) -> dict[str, bytes]:
    """The members `names` of the wheel with `content`, which was read from `path`.

    Raises MalformedRelease if it is not a readable wheel, or a member is missing or over `limit` bytes.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return {name: _member(path, archive, name, limit) for name in names}
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise MalformedRelease(
            f"{path}: not a readable wheel ({error}). Fetch it again, or check the file."
        ) from error


def read_present(path: Path, limit: int) -> bytes:
    """As `read_bounded`. Raises MalformedRelease if there is no such file."""
    if not path.is_file():
        raise _missing(path)
    return read_bounded(path, limit)


def _missing(path: Path) -> MalformedRelease:
    return MalformedRelease(f"{path}: missing. Check that `source` is the pinned wheel, or its content.")


def _member(path: Path, archive: zipfile.ZipFile, name: str, limit: int) -> bytes:
    try:
        info = archive.getinfo(name)
    except KeyError:
        raise _missing(path / name) from None
    # The declared size may be wrong, so the read itself is bounded too.
    with archive.open(info) as member:
        content = member.read(limit + 1)
    if len(content) > limit:
        raise MalformedRelease(f"{path / name}: more than {limit} bytes, which is too large for this file.")
    return content
