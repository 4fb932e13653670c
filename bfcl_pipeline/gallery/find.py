"""The archives below some directories: in bundles, in folders of bundles, or side by side in a folder."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from bfcl_pipeline.archive.members import file_sha256
from bfcl_pipeline.errors import ConfigError
from bfcl_pipeline.gallery.bundle import ARCHIVE, RECORDS, SUMS
from bfcl_pipeline.signing.statement_file import statements_path
from bfcl_pipeline.text import Log, printable

MOST = 1_000
"""The most archives of one site."""


@dataclass(frozen=True, slots=True)
class Found:
    """One archive."""

    file: Path
    sha256: str
    bundle: Path | None  # the directory with exports and sums; None if it is only an archive

    @property
    def statements(self) -> Path | None:
        """The file with the statements on it, if there is one."""
        path = statements_path(self.file)
        return path if path.is_file() and not path.is_symlink() else None


def find_archives(places: Sequence[Path], log: Log) -> list[Found]:
    """The archives of some directories, each content once, in the order of their sha256.

    Args:
        places: bundles, folders of bundles or of archives, or archives.
        log: receives a line for each archive that was found twice.

    Raises:
        ConfigError: a place does not exist or has no archive, or there are more than `MOST`.
    """
    found: dict[str, Found] = {}
    for place in places:
        files = list(islice(_files(place), MOST + 1))
        if not files:
            raise ConfigError(
                f"{place}: no archive (*{ARCHIVE}) in it or in a directory in it. `bfcl-pipeline archive "
                "RUN` or `bfcl-pipeline submit RUN --out DIR` writes one."
            )
        for file in files:
            sha256 = file_sha256(file)
            folder = file.parent
            is_bundle = (folder / SUMS).is_file() or (folder / RECORDS).is_dir()
            one = Found(file, sha256, folder if is_bundle else None)
            if sha256 in found and found[sha256].file != file:
                log(f"{printable(str(file))}: the same archive as {printable(str(found[sha256].file))}")
            if sha256 not in found or (found[sha256].bundle is None and is_bundle):
                found[sha256] = one
    if len(found) > MOST:
        raise ConfigError(f"more than {MOST:,} archives: make several sites.")
    return [found[sha256] for sha256 in sorted(found)]


def _files(place: Path) -> Iterator[Path]:
    if place.is_file():
        yield place
    elif not place.is_dir():
        raise ConfigError(f"{place}: no such directory or archive.")
    else:
        for pattern in (f"*{ARCHIVE}", f"*/*{ARCHIVE}"):
            for path in sorted(place.glob(pattern)):
                hidden = any(part.startswith(".") for part in path.relative_to(place).parts)
                if path.is_file() and not path.is_symlink() and not hidden:
                    yield path
