"""Unpacking an untrusted archive: only the members that are needed, each with its sha256."""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from bfcl_pipeline.base.errors import ArchiveError
from bfcl_pipeline.runs.archived.crate_metadata import CrateMetadata, read_metadata
from bfcl_pipeline.runs.archived.reading import SealedArchive
from bfcl_pipeline.runs.archived.run_files import result_files
from bfcl_pipeline.runs.archived.software import Checkout
from bfcl_pipeline.runs.archived.vectors import MAX_BYTES, unpack_vectors
from bfcl_pipeline.runs.archived.vectors import NAME as VECTORS
from bfcl_pipeline.runs.recorded_run import RecordedRun, read_recorded_run

_OF_VERDICTS = re.compile(
    r"results/[^/]+/(?:config\.yaml|verdicts/[^/]+\.parquet|responses/[^/]+/[^/]+\.parquet)"
)
"""What a comparison of verdicts needs."""


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
    wanted: Callable[[str], object] = of_replay,
    sha256: Mapping[str, str] | None = None,
) -> None:
    """Writes members below the empty `folder`, whose names were checked when the archive was opened.

    Args:
        wanted: true for the names of these members.
        sha256: of each member; None: they were checked before (`check_hashes`).

    Raises ArchiveError if a member is damaged or malformed.
    """
    for name in filter(wanted, archive.members):
        chunks = archive.chunks(name) if sha256 is None else _checked(archive, name, sha256)
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


def extract_run(file: Path, folder: Path, wanted: Callable[[str], object] = of_replay) -> CrateMetadata:
    """Unpacks members of an archive to the empty `folder`, without deriving anything from them.

    Raises ArchiveError if the archive is damaged, malformed or too large.
    """
    with SealedArchive(file) as archive:
        metadata = read_metadata(archive)
        unpack(archive, folder, wanted, metadata.sha256)
    return metadata


def extract_verdicts(file: Path, folder: Path) -> Path:
    """The directory of the run in an archive, with config, verdicts and responses. As `extract_run`."""
    return folder / "results" / extract_run(file, folder, _OF_VERDICTS.fullmatch).run


def unpacked_run(folder: Path, metadata: CrateMetadata, checkout: Checkout) -> RecordedRun:
    """The run that was unpacked in `folder`.

    Raises ArchiveError, ConfigError or TableError if its config or models are invalid, contradict the
    metadata or name a local path, or if a result file is missing.
    """
    recorded = read_recorded_run(folder / "results" / metadata.run, checkout.schema, metadata.run)
    config_file, release = recorded.folder / "config.yaml", recorded.run.release
    named = (release.source, recorded.config["encoder"]["source"], recorded.config["models_file"])
    if any(path is not None for path in named):
        raise ArchiveError(
            f"{config_file}: refused: it names a local path as the source of data or models."
        )
    if (release.version, release.sha256) != metadata.release:
        raise ArchiveError(
            f"{config_file}: refused: the release is {release.version} {release.sha256}, but the metadata "
            f"names {' '.join(metadata.release)}."
        )
    result_files(recorded)  # none is missing
    return recorded
