"""Unpacking an untrusted archive: only the members that are needed, each with its sha256."""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from bfcl_pipeline.base.errors import ArchiveError, PipelineError
from bfcl_pipeline.runs.archived.crate_metadata import CrateMetadata, read_metadata
from bfcl_pipeline.runs.archived.reading import SealedArchive
from bfcl_pipeline.runs.archived.run_files import result_files
from bfcl_pipeline.runs.archived.vectors import MAX_BYTES, unpack_vectors
from bfcl_pipeline.runs.archived.vectors import NAME as VECTORS
from bfcl_pipeline.runs.folders import ARCHIVE_SUFFIX
from bfcl_pipeline.runs.run import CACHE, DATA, Run, open_run


@dataclass(frozen=True, kw_only=True)
class ArchivedRun(Run):
    """A run that was unpacked from an archive to a temporary directory, with its own cache."""

    file: Path  # the archive
    sha256: str  # of the archive
    metadata: CrateMetadata = field(compare=False)

    @property
    def source(self) -> Path:
        """The archive."""
        return self.file

    def name_source(self, text: str) -> str:
        """A message with the name of the archive in place of the temporary directory."""
        file = str(self.file)
        return text.replace(str(self.folder), file).replace(str(self.cache.parent), file)


def check_hashes(archive: SealedArchive, metadata: CrateMetadata) -> int:
    """Raises ArchiveError if the sha256 of a member differs from the metadata. Returns their number."""
    for name in metadata.sha256:
        for _ in _checked(archive, name, metadata.sha256):
            pass
    return len(metadata.sha256)


def _checked(archive: SealedArchive, name: str, sha256: Mapping[str, str]) -> Iterator[bytes]:
    """The content of a member, in pieces. Raises ArchiveError if its sha256 is not that of the metadata."""
    digest = hashlib.sha256()
    for chunk in archive.chunks(name):
        digest.update(chunk)
        yield chunk
    if digest.hexdigest() != sha256[name]:
        raise ArchiveError(
            f"{archive.path}, member {name!r}: refused: expected sha256 {sha256[name]}, got "
            f"{digest.hexdigest()}. It is not read."
        )


def of_replay(name: str) -> bool:
    """Whether a replay needs a member: results, journals, web cache and vectors."""
    return name.startswith(("results/", "cache/"))


def unpack(
    archive: SealedArchive,
    folder: Path,
    wanted: Callable[[str], object],
    sha256: Mapping[str, str],
) -> None:
    """Writes members below the empty `folder`, whose names were checked when the archive was opened.

    Args:
        wanted: true for the names of these members.
        sha256: of each member.

    Raises ArchiveError if a member is damaged or malformed.
    """
    for name in filter(wanted, archive.members):
        chunks = _checked(archive, name, sha256)
        if name == VECTORS:
            if archive.members[name].size > MAX_BYTES:
                raise ArchiveError(
                    f"{archive.path}, member {name!r}: refused: more than {MAX_BYTES:,} bytes."
                )
            unpack_vectors(b"".join(chunks), folder / "cache/encoder")
            continue
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as file:
            file.writelines(chunks)


@contextmanager
def opened_run(
    source: Path,
    cache: Path = CACHE,
    data: Path = DATA,
    wanted: Callable[[str], object] = of_replay,
) -> Iterator[Run]:
    """The run that `source` names: a name, a folder, or an archive, unpacked until the block is left.

    Args:
        source: FILE.zip for an archive.
        cache: the directory with the journals and the web cache of a run; an archive has its own.
        data: the staged release.
        wanted: true for the names of the members that are unpacked.

    Raises:
        ArchiveError: the archive is damaged, malformed or too large.
        ConfigError: there is no such run; or, of an archive, its config is malformed.
    """
    if source.suffix != ARCHIVE_SUFFIX:
        yield open_run(source, cache, data)
        return
    with TemporaryDirectory(prefix="bfcl-run-") as folder:
        try:
            with SealedArchive(source) as archive:
                run = unpack_run(archive, Path(folder), data, wanted)
        except PipelineError as error:
            text = str(error).replace(folder, str(source))
            raise type(error)(text if str(source) in text else f"{source}: {text}") from error
        try:
            yield run
        except PipelineError as error:  # the temporary directory no longer exists when it is read
            raise type(error)(run.name_source(str(error))) from error


def unpack_run(
    archive: SealedArchive,
    folder: Path,
    data: Path = DATA,
    wanted: Callable[[str], object] = of_replay,
) -> ArchivedRun:
    """The run in an archive, unpacked below the empty `folder`, without deriving anything from it.

    Raises ArchiveError if a member that is wanted is damaged, or the config is of another release, and
    ConfigError if it is of another run, or malformed.
    """
    metadata = read_metadata(archive)
    unpack(archive, folder, wanted, metadata.sha256)
    run = ArchivedRun(
        folder / "results" / metadata.run,
        folder / "cache",
        data,
        file=archive.path,
        sha256=archive.seal.sha256,
        metadata=metadata,
    )
    run.check_name()
    pin = None if run.config is None else run.config.release
    if pin is not None and (pin.version, pin.sha256) != metadata.release:
        raise ArchiveError(
            f"{run.config_file}: refused: the release is {pin.version} {pin.sha256}, but the metadata "
            f"names {' '.join(metadata.release)}."
        )
    return run


def unpack_whole_run(archive: SealedArchive, folder: Path, data: Path = DATA) -> ArchivedRun:
    """The run in an archive, unpacked below the empty `folder`, which says all that a replay needs.

    Raises ArchiveError, ConfigError or TableError if a member is damaged, if its config or models are
    invalid, contradict the metadata or name a local path, or if a result file is missing.
    """
    run = unpack_run(archive, folder, data)
    settings = run.recorded.settings
    named = (settings.release.source, settings.encoder_source, *settings.models_files)
    if any(path is not None for path in named):
        raise ArchiveError(
            f"{run.config_file}: refused: it names a local path as the source of data or models."
        )
    result_files(run)  # none is missing
    run.cache.mkdir(exist_ok=True)
    return run
