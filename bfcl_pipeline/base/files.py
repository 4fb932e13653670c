"""Writing files that are either complete or absent, and opening and listing files of anybody.

Other machines may share the file system. Covers temporary names, atomic replacement, creation of files that
must not exist yet, and fsync of directories. A temporary name identifies the process that created the file;
files that a killed writer left are deleted by the next one. Standard library only: importing this is cheap.
"""

import contextlib
import errno
import json
import os
import re
import shutil
import stat
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from glob import escape
from pathlib import Path
from typing import Any, BinaryIO

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.process import Process, is_alive, this_process

MOST_BYTES = 2**32
"""Size of a file that may be from anybody, where its reader sets no other limit."""

MOST_FILES = 1_000_000
"""Files and folders below one that may be from anybody."""

STALE_HOURS = 1.0
"""A temporary file of another machine counts as abandoned if it was not written for this long."""

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # errors of writing, which may name no file

_DEVICES = Path("/dev")  # /dev/stdout is a link to a regular file if the output is redirected

_NAME = re.compile(
    r"\..+\.[A-Za-z0-9_]+-(?P<place>[0-9a-f]{8})-(?P<pid>\d+)-(?P<started>\d*)-[0-9a-f]{12}\.tmp"
)


def temporary_path(path: Path, writer: Process | None = None) -> Path:
    """A hidden name beside `path` that no other call returns, on any machine. Creates no file."""
    writer = writer or this_process()
    host = re.sub(r"[^A-Za-z0-9]", "_", writer.host.partition(".")[0])[:20] or "_"
    made_by = f"{host}-{writer.place}-{writer.pid}-{writer.started or ''}"
    return path.with_name(f".{path.name}.{made_by}-{uuid.uuid4().hex[:12]}.tmp")


def clear_temporaries(temporaries: Iterable[Path], now: float, here: Process | None = None) -> None:
    """Deletes the temporary files and folders whose writers have ended.

    Args:
        temporaries: the candidates.
        now: the modification time of a file that the caller has just written in the same place, so that
            the clocks of two machines are never compared.
        here: the current process, unless given.

    Raises:
        OSError: a file cannot be deleted.
    """
    here = here or this_process()
    for path in [*temporaries]:  # all are found before a folder that is searched is deleted
        if _is_abandoned(path, now, here):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)


def _is_abandoned(path: Path, now: float, here: Process) -> bool:
    name = _NAME.fullmatch(path.name)
    if name is not None and name["place"] == here.place:
        writer = replace(here, pid=int(name["pid"]), started=name["started"] or None)
        alive = is_alive(writer, here)
        if alive is not None:
            return not alive
    try:
        return path.stat().st_mtime < now - STALE_HOURS * 3600
    except FileNotFoundError:
        return False


