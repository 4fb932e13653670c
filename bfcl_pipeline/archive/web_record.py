"""Opens a web cache that is in a folder, in the archive of a run, or in a zip or tar file."""

import hashlib
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bfcl_pipeline.archive.crate_metadata import read_metadata
from bfcl_pipeline.archive.packed_record import unpack_record
from bfcl_pipeline.archive.reading import SealedArchive
from bfcl_pipeline.archive.seal import SEAL_BYTES
from bfcl_pipeline.errors import ArchiveError, WebError
from bfcl_pipeline.web.cache import LARGEST_CASSETTE_BYTES
from bfcl_pipeline.web.record_files import list_record

CRATE = ".crate.zip"
"""How the archive of a run ends."""

_IN_CRATE = "cache/web/"
_IN_FOLDER = ("", "web", "cache/web")  # where a folder may have its web cache
_SEAL = re.compile(rb"sha256:[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class WebRecord:
    """A web cache that can be read."""

    source: Path  # as it was named
    folder: Path  # the web cache itself: in the source, or a temporary copy
    packed_others: int = 0  # other files in the zip or tar file

    def named(self, text: str) -> str:
        """A message with the name of the source in the place of a temporary path."""
        return text if self.source.is_dir() else text.replace(str(self.folder), str(self.source))


@contextmanager
def opened_record(source: Path) -> Iterator[WebRecord]:
    """The web cache in `source`, unpacked to a temporary directory if it is in a file.

    Raises ArchiveError if a file is damaged, malformed or too large; WebError if there is no web cache.
    """
    if source.is_dir():
        yield WebRecord(source, _in_folder(source))
        return
    if not source.is_file():
        raise WebError(f"{source}: no such file or directory.")
    with tempfile.TemporaryDirectory(prefix="web-record-") as made:
        folder = Path(made)
        others = _unpack_crate(source, folder) if _is_sealed(source) else unpack_record(source, folder)
        if not list_record(folder).outcomes:
            raise WebError(
                f"{source}: has no recorded outcome of the web. Name a file that has a web cache."
            )
        yield WebRecord(source, folder, others)


def _in_folder(source: Path) -> Path:
    for place in _IN_FOLDER:
        if list_record(source / place).outcomes:
            return source / place
    raise WebError(
        f"{source}: no recorded outcome of the web in it, in its web/ or cache/web/. Name a web "
        f"cache, a folder with one, the archive of a run ({CRATE}), or a zip or tar file of a web cache."
    )


def _is_sealed(file: Path) -> bool:
    with file.open("rb") as opened:
        opened.seek(max(0, opened.seek(0, 2) - SEAL_BYTES))
        return file.name.endswith(CRATE) or _SEAL.fullmatch(opened.read()) is not None


def _unpack_crate(file: Path, folder: Path) -> int:
    """Writes the web cache of a run's archive to `folder`, each file with the sha256 of the metadata."""
    with SealedArchive(file) as archive:
        metadata = read_metadata(archive)
        for name in archive.members:
            if not name.startswith(_IN_CRATE):
                continue
            if archive.members[name].size > LARGEST_CASSETTE_BYTES:
                raise ArchiveError(
                    f"{file}, member {name!r}: refused: too large for a file of a web cache."
                )
            content = b"".join(archive.chunks(name))
            if hashlib.sha256(content).hexdigest() != metadata.sha256[name]:
                raise ArchiveError(
                    f"{file}, member {name!r}: refused: its sha256 is not that of the metadata."
                )
            path = folder / name.removeprefix(_IN_CRATE)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return 0
