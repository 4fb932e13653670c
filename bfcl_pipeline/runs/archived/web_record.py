"""Opens a web cache that is in a folder, in the archive of a run, or in a zip or tar file."""

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bfcl_pipeline.base.errors import WebError
from bfcl_pipeline.runs.archived.packed_record import unpack_record
from bfcl_pipeline.runs.archived.reading import SealedArchive
from bfcl_pipeline.runs.archived.unpacking import unpack_run
from bfcl_pipeline.runs.archived.writing import SEAL_BYTES
from bfcl_pipeline.world.web.record_files import list_record

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
        folder, others = Path(made), 0
        if _is_sealed(source):
            with SealedArchive(source) as archive:
                unpack_run(archive, folder, wanted=lambda name: name.startswith(_IN_CRATE))
            folder /= _IN_CRATE
        else:
            others = unpack_record(source, folder)
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