@contextlib.contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """A temporary file in the directory of `path` that replaces it if the block ends without an error.

    Parent directories are created. After an error the temporary file is deleted and `path` is unchanged.
    If two processes write the same path, each writes a complete file and the last one remains. Raises
    IsADirectoryError if `path` is a directory, ConfigError if it is a device, a pipe or a link to one.
    """
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if path.exists() and (not path.is_file() or path.parent.resolve() == _DEVICES):
        raise ConfigError(
            f"{path} is not a regular file, and would be replaced by one. Name a new file; to send there "
            f"what a command prints, redirect it (> {path})."
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = temporary_path(path)
    try:
        with _errors_named(path, temporary):
            temporary.touch(exist_ok=False)
            _clear_beside(path, temporary)
            yield temporary
            with temporary.open("rb") as written:
                os.fsync(written.fileno())
            temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def temporary_folder(path: Path) -> Iterator[Path]:
    """A new hidden folder in the directory of `path`, for what is made of it; deleted when the block ends.

    Parent directories are created.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    folder = temporary_path(path)
    try:
        with _errors_named(path, folder):
            folder.mkdir()
            _clear_beside(path, folder)
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _clear_beside(path: Path, temporary: Path) -> None:
    clear_temporaries(path.parent.glob(f".{escape(path.name)}.*.tmp"), temporary.stat().st_mtime)


@contextlib.contextmanager
def _errors_named(path: Path, temporary: Path) -> Iterator[None]:
    """An OSError of the block about `temporary`, or a full disk without a file, is raised about `path`."""
    try:
        yield
    except OSError as error:
        named = [Path(os.fsdecode(name)) for name in (error.filename, error.filename2) if name is not None]
        if any(name.is_relative_to(temporary) for name in named) or (not named and error.errno in _FULL):
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise


def write_text(path: Path, text: str) -> None:
    """Writes `text` as UTF-8 with Unix line ends, atomically."""
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


@contextlib.contextmanager
def replaced_folder(folder: Path) -> Iterator[Path]:
    """An empty folder that takes the place of `folder` if the block ends without an error.

    All files are on disk before the folder appears under its name; after an error `folder` is unchanged.
    """
    with temporary_folder(folder) as work:
        made, old = work / "new", work / "old"
        made.mkdir()
        yield made
        for path in [made, *made.rglob("*")]:
            if path.is_dir():
                sync_directory(path)
            else:
                with path.open("rb") as written:
                    os.fsync(written.fileno())
        if folder.exists():
            folder.replace(old)
        made.replace(folder)
    sync_directory(folder.parent)


def replace_folder(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Writes a folder with the files `contents` and no others, in place of the one that may be there.

    All files are on disk before the folder appears under its name; after an error `folder` is unchanged.
    """
    with replaced_folder(folder) as made:
        for name, content in contents.items():
            (made / name).parent.mkdir(parents=True, exist_ok=True)
            with (made / name).open("xb") as file:
                file.write(content)


def write_once(path: Path, content: bytes, siblings: str) -> bool:
    """Writes a file that does not exist yet; it is complete and on disk when it appears.

    Args:
        path: the file; its directory must exist.
        content: its bytes.
        siblings: a glob pattern of temporary files that killed writers may have left in that directory.

    Returns:
        False, with nothing changed, if the file exists.
    """
    temporary = temporary_path(path)
    try:
        with _errors_named(path, temporary), temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            now = os.fstat(file.fileno()).st_mtime
        clear_temporaries(path.parent.glob(siblings), now)
        try:
            os.link(temporary, path)
        except FileExistsError:
            return False
    finally:
        temporary.unlink(missing_ok=True)
    sync_directory(path.parent)
    return True


def open_regular(path: Path, most_bytes: int = MOST_BYTES) -> BinaryIO:
    """Opens a file that may be from anybody: never waits for a pipe, reads a device or follows a link.

    Raises:
        ValueError: not a regular file, or more than `most_bytes`.
        OSError: the file cannot be opened.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise ValueError("not a regular file, but a link") from error
        raise
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode) or status.st_size > most_bytes:
        os.close(handle)
        regular = stat.S_ISREG(status.st_mode)
        raise ValueError(f"more than {most_bytes:,} bytes" if regular else "not a regular file")
    return os.fdopen(handle, "rb")


def named_file(path: Path) -> Path:
    """A file that the user named, which may be a link: the file that it leads to."""
    return path.resolve() if path.is_symlink() else path


def read_regular(path: Path, most_bytes: int) -> bytes:
    """The content of a file that may be from anybody. Raises as `open_regular` does."""
    with open_regular(path, most_bytes) as file:
        content = file.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise ValueError(f"more than {most_bytes:,} bytes")
    return content


def read_json(path: Path, most_bytes: int) -> Any:
    """The value of a JSON file of anybody. Raises OSError, or ValueError if it is larger or no JSON."""
    try:
        return json.loads(read_regular(path, most_bytes))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def files_below(folder: Path, most: int = MOST_FILES) -> list[Path]:
    """What is no folder below `folder`, which may be from anybody, sorted; nothing if it does not exist.

    Links are listed, not followed, as `open_regular` refuses them. Raises ConfigError for more than `most`
    files and folders.
    """
    found: list[Path] = []
    folders, names = [folder], 0
    while folders:
        with contextlib.suppress(FileNotFoundError), os.scandir(folders.pop()) as entries:
            for entry in entries:
                names += 1
                if names > most:
                    raise ConfigError(f"{folder}: more than {most:,} files and folders. Name another one.")
                inner = entry.is_dir(follow_symlinks=False)
                (folders if inner else found).append(Path(entry.path))
    return sorted(found)


def is_regular(path: Path) -> bool:
    """Whether it is a file and no link."""
    return path.is_file() and not path.is_symlink()


def make_directory(directory: Path) -> None:
    """Creates a directory and its parents so that they survive a power cut."""
    missing = []
    while not directory.is_dir():
        missing.append(directory)
        directory = directory.parent
    for made in reversed(missing):
        made.mkdir(exist_ok=True)
        sync_directory(made.parent)


def sync_directory(directory: Path) -> None:
    """Makes the names in a directory survive a power cut, where the file system supports it (fsync)."""
    with contextlib.suppress(OSError):
        handle = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
