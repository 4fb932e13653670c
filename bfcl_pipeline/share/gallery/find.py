"""The archives below some directories: in bundles, in folders of bundles, or side by side in a folder."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path

from bfcl_pipeline.base.errors import ArchiveError, ConfigError
from bfcl_pipeline.base.files import is_regular
from bfcl_pipeline.base.text import Log, printable
from bfcl_pipeline.runs.archived.members import MAX_FILE_BYTES, file_sha256
from bfcl_pipeline.runs.archived.reading import check_seal
from bfcl_pipeline.share.gallery.bundle import ARCHIVE
from bfcl_pipeline.share.signing.signature import statements_path

MOST = 1_000
"""The most archives of one folder that are verified."""


@dataclass(frozen=True, slots=True)
class Found:
    """One archive, which is its bytes: nothing depends on which of its files comes first."""

    sha256: str
    files: tuple[Path, ...]  # all that have these bytes, sorted
    refused: str = ""  # why it is not to be verified

    @property
    def folders(self) -> list[Path]:
        """The folders of its files, each once."""
        return sorted({file.parent.resolve() for file in self.files})

    @property
    def statements(self) -> list[Path]:
        """The files with statements on it."""
        paths = map(statements_path, self.files)
        return [path for path in paths if is_regular(path)]


def find_archives(places: Sequence[Path], log: Log) -> list[Found]:
    """The archives of some directories, each content once, in the order of their sha256.

    Args:
        places: bundles, folders of bundles or of archives, or archives.
        log: receives a line for each file that cannot be read or is too large.

    Raises:
        ConfigError: a place does not exist or has no archive.
    """
    found: dict[str, list[Path]] = {}
    refused: dict[str, tuple[Path, str]] = {}
    sealed: Counter[Path] = Counter()
    for place in places:
        files = list(_files(place))
        if not files:
            raise ConfigError(
                f"{place}: no archive (*{ARCHIVE}) in it or in a directory in it. `bfcl-pipeline archive "
                "RUN` or `bfcl-pipeline submit RUN --out DIR` writes one."
            )
        for file in files:
            try:
                sha256, reason = _sha256(file)
            except (OSError, ArchiveError) as error:
                log(f"left out: {printable(str(error))}")
                continue
            sealed[file.parent] += not reason
            if not reason and sealed[file.parent] > MOST:
                reason = f"more than {MOST:,} archives in its folder"
            if reason:
                refused.setdefault(sha256, (file, reason))
            else:
                found.setdefault(sha256, []).append(file)
    every = [Found(sha256, tuple(sorted(set(files)))) for sha256, files in found.items()]
    every += [Found(one, (file,), why) for one, (file, why) in refused.items() if one not in found]
    return sorted(every, key=attrgetter("sha256"))


def _sha256(file: Path) -> tuple[str, str]:
    """The sha256 of a file, and why it is not an archive. Raises ArchiveError if it is too large."""
    if file.stat().st_size > MAX_FILE_BYTES:
        raise ArchiveError(f"{file}: more than {MAX_FILE_BYTES:,} bytes.")
    with file.open("rb") as opened:
        try:
            return check_seal(file, opened).sha256, ""
        except ArchiveError as error:
            return file_sha256(file), str(error).removeprefix(f"{file}: ")


def _files(place: Path) -> Iterator[Path]:
    if place.is_file():
        yield place
    elif not place.is_dir():
        raise ConfigError(f"{place}: no such directory or archive.")
    else:
        for pattern in (f"*{ARCHIVE}", f"*/*{ARCHIVE}"):
            for path in sorted(place.glob(pattern)):
                hidden = any(part.startswith(".") for part in path.relative_to(place).parts)
                if is_regular(path) and not hidden:
                    yield path
